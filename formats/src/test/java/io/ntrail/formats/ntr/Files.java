package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;

/** Opens recordings that lie in memory. */
final class Files {
  /** Opens a file without collecting gaps. */
  static final Gaps GAPS = new Gaps();

  private Files() {}

  static NtrFile open(byte[] bytes) {
    return NtrFile.open(InputFile.of(bytes, "test.ntr"), new Gaps());
  }
}

package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import java.util.Optional;

/**
 * Version numbers of a module (VS_FIXEDFILEINFO).
 *
 * @param file four parts of 16 bits, the major one highest
 * @param product likewise
 */
public record ModuleVersion(long file, long product) {
  /** Bytes of the structure. */
  static final int BYTES = 52;

  private static final int SIGNATURE = 0xFEEF_04BD;

  /** Reads the structure; empty if the module had none, or one without numbers. */
  static Optional<ModuleVersion> read(Bytes bytes, int at) {
    if (bytes.i32(at) != SIGNATURE) {
      return Optional.empty();
    }
    long file = bytes.u32(at + 8) << 32 | bytes.u32(at + 12);
    long product = bytes.u32(at + 16) << 32 | bytes.u32(at + 20);
    return file == 0 && product == 0
        ? Optional.empty()
        : Optional.of(new ModuleVersion(file, product));
  }
}

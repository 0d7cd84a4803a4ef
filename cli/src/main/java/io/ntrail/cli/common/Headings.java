package io.ntrail.cli.common;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.text.Numbers;

/** Parts of the heading line: the query and its files. */
public final class Headings {
  private Headings() {}

  /** Returns the name of a recording's first file and how many more it has. */
  public static String files(EtwRecording recording) {
    String first = recording.files().getFirst().name();
    int more = recording.files().size() - 1;
    return more == 0 ? first : first + " and " + Numbers.counted(more, "more file");
  }
}

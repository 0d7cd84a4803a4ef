package io.ntrail.cli.info;

/** The bits of LogFileMode in words. */
final class LogFileModes {
  private static final String[] NAMES = {
    "sequential",
    "circular",
    "append",
    "new file",
    "flush timer",
    "preallocated",
    "nonstoppable",
    "secure",
    "real time",
    "delayed open",
    "buffering only",
    "private",
    "header added",
    "",
    "global sequence",
    "local sequence",
    "relogged",
    "private in process",
    "buffer interface",
    "debugger filter",
    "real-time relog",
    "lost-events debug",
    "stopped on hybrid shutdown",
    "persist on hybrid shutdown",
    "paged memory",
    "system logger",
    "compressed",
    "independent",
    "no per-processor buffering",
    "blocking",
    "",
    "added to triage dump"
  };

  private LogFileModes() {}

  static String text(int mode) {
    StringBuilder text = new StringBuilder();
    for (int bit = 0; bit < 32; bit++) {
      if ((mode >>> bit & 1) != 0 && !NAMES[bit].isEmpty()) {
        text.append(text.isEmpty() ? "" : ", ").append(NAMES[bit]);
      }
    }
    return text.isEmpty() ? "sequential" : text.toString();
  }
}

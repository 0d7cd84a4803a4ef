package io.ntrail.cli.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The signal of Ctrl+C. Shells start programs in the background of a script with this signal
 * ignored, and so does nohup with others; the JVM leaves it so, and a trace goes on.
 */
final class InterruptSignal {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String IGNORED = "SigIgn:";
  private static final int MASK = 1 << 1;

  private InterruptSignal() {}

  /** Returns whether this process was started with it ignored, where the system tells. */
  static boolean isIgnored() {
    try {
      return Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1).stream()
          .filter(line -> line.startsWith(IGNORED))
          .map(line -> line.substring(IGNORED.length()).strip())
          .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) & MASK) != 0);
    } catch (IOException | NumberFormatException e) {
      return false;
    }
  }
}

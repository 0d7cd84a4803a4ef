package io.ntrail.formats.dump.streams;

import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.Optional;

/**
 * Assertion that failed in the C runtime (MDRawAssertionInfo of Breakpad).
 *
 * @param expression text of the condition; empty if unknown
 * @param function in which it is; empty if unknown
 * @param file path of the source; empty if unknown
 * @param line of the source; 0 if unknown
 * @param type 1 invalid parameter, 2 pure virtual call
 */
public record AssertionInfo(String expression, String function, String file, long line, long type) {
  private static final int TEXT = 256;

  /** Returns what a dump has. */
  public static Optional<AssertionInfo> of(Minidump dump) {
    return dump.read(
        StreamType.ASSERTION_INFO,
        Optional.empty(),
        bytes -> {
          return Optional.of(
              new AssertionInfo(
                  bytes.utf16z(0, TEXT),
                  bytes.utf16z(TEXT, 2 * TEXT),
                  bytes.utf16z(2 * TEXT, 3 * TEXT),
                  bytes.u32(3 * TEXT),
                  bytes.u32(3 * TEXT + 4)));
        });
  }
}

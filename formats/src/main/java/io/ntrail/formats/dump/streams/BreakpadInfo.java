package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Threads of Breakpad (MDRawBreakpadInfo).
 *
 * @param dumpThread id of the thread that wrote the dump: it is not part of the crash
 * @param requestingThread id of the thread that asked for it
 */
public record BreakpadInfo(OptionalLong dumpThread, OptionalLong requestingThread) {
  /** Returns what a dump has. */
  public static Optional<BreakpadInfo> of(Minidump dump) {
    return dump.read(
        StreamType.BREAKPAD_INFO,
        Optional.empty(),
        bytes -> {
          int validity = bytes.i32(0);
          return Optional.of(
              new BreakpadInfo(
                  number(bytes, 4, (validity & 1) != 0), number(bytes, 8, (validity & 2) != 0)));
        });
  }

  private static OptionalLong number(Bytes bytes, int at, boolean isThere) {
    return isThere ? OptionalLong.of(bytes.u32(at)) : OptionalLong.empty();
  }
}

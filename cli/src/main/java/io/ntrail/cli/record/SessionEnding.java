package io.ntrail.cli.record;

import io.ntrail.cli.text.Numbers;
import io.ntrail.live.etw.SessionMode;
import io.ntrail.live.etw.SessionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reason why a session ended that nobody here stopped, as far as its file and its disk tell.
 *
 * <p>Windows ends a session when its file cannot be written, and when a file that does not begin
 * anew is full (StartTrace, as documented): it counts the buffer as lost, completes the file, and
 * tells why in its event log, and to whoever has it flushed in that moment.
 */
final class SessionEnding {
  private static final int MEBIBYTE_SHIFT = 20;

  /** Room that counts as none: a session's largest buffer. */
  private static final long NO_ROOM = 16L << MEBIBYTE_SHIFT;

  private static final String LOG =
      "Windows keeps errors of sessions in its event log"
          + " Microsoft-Windows-Kernel-EventTracing/Admin";

  private SessionEnding() {}

  /**
   * Returns the reason.
   *
   * @param last state that was seen; empty: none
   */
  static String of(Optional<SessionState> last, RecordMachine machine) {
    if (last.isEmpty() || last.get().file().isEmpty()) {
      return "it was stopped, or failed; " + LOG;
    }
    SessionState state = last.get();
    Path file = machine.files().apply(state.file());
    return told(
        (state.mode() & SessionMode.SEQUENTIAL) == 0 ? 0 : state.mebibytes(),
        state.kibibytes(),
        size(file),
        free(file));
  }

  /** Returns the reason, where only the file is known. */
  static String of(Path file) {
    return told(0, 0, size(file), free(file));
  }

  /**
   * Returns the reason.
   *
   * @param most mebibytes at which the file ends; 0: it does not
   * @param buffer kibibytes of a buffer
   * @param bytes of the file
   * @param free bytes of its disk; negative: unknown
   */
  static String told(int most, int buffer, long bytes, long free) {
    if (most > 0 && bytes + ((long) buffer << 10) > (long) most << MEBIBYTE_SHIFT) {
      return "its file is full (%s)".formatted(Numbers.bytes((long) most << MEBIBYTE_SHIFT));
    }
    return free >= 0 && free < NO_ROOM
        ? "its disk is full (%s free); %s".formatted(Numbers.bytes(free), LOG)
        : "it was stopped, or failed; " + LOG;
  }

  /** Returns the reason, where Windows itself told what is full. */
  static String full(boolean isDisk) {
    return (isDisk ? "its disk is full; " : "its file is full; ") + LOG;
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  private static long free(Path file) {
    try {
      return Files.getFileStore(file).getUsableSpace();
    } catch (IOException e) {
      return -1;
    }
  }
}

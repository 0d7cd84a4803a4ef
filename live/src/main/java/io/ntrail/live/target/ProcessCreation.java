package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.live.windows.WindowsApi;

/**
 * A process that was created suspended.
 *
 * @param process handle of the agent
 * @param thread handle of the agent for the main thread
 */
record ProcessCreation(long process, long thread, int pid, int tid) {
  private static final String FUNCTION = "kernel32!CreateProcessW";
  private static final int MAX_CHARS = 32_767;
  private static final int SUSPENDED = 4;
  private static final int STARTUP = 104;
  private static final int USE_HANDLES = 0x100;
  private static final int INTERNAL_ERROR = 1359;
  private static final int TRIES = 200;

  /** Places in the scratch memory, behind the longest command line. */
  private static final int NAME = 0x1_2000;

  private static final int PATH = 0x2_4000;

  /** Answers of GetBinaryType: SCS_32BIT_BINARY and SCS_64BIT_BINARY. */
  private static final int KIND_32_BIT = 0;

  private static final int KIND_64_BIT = 6;

  /** Checks that a command line is not too long. */
  static void check(String commandLine) {
    if (commandLine.length() > MAX_CHARS - 1) {
      throw new CannotGoOn("the command line has more than 32,766 characters", "");
    }
  }

  /** Creates a process. */
  static ProcessCreation of(WindowsApi calls, String commandLine, StandardHandles streams) {
    long line = calls.put(WindowsApi.PAGE, new BytesBuilder(256).utf16z(commandLine));
    BytesBuilder startup = new BytesBuilder(STARTUP + 24).zeros(STARTUP + 24);
    startup.setU32(0, STARTUP).setU32(60, USE_HANDLES);
    startup.setU64(80, streams.input()).setU64(88, streams.output());
    startup.setU64(96, streams.errors());
    create(calls, commandLine, line, calls.put(0, startup));
    Bytes made = calls.get(STARTUP, 24);
    return new ProcessCreation(made.i64(0), made.i64(8), (int) made.u32(16), (int) made.u32(20));
  }

  /**
   * Refuses a 32-bit program: a Wine without 32-bit libraries says of it what it also says when it
   * is busy.
   */
  private static void mustBe64Bit(WindowsApi calls, String program) {
    long name = calls.put(NAME, new BytesBuilder(256).utf16z(program));
    long suffix = calls.put(0, new BytesBuilder(16).utf16z(".exe"));
    long path = calls.scratch(PATH);
    if (!calls.call("kernel32!SearchPathW", 0, name, suffix, MAX_CHARS, path, 0).isTrue()) {
      return;
    }
    long kind = calls.put(0, new BytesBuilder(4).u32(KIND_64_BIT));
    if (calls.call("kernel32!GetBinaryTypeW", path, kind).isTrue()
        && calls.get(0, 4).u32(0) == KIND_32_BIT) {
      throw Architectures.unsupported(program, MachineType.I386);
    }
  }

  /** Retries an internal error of Wine, which is gone a moment later. */
  private static void create(WindowsApi calls, String commandLine, long line, long info) {
    int error = 0;
    for (int i = 0; i < TRIES; i++) {
      CallOutcome made =
          calls.call(FUNCTION, 0, line, 0, 0, 1, SUSPENDED, 0, 0, info, info + STARTUP);
      if (made.isTrue()) {
        return;
      }
      error = made.error();
      if (error != INTERNAL_ERROR) {
        break;
      }
      if (i == 0) {
        mustBe64Bit(calls, CommandLine.program(commandLine));
        calls.put(WindowsApi.PAGE, new BytesBuilder(256).utf16z(commandLine));
      }
      TargetProcess.pause();
    }
    throw WindowsApi.failed(commandLine + " could not be started", FUNCTION, error);
  }
}

package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.agent.SystemLayout;
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
  private static final int USE_HANDLES = 0x100;

  /** Bytes of PROCESS_INFORMATION at most. */
  private static final int CREATED = 24;

  private static final int INTERNAL_ERROR = 1359;
  private static final int TRIES = 200;

  /** Checks that a command line is not too long. */
  static void check(String commandLine) {
    if (commandLine.length() > MAX_CHARS - 1) {
      throw new CannotGoOn("the command line has more than 32,766 characters", "");
    }
  }

  /** Creates a process. */
  static ProcessCreation of(WindowsApi calls, String commandLine, StandardHandles streams) {
    long line = calls.put(WindowsApi.PAGE, new BytesBuilder(256).utf16z(commandLine));
    SystemLayout layout = calls.layout();
    int startup = layout.startupBytes();
    int pointer = layout.pointerBytes();
    byte[] handles = layout.array(streams.input(), streams.output(), streams.errors());
    BytesBuilder structure = new BytesBuilder(startup + CREATED).zeros(startup - handles.length);
    structure.setU32(0, startup).setU32(layout.startupFlags(), USE_HANDLES);
    create(calls, commandLine, line, calls.put(0, structure.bytes(handles).zeros(CREATED)));
    Bytes made = calls.get(startup, CREATED);
    return new ProcessCreation(
        layout.pointer(made, 0),
        layout.pointer(made, pointer),
        (int) made.u32(2 * pointer),
        (int) made.u32(2 * pointer + 4));
  }

  /** Retries an internal error of Wine, which is gone a moment later. */
  private static void create(WindowsApi calls, String commandLine, long line, long info) {
    int startup = calls.layout().startupBytes();
    int error = 0;
    for (int i = 0; i < TRIES; i++) {
      CallOutcome made =
          calls.call(FUNCTION, 0, line, 0, 0, 1, SUSPENDED, 0, 0, info, info + startup);
      if (made.isTrue()) {
        return;
      }
      error = made.error();
      if (error != INTERNAL_ERROR) {
        break;
      }
      TargetProcess.pause();
    }
    throw WindowsApi.failed(commandLine + " could not be started", FUNCTION, error);
  }
}

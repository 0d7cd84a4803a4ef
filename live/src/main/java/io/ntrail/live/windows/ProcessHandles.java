package io.ntrail.live.windows;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.CallOutcome;

/** Handles of processes and threads that exist already, with all rights. */
public final class ProcessHandles {
  private static final int ALL_RIGHTS = 0x1F_FFFF;
  private static final int ACCESS_DENIED = 5;
  private static final int DEBUG_PRIVILEGE = 20;
  private static final String OPEN = "kernel32!OpenProcess";

  private ProcessHandles() {}

  private static CallOutcome tried(WindowsApi calls, String function, int id) {
    return calls.call(function, ALL_RIGHTS, 0, id);
  }

  /**
   * Opens a process, also one that only an administrator may open.
   *
   * @param what its name for messages
   * @throws CannotGoOn if it is not there, or if this user may not open it
   */
  public static long process(WindowsApi calls, String what, int pid) {
    CallOutcome opened = tried(calls, OPEN, pid);
    if (opened.result() == 0 && opened.error() == ACCESS_DENIED) {
      // Administrators may open what others started, services too, but have to request it.
      calls.call("ntdll!RtlAdjustPrivilege", DEBUG_PRIVILEGE, 1, 0, calls.scratch(0));
      opened = tried(calls, OPEN, pid);
    }
    if (opened.result() == 0) {
      throw opened.error() == ACCESS_DENIED
          ? CannotGoOn.impossible(
              what + " cannot be opened: access denied",
              "run ntrail as the user of that program, or as administrator; protected processes"
                  + " cannot be traced")
          : WindowsApi.failed(what + " could not be opened", OPEN, opened.error());
    }
    return opened.result();
  }

  /**
   * Opens a process of this user.
   *
   * @throws CannotGoOn if that fails
   */
  public static long process(WindowsApi calls, int pid) {
    return opened(calls, OPEN, pid);
  }

  /**
   * Opens a thread of this user.
   *
   * @throws CannotGoOn if that fails
   */
  public static long thread(WindowsApi calls, int tid) {
    return opened(calls, "kernel32!OpenThread", tid);
  }

  private static long opened(WindowsApi calls, String function, int id) {
    CallOutcome opened = tried(calls, function, id);
    if (opened.result() == 0) {
      throw WindowsApi.failed("it could not be opened", function, opened.error());
    }
    return opened.result();
  }

  /** Opens a process; returns 0 if that fails. */
  public static long find(WindowsApi calls, int pid) {
    return tried(calls, OPEN, pid).result();
  }
}

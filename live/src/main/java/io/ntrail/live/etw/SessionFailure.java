package io.ntrail.live.etw;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.schema.StatusCodes;

/**
 * Win32 error of a call that controls sessions, in words.
 *
 * @param call function that failed, as in {@code StartTrace}
 * @param code Win32 error
 */
public record SessionFailure(String call, int code) {
  /** The session does not exist. */
  public static final int NOT_FOUND = 4201;

  /** A session of this name exists. */
  public static final int EXISTS = 183;

  /** Providers have not answered in time. */
  public static final int TIMEOUT = 1460;

  /** There is no room for the file. */
  static final int DISK_FULL = 112;

  /** ERROR_LOG_FILE_FULL: the file has the size at which it ends. */
  static final int FILE_FULL = 1502;

  /** ERROR_ACTIVE_CONNECTIONS of a stop: somebody else stops it. */
  private static final int ENDING = 2402;

  private static final String START = "StartTrace";
  private static final String ENABLE = "EnableTraceEx2";

  /** Call of a consumer, who may be one of the group Performance Log Users. */
  private static final String OPEN = "OpenTrace";

  /** Returns the refusal with an error. */
  static CannotGoOn of(String call, int error) {
    SessionFailure failure = new SessionFailure(call, error);
    return failure.isOfRights()
        ? CannotGoOn.impossible(failure.message(), failure.nextStep())
        : new CannotGoOn(failure.message(), failure.nextStep());
  }

  /**
   * Refuses to go on after an error.
   *
   * @throws CannotGoOn unless it is 0
   */
  static void check(String call, int error) {
    if (error != 0) {
      throw of(call, error);
    }
  }

  /** Returns what the error means here, with its number and name. */
  public String message() {
    String name = new StatusCodes().win32(code);
    return "%s (%s: %d%s)".formatted(meaning(), call, code, name == null ? "" : ", " + name);
  }

  private String meaning() {
    return switch (code) {
      case 2, 3 -> "the folder of the recording does not exist";
      case 5 ->
          call.equals(OPEN)
              ? "events of running sessions need administrator rights"
              : "sessions of the kernel need administrator rights";
      case 8 -> "Windows has no memory for the buffers of the session";
      case 24 -> "this Windows does not know the form of the request";
      case 32 -> "another program has the file of the recording open";
      case 50 -> "this machine, or this version of Windows, does not have what is asked for";
      case 87 -> "Windows refuses the values of the session";
      case DISK_FULL ->
          isStart()
              ? "the disk of the recording is full: --max-size has to be free, and on the disk of"
                  + " Windows 200 MB more"
              : "the disk of the recording is full";
      case FILE_FULL -> "the file of the recording is full";
      case 122, 234 -> "the answer of Windows is longer than expected";
      case 170 -> "another session or program has what is asked for";
      case 161 ->
          "the path of the recording is not one that Windows takes, or another session writes it";
      case EXISTS -> "a session of this name runs already";
      case 1300, 1313, 1314 ->
          "the user lacks the privilege "
              + SessionControl.PROFILE_PRIVILEGE
              + " (\"Profile system performance\")";
      case 1450 -> noResources();
      case ENDING -> "the session is being stopped already";
      case NOT_FOUND ->
          "no session of this name runs: it was stopped, or has ended by itself, as when its disk"
              + " or its file is full";
      default -> "Windows refuses";
    };
  }

  private boolean isStart() {
    return call.equals(START);
  }

  private String noResources() {
    return switch (call) {
      case START -> "all sessions that Windows can have are taken (64; 8 of the kernel)";
      case ENABLE -> "the provider is enabled in as many sessions as Windows allows";
      default -> "Windows has nothing left for this: another session may have taken it";
    };
  }

  /** Returns whether the user may not do it, whatever is asked. */
  public boolean isOfRights() {
    return code == 5 || code == 1300 || code == 1313 || code == 1314;
  }

  /** Returns what helps; a code that is not known has nothing but its number to go by. */
  public String nextStep() {
    return switch (code) {
      case 2, 3 -> "a folder that exists, as in -o C:\\rec\\shop.etl";
      case 5 ->
          "open a terminal with \"Run as administrator\" and try again; for providers alone the"
              + " group Performance Log Users is enough";
      case 8 -> "fewer or smaller buffers: --max-size of a flight recorder";
      case 24, 87 ->
          "fewer options: --kernel cpu alone; ntrail doctor tells the version of Windows";
      case 32 -> "another name, or stop the session that writes the file: ntrail record list";
      case 50 -> "without --sample, --counters and --branches: virtual machines have none";
      case DISK_FULL ->
          isStart() ? "a file on another disk, or a smaller --max-size" : "a file on another disk";
      case FILE_FULL -> "a larger --max-size; ntrail record stop -o NAME.etl merges what there is";
      case 122, 234 -> "ntrail record list";
      case 161 ->
          "another name, as in -o C:\\rec\\shop.etl; ntrail record list has the files of sessions";
      case EXISTS -> "ntrail record list; then stop that session, or --take-over";
      case 1300, 1313, 1314 ->
          "open a terminal with \"Run as administrator\", or have the user given"
              + " that right in secpol.msc";
      case 170, 1450, ENDING, NOT_FOUND -> "ntrail record list";
      default -> "";
    };
  }
}

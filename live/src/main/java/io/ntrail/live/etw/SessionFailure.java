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
      case 5 -> "sessions of the kernel need administrator rights";
      case 8 -> "Windows has no memory for the buffers of the session";
      case 24 -> "this Windows does not know the form of the request";
      case 32 -> "another program has the file of the recording open";
      case 87 -> "Windows refuses the values of the session";
      case 112 -> "the disk of the recording is full";
      case 122, 234 -> "the answer of Windows is longer than expected";
      case 161 -> "the path of the recording is not one that Windows takes";
      case EXISTS -> "a session of this name runs already";
      case 1300, 1313, 1314 ->
          "the user lacks the privilege "
              + SessionControl.PROFILE_PRIVILEGE
              + " (\"Profile system performance\")";
      case 1450 -> "all sessions that Windows can have are taken (64; 8 of the kernel)";
      case NOT_FOUND -> "no session of this name runs";
      default -> "Windows refuses";
    };
  }

  /** Returns whether the user may not do it, whatever is asked. */
  public boolean isOfRights() {
    return code == 5 || code == 1300 || code == 1313 || code == 1314;
  }

  /** Returns what helps; empty if nothing is known to. */
  public String nextStep() {
    return switch (code) {
      case 2, 3, 161 -> "a folder that exists, as in -o C:\\rec\\shop.etl";
      case 5 -> "open a terminal with \"Run as administrator\" and try again";
      case 8 -> "fewer or smaller buffers";
      case 32 -> "another name, or stop the session that writes the file: ntrail record list";
      case 112 -> "a file on another disk";
      case EXISTS -> "ntrail record list; then stop that session, or --take-over";
      case 1300, 1313, 1314 ->
          "open a terminal with \"Run as administrator\", or have the user given"
              + " that right in secpol.msc";
      case 1450, NOT_FOUND -> "ntrail record list";
      default -> "";
    };
  }
}

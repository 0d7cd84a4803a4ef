package io.ntrail.formats.schema;

import io.ntrail.formats.identity.NameTable;
import org.jspecify.annotations.Nullable;

/**
 * Names of well-known codes: NTSTATUS values, Win32 errors, HRESULTs, and the security identifiers
 * that are the same on every machine.
 *
 * <p>The names are the symbols of the Windows headers, as [MS-ERREF] and [MS-DTYP] list them; where
 * a number has several, the one that is most often meant. They are resources beside this class,
 * each read at the first question about it. May be used by several threads.
 */
public final class StatusCodes {
  /** FACILITY_NT_BIT: what HRESULT_FROM_NT sets in an NTSTATUS. */
  private static final int NT_BIT = 0x1000_0000;

  /** High bits of an error made by HRESULT_FROM_WIN32: failure, FACILITY_WIN32. */
  private static final int WIN32_HRESULT = 0x8007_0000;

  /** High bits of an error made by NTSTATUS_FROM_WIN32: severity error, FACILITY_NTWIN32. */
  private static final int WIN32_STATUS = 0xC007_0000;

  private static final String WINDOW_MANAGER = "S-1-5-90-0-";
  private static final String FONT_DRIVER = "S-1-5-96-0-";

  private final NameTable<Integer> statuses = numbers("ntstatus.tsv");
  private final NameTable<Integer> errors = numbers("win32.tsv");
  private final NameTable<Integer> results = numbers("hresult.tsv");
  private final NameTable<String> sids =
      new NameTable<>(StatusCodes.class, "sids.tsv", sid -> sid, String::compareTo);

  /** Creates tables that are read on first use. */
  public StatusCodes() {}

  /**
   * The name of an NTSTATUS; that of the Win32 error if it is one in a status.
   *
   * @return {@code STATUS_ACCESS_DENIED}; null if it is not known
   */
  public @Nullable String ntStatus(int code) {
    String name = statuses.name(code);
    return name == null && (code & 0xFFFF_0000) == WIN32_STATUS ? win32(code & 0xFFFF) : name;
  }

  /**
   * The name of a Win32 error, as GetLastError has them.
   *
   * @return {@code ERROR_ACCESS_DENIED}; null if it is not known
   */
  public @Nullable String win32(int code) {
    return errors.name(code);
  }

  /**
   * The name of an HRESULT; that of the Win32 error or NTSTATUS if it is one in an HRESULT.
   *
   * @return {@code E_FAIL}, {@code ERROR_FILE_NOT_FOUND}; null if it is not known
   */
  public @Nullable String hresult(int code) {
    String name = results.name(code);
    if (name != null) {
      return name;
    }
    if ((code & 0xFFFF_0000) == WIN32_HRESULT) {
      return win32(code & 0xFFFF);
    }
    return (code & NT_BIT) != 0 ? ntStatus(code & ~NT_BIT) : null;
  }

  /**
   * The English name of an account or group whose SID does not depend on the machine or domain;
   * without the authority before it.
   *
   * @param sid as {@code S-1-5-18}
   * @return {@code SYSTEM}; null if it is not one of them
   */
  public @Nullable String wellKnownSid(String sid) {
    String name = sids.name(sid);
    if (name != null) {
      return name;
    }
    // the accounts that Windows makes for each session end in the session's number
    if (sid.startsWith(WINDOW_MANAGER)) {
      return ofSession("DWM-", sid.substring(WINDOW_MANAGER.length()));
    }
    return sid.startsWith(FONT_DRIVER)
        ? ofSession("UMFD-", sid.substring(FONT_DRIVER.length()))
        : null;
  }

  private static @Nullable String ofSession(String account, String session) {
    for (int i = 0; i < session.length(); i++) {
      if (session.charAt(i) < '0' || session.charAt(i) > '9') {
        return null;
      }
    }
    return session.isEmpty() ? null : account + session;
  }

  private static NameTable<Integer> numbers(String resource) {
    return new NameTable<>(
        StatusCodes.class, resource, StatusCodes::number, Integer::compareUnsigned);
  }

  private static Integer number(String text) {
    return Long.decode(text).intValue();
  }
}

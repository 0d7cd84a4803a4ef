package io.ntrail.formats.schema;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
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

  private final Table<Integer> statuses = new Table<>("ntstatus.tsv", StatusCodes::number);
  private final Table<Integer> errors = new Table<>("win32.tsv", StatusCodes::number);
  private final Table<Integer> results = new Table<>("hresult.tsv", StatusCodes::number);
  private final Table<String> sids = new Table<>("sids.tsv", sid -> sid);

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

  private static Integer number(String text) {
    return Long.decode(text).intValue();
  }

  /** A resource of keys and names, read when it is first asked. */
  private static final class Table<K> {
    private final String resource;
    private final Function<String, K> key;
    private volatile @Nullable Map<K, String> names;

    Table(String resource, Function<String, K> key) {
      this.resource = resource;
      this.key = key;
    }

    @Nullable String name(K code) {
      Map<K, String> known = names;
      if (known == null) {
        // threads that ask at the same time may each read it: they get the same
        known = read();
        names = known;
      }
      return known.get(code);
    }

    private Map<K, String> read() {
      Map<K, String> read = new HashMap<>();
      try (InputStream in = StatusCodes.class.getResourceAsStream(resource)) {
        if (in == null) {
          throw new IllegalStateException("missing resource " + resource);
        }
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        String line;
        while ((line = lines.readLine()) != null) {
          if (!line.startsWith("#")) {
            int tab = line.indexOf('\t');
            read.put(key.apply(line.substring(0, tab)), line.substring(tab + 1));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return read;
    }
  }
}

package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import java.nio.charset.StandardCharsets;

/**
 * Version of the system that a program runs on.
 *
 * @param servicePack text; empty if there is none
 * @param suite bits of VER_SUITE_
 * @param productType 1 workstation, 2 domain controller, 3 server
 * @param wine version of the Wine that plays this Windows; empty if it is one
 */
public record WindowsVersion(
    int major, int minor, int build, String servicePack, int suite, int productType, String wine) {
  /** Bytes of RTL_OSVERSIONINFOEXW. */
  private static final int BYTES = 284;

  private static final int PACK = 20;
  private static final int SUITE = 280;
  private static final int MOST_WINE = 64;
  private static final String WINE = "ntdll!wine_get_version";

  /** Returns whether the system is Wine. */
  public static boolean isWine(WindowsApi calls) {
    return calls.find(WINE) != 0;
  }

  /** Asks the system. */
  public static WindowsVersion of(WindowsApi calls) {
    long at = calls.put(0, new BytesBuilder(BYTES).u32(BYTES).zeros(BYTES - 4));
    calls.call("ntdll!RtlGetVersion", at);
    Bytes version = calls.get(0, BYTES);
    return new WindowsVersion(
        (int) version.u32(4),
        (int) version.u32(8),
        (int) version.u32(12),
        version.utf16z(PACK, PACK + 2 * 128),
        version.u16(SUITE),
        version.u8(SUITE + 2),
        isWine(calls) ? text(calls, calls.call(WINE).result()) : "");
  }

  /** Reads a text of the agent up to its NUL, byte by byte: what lies behind it is not known. */
  private static String text(WindowsApi calls, long address) {
    BytesBuilder text = new BytesBuilder(MOST_WINE);
    int letter = -1;
    while (letter != 0 && text.size() < MOST_WINE) {
      letter = calls.agent().peek(address + text.size(), 1).u8(0);
      if (letter != 0) {
        text.u8(letter);
      }
    }
    return new String(text.toArray(), StandardCharsets.US_ASCII);
  }
}

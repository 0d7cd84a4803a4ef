package io.ntrail.live.patch;

import io.ntrail.formats.bytes.Bytes;
import java.util.HexFormat;
import java.util.List;

/**
 * Code of a system call in a 32-bit ntdll as Windows and Wine have it: it loads the number of the
 * call, enters the system in the way of all calls, and returns. Whatever hooks it would run code of
 * its own there.
 */
final class PlainSystemCall32 {
  private static final int LOAD_NUMBER = 0xB8;
  private static final int NUMBER_BYTES = 5;
  private static final int RETURN = 0xC2;
  private static final int RETURN_BYTES = 3;

  /** {@code mov edx, address}, followed by {@code call edx}: the address is that of all calls. */
  private static final int LOAD_ADDRESS = 0xBA;

  private static final int CALL_EDX = 0xD2FF;

  /** Ways to enter the system without an address that has to be compared. */
  private static final List<byte[]> WAYS =
      List.of(
          // mov edx, SharedUserData!SystemCallStub; call [edx]: Windows XP to 7.
          hex("ba0003fe7fff12"),
          // call to what follows the return: mov edx, esp; sysenter: Windows 8 and later.
          hex("e803000000"),
          // xor ecx, ecx; lea edx, [esp + 4]; call fs:[C0h]; add esp, 4: WOW64 of Windows 7.
          hex("33c98d54240464ff15c000000083c404"),
          // call fs:[C0h]: WOW64 of Windows 8.
          hex("64ff15c0000000"));

  /** Code behind the return where the system is entered by a call to it. */
  private static final byte[] ENTER = hex("8bd40f34c3");

  private PlainSystemCall32() {}

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  /**
   * Returns true if code does nothing but a system call.
   *
   * @param parameters bytes that it removes
   * @param other code of another system call, which enters the system at the same address
   */
  static boolean is(Bytes code, int parameters, Bytes other) {
    if (!has(code, NUMBER_BYTES) || code.u8(0) != LOAD_NUMBER) {
      return false;
    }
    if (has(code, NUMBER_BYTES + 7)
        && code.u8(NUMBER_BYTES) == LOAD_ADDRESS
        && code.u16(NUMBER_BYTES + 5) == CALL_EDX) {
      return has(other, NUMBER_BYTES + 7)
          && other.u8(0) == LOAD_NUMBER
          && isAt(other, NUMBER_BYTES, code.array(NUMBER_BYTES, 7))
          && returns(code, NUMBER_BYTES + 7, parameters);
    }
    for (byte[] way : WAYS) {
      if (isAt(code, NUMBER_BYTES, way)) {
        int end = NUMBER_BYTES + way.length;
        return returns(code, end, parameters)
            && (way[0] != (byte) 0xE8 || isAt(code, end + RETURN_BYTES, ENTER));
      }
    }
    return false;
  }

  private static boolean has(Bytes code, int length) {
    return code.length() >= length;
  }

  private static boolean returns(Bytes code, int at, int parameters) {
    return has(code, at + RETURN_BYTES) && code.u8(at) == RETURN && code.u16(at + 1) == parameters;
  }

  private static boolean isAt(Bytes code, int at, byte[] expected) {
    if (!has(code, at + expected.length)) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if (code.u8(at + i) != (expected[i] & 0xFF)) {
        return false;
      }
    }
    return true;
  }
}

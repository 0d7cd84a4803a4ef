package io.ntrail.programs.kernelcode;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;

/** The bytes of sites: those of the file are recognized, those of the kernel written. */
final class SiteCode {
  private static final int CALL = 0xE8;
  private static final int JUMP = 0xE9;
  private static final int INT3 = 0xCC;
  private static final int NOP = 0x90;
  private static final int BRANCH = 5;
  private static final int SLOT_LOAD = 7;
  private static final int REX_W = 0x48;
  private static final int REX_B = 0x41;
  private static final int GROUP = 0xFF;
  private static final int LONGEST_NOP = 5;
  private static final byte[][] NOPS = {
    {}, {}, {}, {0x0F, 0x1F, 0x00}, {}, {0x0F, 0x1F, 0x44, 0x00, 0x00}
  };

  private SiteCode() {}

  /**
   * Returns whether the bytes are those of a form in a file.
   *
   * @param code exactly as long as the form
   * @param register of a switch
   */
  static boolean isAsInFile(SiteForm form, int register, Bytes code) {
    return switch (form) {
      case IMPORT_CALL, IMPORT_JUMP ->
          isAt(code, 0, REX_W, GROUP, form.isCall() ? 0x15 : 0x25)
              && isFill(code, SLOT_LOAD, form.isCall());
      case CHECKED_CALL, CHECKED_JUMP -> isAt(code, 0, GROUP, form.isCall() ? 0x15 : 0x25);
      case CHECKED_CALL_REX_W, CHECKED_JUMP_REX_W ->
          isAt(code, 0, REX_W, GROUP, form.isCall() ? 0x15 : 0x25);
      case POINTER_CALL, POINTER_JUMP ->
          isAt(code, 0, GROUP, form.isCall() ? 0xD0 : 0xE0) && isFill(code, 2, form.isCall());
      case SWITCH_JUMP ->
          register < 8
              ? isAt(code, 0, GROUP, 0xE0 + register) && isFill(code, 2, false)
              : isAt(code, 0, REX_B, GROUP, 0xE0 + register - 8) && isFill(code, 3, false);
    };
  }

  private static boolean isAt(Bytes code, int at, int... values) {
    for (int i = 0; i < values.length; i++) {
      if (code.u8(at + i) != values[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the rest is a no-op behind a call, or breakpoints behind a jump. */
  private static boolean isFill(Bytes code, int from, boolean call) {
    int length = code.length() - from;
    if (call) {
      return length <= LONGEST_NOP && Arrays.equals(code.array(from, length), NOPS[length]);
    }
    for (int at = from; at < code.length(); at++) {
      if (code.u8(at) != INT3) {
        return false;
      }
    }
    return true;
  }

  /** Returns the RVA of the slot that an instruction of a form with one uses. */
  static long slot(SiteForm form, long rva, Bytes code) {
    int end = form.isChecked() ? form.length() : SLOT_LOAD;
    return rva + end + code.i32(end - 4);
  }

  /** Returns the offset in the form of the byte past its branch, from which its target counts. */
  static int branchEnd(SiteForm form) {
    return switch (form) {
      case IMPORT_CALL, IMPORT_JUMP -> SLOT_LOAD + BRANCH;
      default -> BRANCH;
    };
  }

  /** Writes {@code mov r10, [slot]} of the same displacement. */
  private static void loadSlot(Bytes code, byte[] bytes) {
    code.copyTo(0, bytes, 0, SLOT_LOAD);
    bytes[0] = 0x4C;
    bytes[1] = (byte) 0x8B;
    bytes[2] = 0x15;
  }

  /**
   * Returns the bytes that the kernel writes for an import that it has called through r10.
   *
   * @param code in the file
   */
  static byte[] throughRegister(SiteForm form, Bytes code) {
    byte[] bytes = new byte[form.length()];
    loadSlot(code, bytes);
    // The prefix W does nothing here; the kernel writes it.
    bytes[SLOT_LOAD] = 0x4D;
    bytes[SLOT_LOAD + 1] = (byte) GROUP;
    bytes[SLOT_LOAD + 2] = (byte) (form.isCall() ? 0xD2 : 0xE2);
    Arrays.fill(bytes, SLOT_LOAD + 3, bytes.length, (byte) (form.isCall() ? NOP : INT3));
    return bytes;
  }

  /**
   * Returns the bytes that the kernel writes.
   *
   * @param code in the file
   * @param offset of the target from the end of the branch
   */
  static byte[] rewritten(SiteForm form, Bytes code, int offset) {
    byte[] bytes = new byte[form.length()];
    int branch = branchEnd(form) - BRANCH;
    if (branch > 0) {
      loadSlot(code, bytes);
    }
    // A switch is entered by a call, too, over the int3 behind it.
    boolean isCall = form.isCall() || form == SiteForm.SWITCH_JUMP;
    bytes[branch] = (byte) (isCall ? CALL : JUMP);
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes[branch + 1 + i] = (byte) (offset >> 8 * i);
    }
    Arrays.fill(bytes, branch + BRANCH, bytes.length, (byte) (form.isCall() ? NOP : INT3));
    return bytes;
  }
}

package io.ntrail.programs.kernelcode;

import io.ntrail.testkit.LittleEndian;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A site and its bytes, written from the published table of what the kernel of Windows 10 does,
 * apart from the reader and the writer that it is a yardstick for.
 *
 * @param symbol 3, 4 or 5
 * @param rva its first byte
 * @param call the bit of the record
 * @param rexW the bit of a record of symbol 4
 * @param checked the bit of a record of symbol 4
 * @param number index of an import, or register of a switch
 */
record ExpectedSite(int symbol, long rva, boolean call, boolean rexW, boolean checked, int number) {
  /** Offsets of thunks in the page behind the image. */
  private static final int SWITCH_THUNK = 0xA0;

  private static final int CHECKED_THUNK = 0x2A0;
  private static final int POINTER_THUNK = 0x2E0;
  private static final int IMPORT_THUNK = 0x420;

  static ExpectedSite ofImport(long page, long record) {
    return new ExpectedSite(
        3, page + (record & 0xFFF), (record & 0x1000) != 0, false, false, (int) (record >>> 13));
  }

  static ExpectedSite ofPointer(long page, int record) {
    return new ExpectedSite(
        4,
        page + (record & 0xFFF),
        (record & 0x1000) != 0,
        (record & 0x2000) != 0,
        (record & 0x4000) != 0,
        0);
  }

  static ExpectedSite ofSwitch(long page, int record) {
    return new ExpectedSite(5, page + (record & 0xFFF), false, false, false, record >>> 12);
  }

  /** The line of the published lists of sites. */
  String line() {
    return switch (symbol) {
      case 3 -> "%08x I %s %05x".formatted(rva, call ? "call" : "jmp", number);
      case 4 ->
          "%08x C %s rexw%d cfg%d"
              .formatted(rva, call ? "call" : "jmp", rexW ? 1 : 0, checked ? 1 : 0);
      default -> "%08x S r%d".formatted(rva, number);
    };
  }

  int length() {
    return switch (symbol) {
      case 3 -> 12;
      case 4 -> checked ? rexW ? 7 : 6 : 5;
      default -> 6;
    };
  }

  /**
   * The bytes in the file.
   *
   * @param slot RVA of the slot of the import, or of the dispatcher of control flow guard
   */
  byte[] inFile(long slot) {
    String text =
        switch (symbol) {
          case 3 ->
              (call ? "48FF15" : "48FF25")
                  + hex(slot - (rva + 7))
                  + (call ? "0F1F440000" : "CCCCCCCCCC");
          case 4 -> {
            if (checked) {
              yield (rexW ? "48" : "") + (call ? "FF15" : "FF25") + hex(slot - (rva + length()));
            }
            yield call ? "FFD00F1F00" : "FFE0CCCCCC";
          }
          default -> number < 8 ? "FFE" + number + "CCCCCCCC" : "41FFE" + (number - 8) + "CCCCCC";
        };
    return HexFormat.of().parseHex(text);
  }

  /**
   * The bytes that the kernel writes; empty if it leaves those of the file.
   *
   * @param page RVA of the retpoline page
   * @param target the import counted from the base of the image; empty: its address is unknown
   */
  Optional<byte[]> rewritten(CodeVariant variant, long slot, long page, Optional<Long> target) {
    boolean thunks = variant == CodeVariant.RETPOLINE;
    if (variant == CodeVariant.FILE || symbol != 3 && !thunks) {
      return Optional.empty();
    }
    if (symbol == 3) {
      boolean near = target.isPresent() && isDirect(target.get());
      if (!near && variant == CodeVariant.IMPORT_REGISTER) {
        return bytes(
            "4C8B15" + hex(slot - (rva + 7)) + (call ? "4DFFD2" + "9090" : "4DFFE2" + "CCCC"));
      }
      if (!near && !thunks) {
        return Optional.empty();
      }
      long to = near ? target.get() : page + IMPORT_THUNK;
      return bytes("4C8B15" + hex(slot - (rva + 7)) + (call ? "E8" : "E9") + hex(to - (rva + 12)));
    }
    long to = page + thunk();
    if (symbol == 5) {
      return bytes("E8" + hex(to - (rva + 5)) + "CC");
    }
    String fill = (call ? "90" : "CC").repeat(length() - 5);
    return bytes((call ? "E8" : "E9") + hex(to - (rva + 5)) + (checked ? fill : ""));
  }

  /** Returns whether an import can be reached by a displacement of 32 bits. */
  boolean isDirect(long target) {
    return Math.abs(target - (rva + 12)) < 1L << 31;
  }

  /** The offset of its thunk in the page. */
  int thunk() {
    return switch (symbol) {
      case 3 -> IMPORT_THUNK;
      case 4 -> checked ? CHECKED_THUNK : POINTER_THUNK;
      default -> SWITCH_THUNK + 0x20 * number;
    };
  }

  private static Optional<byte[]> bytes(String hex) {
    return Optional.of(HexFormat.of().parseHex(hex));
  }

  private static String hex(long displacement) {
    byte[] bytes = new byte[4];
    LittleEndian.putU32(bytes, 0, displacement & 0xFFFF_FFFFL);
    return HexFormat.of().formatHex(bytes);
  }

  /** Returns whether memory has bytes at the site. */
  boolean isThere(byte[] memory, byte[] bytes) {
    return Arrays.equals(memory, (int) rva, (int) rva + bytes.length, bytes, 0, bytes.length);
  }
}

package io.ntrail.formats.pdb.codeview;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;

/**
 * A number of variable size in a record (a numeric leaf): a value below 8000h is its own leaf, else
 * the leaf is the type of the value that follows.
 *
 * @param value the low 64 bits; of floating-point numbers their bits
 * @param end offset of the bytes after it
 */
public record NumericLeaf(long value, int end) {
  private static final int FIRST_LEAF = 0x8000;

  /**
   * Reads one.
   *
   * @throws DamagedInput if the leaf is none of a number, or the bytes end
   */
  public static NumericLeaf read(Bytes bytes, int at) {
    int leaf = bytes.u16(at);
    int from = at + 2;
    if (leaf < FIRST_LEAF) {
      return new NumericLeaf(leaf, from);
    }
    return switch (leaf) {
      case 0x8000 -> new NumericLeaf((byte) bytes.u8(from), from + 1);
      case 0x8001 -> new NumericLeaf((short) bytes.u16(from), from + 2);
      case 0x8002 -> new NumericLeaf(bytes.u16(from), from + 2);
      case 0x8003 -> new NumericLeaf(bytes.i32(from), from + 4);
      case 0x8004, 0x8005 -> new NumericLeaf(bytes.u32(from), from + 4);
      case 0x8006, 0x8009, 0x800A, 0x801A -> new NumericLeaf(bytes.i64(from), from + 8);
      case 0x8007 -> new NumericLeaf(bytes.i64(from), from + 10);
      case 0x8008, 0x8017, 0x8018, 0x8019 -> new NumericLeaf(bytes.i64(from), from + 16);
      case 0x8010 -> new NumericLeaf(0, from + 2 + bytes.u16(from));
      default ->
          throw new DamagedInput(
              bytes.name(), bytes.base() + at, "%04Xh is not a numeric leaf".formatted(leaf));
    };
  }
}

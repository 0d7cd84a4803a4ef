package io.ntrail.formats.pt;

/**
 * Field of a packet: some bits of its bytes, read as a little-endian number, and shifted.
 *
 * @param name as docs/pt.md and the machine formats have it
 * @param kind how it is read and written
 * @param at byte of the packet where the number begins
 * @param bit lowest bit of the number that belongs to the field
 * @param width bits, 1 to 64
 * @param shift bits by which the value is shifted left
 */
public record PacketField(String name, Kind kind, int at, int bit, int width, int shift) {
  /** Ways to read and to write a field. */
  public enum Kind {
    /** Number, decimal. */
    NUMBER,
    /** Number, hexadecimal. */
    HEX,
    /** Address, compressed against the last one: {@link PacketCursor#ip}. */
    ADDRESS,
    /** Results of branches, the oldest first: {@code T} taken, {@code N} not taken. */
    BRANCHES,
    /** Cycles of a CYC, spread over its bytes; hexadecimal. */
    CYCLES,
    /** Bits of the code, 16, 32 or 64, from the two bits of MODE.Exec. */
    CODE_SIZE,
    /** Bytes of the operand of a PTW, 4 or 8. */
    OPERAND_SIZE,
    /** Value of a BIP, whose size its block tells; hexadecimal. */
    ITEM,
    /** Number that is there only if the packet is long enough. */
    OPTIONAL
  }

  static PacketField number(String name, int at, int bit, int width) {
    return new PacketField(name, Kind.NUMBER, at, bit, width, 0);
  }

  static PacketField hex(String name, int at, int bit, int width, int shift) {
    return new PacketField(name, Kind.HEX, at, bit, width, shift);
  }

  static PacketField special(String name, Kind kind) {
    return new PacketField(name, kind, 0, 0, 64, 0);
  }

  /** Returns true if the field is written in hexadecimal. */
  public boolean isHex() {
    return switch (kind) {
      case HEX, ADDRESS, CYCLES, ITEM -> true;
      default -> false;
    };
  }
}

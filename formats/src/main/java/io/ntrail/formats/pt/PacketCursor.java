package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketField.Kind;
import java.util.Set;

/**
 * Walks the packets of a stream as a flyweight: it is the packet it stands on.
 *
 * <p>It begins at the first PSB. Bytes that are not packets come as one packet of the type {@link
 * PacketType#ERROR} that reaches to the next PSB, or to the end; {@link #error} is the reason.
 * Zeros before the first PSB are the part of a ring that was never written: they are passed over.
 * Several PADs in a row come as one packet, see {@link #repeats}. Used by one thread.
 */
public final class PacketCursor {
  /** Bytes that are looked at through one window. */
  private static final int WINDOW = 1 << 26;

  /** Bytes of the longest packet, and of a look beyond it. */
  private static final int MARGIN = 32;

  private static final PacketType[] TYPES = PacketType.values();
  private static final byte[] FIRST = PacketType.table(PacketType.Opcode.FIRST);
  private static final byte[] SECOND = PacketType.table(PacketType.Opcode.SECOND);
  private static final byte[] LEAVES = PacketType.table(PacketType.Opcode.LEAF);
  private static final byte[] THIRD = PacketType.table(PacketType.Opcode.THIRD);

  private static final int EXTENDED = 0x02;
  private static final int MODE = 0x99;
  private static final int MORE_EXTENDED = 0xC3;

  /** Bytes of addresses by their size field; -1: reserved. */
  private static final byte[] IP_BYTES = {0, 2, 4, 6, 6, -1, 8, -1};

  /** Bytes of a CYC with more than 64 bits of cycles. */
  private static final int LONGEST_CYC = 10;

  private static final long PSB_WORD = 0x8202_8202_8202_8202L;

  private final InputFile input;
  private final long size;
  private final boolean cutsCyc;

  private Bytes window;
  private long windowBase;

  /** Place in the window up to which a packet may begin without a look at the next window. */
  private int limit;

  private int at;
  private int nextAt;
  private boolean synchronised;

  /** Ordinal of the type: a number is stored without a barrier of the collector. */
  private int kind;

  private PacketError error = PacketError.UNKNOWN_PACKET;
  private long errorOffset;
  private long errorLength;
  private long value;
  private long lastIp;
  private boolean hasIp;
  private int bits;
  private int block;
  private boolean inHeader;

  /**
   * A cursor before the first packet of a stream.
   *
   * @param errata of the processor that wrote it; empty if it is not known
   */
  public PacketCursor(InputFile input, Set<Erratum> errata) {
    this.input = input;
    this.size = input.size();
    this.cutsCyc = errata.contains(Erratum.SKD007);
    this.window = input.window(0, 0);
    move(0);
  }

  /** Puts the window so that a packet at an offset lies in it. */
  private void move(long offset) {
    int length = (int) Math.min(WINDOW, size - offset);
    window = input.window(offset, length);
    windowBase = offset;
    limit = offset + length == size ? length : length - MARGIN;
    at = 0;
    nextAt = 0;
  }

  /**
   * Goes to a PSB, so that {@link #next} gives it.
   *
   * @param offset one that {@link PsbSearch} found, or of a PSB that was walked over
   */
  public void seek(long offset) {
    move(offset);
    synchronised = true;
    lastIp = 0;
    block = 0;
    inHeader = false;
  }

  /** Goes to the next PSB at or after the end of this packet; returns false if there is none. */
  public boolean seekNextPsb() {
    return seekPsb(PsbSearch.next(input, end()));
  }

  /** Goes to the last PSB before this packet; returns false, and stays, if there is none. */
  public boolean seekPreviousPsb() {
    return seekPsb(PsbSearch.previous(input, offset()));
  }

  private boolean seekPsb(long psb) {
    if (psb >= 0) {
      seek(psb);
    }
    return psb >= 0;
  }

  /** Steps to the next packet; returns false at the end of the stream. */
  public boolean next() {
    if (nextAt >= limit && windowBase + nextAt < size) {
      move(windowBase + nextAt);
    }
    at = nextAt;
    if (!synchronised) {
      return synchronise();
    }
    if (at >= window.length()) {
      return false;
    }
    int first = window.u8(at);
    if (block != 0 && (first & 7) == 4) {
      return item();
    }
    if (first == EXTENDED) {
      return extended();
    }
    if (first == MODE) {
      return mode();
    }
    byte row = FIRST[first];
    if (row < 0) {
      return fail(PacketError.UNKNOWN_PACKET);
    }
    PacketType found = TYPES[row];
    return switch (found) {
      case PAD -> pads();
      case TNT8 -> {
        value = (long) first >>> 1;
        yield branches(found, 1, 30 - Integer.numberOfLeadingZeros(first));
      }
      case CYC -> cycles(first);
      case TSC -> {
        value = has(8) ? window.i64(at) >>> 8 : 0;
        yield whole(found, 8);
      }
      case MTC -> {
        value = has(2) ? window.u8(at + 1) : 0;
        yield whole(found, 2);
      }
      case TRIG -> has(3) ? whole(found, (window.u8(at + 1) & 0x40) != 0 ? 5 : 3) : early();
      default -> address(found, first >>> 5);
    };
  }

  private boolean early() {
    return fail(PacketError.ENDS_EARLY);
  }

  private boolean has(int bytes) {
    return window.length() - at >= bytes;
  }

  private boolean accept(PacketType found, int length) {
    kind = found.ordinal();
    nextAt = at + length;
    if (block != 0 && !found.keepsBlock()) {
      block = 0;
    }
    return true;
  }

  private boolean whole(PacketType found, int length) {
    return has(length) ? accept(found, length) : early();
  }

  private boolean pads() {
    int end = at + 1;
    int stop = window.length();
    while (end + Long.BYTES <= stop && window.i64(end) == 0) {
      end += Long.BYTES;
    }
    while (end < stop && window.u8(end) == 0) {
      end++;
    }
    return accept(PacketType.PAD, end - at);
  }

  private boolean branches(PacketType found, int length, int count) {
    bits = count;
    value &= (1L << count) - 1;
    return accept(found, length);
  }

  private boolean cycles(int first) {
    long cycles = (long) first >>> 3;
    int length = 1;
    if ((first & 4) != 0) {
      int shift = 5;
      int more = 1;
      while ((more & 1) != 0) {
        if (!has(length + 1)) {
          return early();
        }
        if (length == LONGEST_CYC) {
          return fail(PacketError.ENDLESS_CYC);
        }
        more = window.u8(at + length++);
        cycles |= shift < Long.SIZE ? (long) (more >>> 1) << shift : 0;
        shift += 7;
      }
    }
    value = cycles;
    // The overflow's first byte looks as if it belonged to the CYC that it cut.
    boolean isCut = cutsCyc && length == 2 && (cycles & ~0x1FL) == 0x20 && has(3);
    return accept(PacketType.CYC, isCut && window.u8(at + 2) == 0xF3 ? 1 : length);
  }

  private boolean address(PacketType found, int ipSize) {
    int bytes = IP_BYTES[ipSize];
    if (bytes < 0) {
      return fail(PacketError.RESERVED_IP_SIZE);
    }
    if (!has(1 + bytes)) {
      return early();
    }
    bits = ipSize;
    hasIp = ipSize != 0;
    switch (ipSize) {
      case 1 -> lastIp = lastIp & ~0xFFFFL | window.u16(at + 1);
      case 2 -> lastIp = lastIp & ~0xFFFF_FFFFL | window.u32(at + 1);
      case 3 -> lastIp = low48() << 16 >> 16;
      case 4 -> lastIp = lastIp & ~0xFFFF_FFFF_FFFFL | low48();
      case 6 -> lastIp = window.i64(at + 1);
      default -> {
        // Suppressed: the last one stays.
      }
    }
    value = lastIp;
    return accept(found, 1 + bytes);
  }

  private long low48() {
    return window.u32(at + 1) | (long) window.u16(at + 5) << 32;
  }

  private boolean item() {
    if (!has(1 + block)) {
      return early();
    }
    value = block == 4 ? window.u32(at + 1) : window.i64(at + 1);
    return accept(PacketType.BIP, 1 + block);
  }

  private boolean mode() {
    if (!has(2)) {
      return early();
    }
    value = window.u8(at + 1);
    byte row = LEAVES[(int) value];
    return row < 0 ? fail(PacketError.RESERVED_MODE) : accept(TYPES[row], 2);
  }

  private boolean extended() {
    if (!has(2)) {
      return early();
    }
    int second = window.u8(at + 1);
    byte row = SECOND[second];
    if (row < 0) {
      return second == MORE_EXTENDED ? third() : fail(PacketError.UNKNOWN_PACKET);
    }
    PacketType found = TYPES[row];
    int length = found == PacketType.PTW ? ptwLength(second) : found.length();
    if (length < 0) {
      return fail(PacketError.RESERVED_PTW_SIZE);
    }
    if (!has(length)) {
      return early();
    }
    return switch (found) {
      case PSB -> psb();
      case PSBEND -> {
        inHeader = false;
        yield accept(found, length);
      }
      case OVF -> {
        inHeader = false;
        lastIp = 0;
        yield accept(found, length);
      }
      case TNT64 -> longBranches();
      case TMA -> {
        boolean isReserved = window.u8(at + 4) != 0 || (window.u8(at + 6) & 0xFE) != 0;
        yield isReserved ? fail(PacketError.RESERVED_TMA) : accept(found, length);
      }
      case PTW -> {
        value = length == 6 ? window.u32(at + 2) : window.i64(at + 2);
        yield accept(found, length);
      }
      case BBP -> {
        accept(found, length);
        block = (window.u8(at + 2) & 0x80) != 0 ? 4 : 8;
        yield true;
      }
      default -> accept(found, length);
    };
  }

  private static int ptwLength(int second) {
    return switch (second >>> 5 & 3) {
      case 0 -> 6;
      case 1 -> 10;
      default -> -1;
    };
  }

  private boolean third() {
    if (!has(3)) {
      return early();
    }
    byte row = THIRD[window.u8(at + 2)];
    return row < 0 ? fail(PacketError.UNKNOWN_PACKET) : whole(TYPES[row], TYPES[row].length());
  }

  private boolean psb() {
    if (window.i64(at) != PSB_WORD || window.i64(at + Long.BYTES) != PSB_WORD) {
      return fail(PacketError.BROKEN_PSB);
    }
    lastIp = 0;
    inHeader = true;
    return accept(PacketType.PSB, PsbSearch.LENGTH);
  }

  private boolean longBranches() {
    value = window.i64(at) >>> 16;
    int count = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
    return count > 0 ? branches(PacketType.TNT64, 8, count) : fail(PacketError.NO_BRANCHES);
  }

  private boolean synchronise() {
    synchronised = true;
    long psb = PsbSearch.next(input, 0);
    long stop = psb < 0 ? size : psb;
    long zeros = 0;
    while (zeros < stop) {
      int length = (int) Math.min(WINDOW, stop - zeros);
      int here = input.window(zeros, length).leadingZeros();
      zeros += here;
      if (here < length) {
        break;
      }
    }
    if (zeros == stop) {
      move(stop);
      return next();
    }
    return skip(PacketError.BEFORE_FIRST_PSB, stop);
  }

  /** Ends the walk here up to the next PSB. */
  private boolean fail(PacketError why) {
    long psb = PsbSearch.next(input, windowBase + at + 1);
    return skip(why, psb < 0 ? size : psb);
  }

  private boolean skip(PacketError why, long to) {
    errorOffset = windowBase + at;
    errorLength = to - errorOffset;
    kind = PacketType.ERROR.ordinal();
    error = why;
    seek(to);
    return true;
  }

  /** Returns the type of this packet. */
  public PacketType type() {
    return TYPES[kind];
  }

  /** Returns its offset in the stream, in bytes. */
  public long offset() {
    return type() == PacketType.ERROR ? errorOffset : windowBase + at;
  }

  /** Returns its length in bytes; of PADs and of damage, all of them. */
  public long length() {
    return type() == PacketType.ERROR ? errorLength : nextAt - at;
  }

  /** Returns the offset behind it. */
  public long end() {
    return windowBase + nextAt;
  }

  /** Returns how many packets stand here: more than 1 only for PADs. */
  public long repeats() {
    return type() == PacketType.PAD ? length() : 1;
  }

  /** Returns why the bytes of an {@link PacketType#ERROR} are not packets. */
  public PacketError error() {
    return error;
  }

  /** Returns true if this packet has an address, which only four types can. */
  public boolean hasIp() {
    return type().carriesIp() && hasIp;
  }

  /** Returns the address of this packet; if it has none, the last one of the stream. */
  public long ip() {
    return lastIp;
  }

  /** Returns the number of branches of a TNT. */
  public int branches() {
    return bits;
  }

  /** Returns the results of a TNT's branches: the oldest in the highest bit, 1 is taken. */
  public long branchBits() {
    return value;
  }

  /** Returns the payload of TSC, MTC, CYC, MODE, PTW, BIP, or an address. */
  public long value() {
    return value;
  }

  /** Returns true between a PSB and the end of its header, both included. */
  public boolean inHeader() {
    return inHeader || type() == PacketType.PSBEND;
  }

  /** Returns the size of the items of the block that the next packet is in: 4, 8, or 0 outside. */
  public int itemSize() {
    return block;
  }

  /** Returns true if two bits are set of which no processor sets both. */
  public boolean isOdd() {
    return (type() == PacketType.MODE_EXEC || type() == PacketType.MODE_TSX) && (value & 3) == 3;
  }

  /** Returns true if this packet has the field. */
  public boolean has(PacketField field) {
    return switch (field.kind()) {
      case ADDRESS -> hasIp();
      case OPTIONAL -> length() > field.at();
      default -> true;
    };
  }

  /**
   * Returns the value of a field of this packet.
   *
   * @param field one of its type; {@link Kind#BRANCHES}: as {@link #branchBits}
   */
  public long field(PacketField field) {
    return switch (field.kind()) {
      case NUMBER, HEX, OPTIONAL -> number(field);
      case ADDRESS, BRANCHES, CYCLES, ITEM -> value;
      case CODE_SIZE -> (value & 1) != 0 ? 64 : (value & 2) != 0 ? 32 : 16;
      case OPERAND_SIZE -> length() - 2;
    };
  }

  private long number(PacketField field) {
    int bytes = field.bit() + field.width() + 7 >>> 3;
    long number = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      number = number << 8 | window.u8(at + field.at() + i);
    }
    return (number >>> field.bit() & -1L >>> Long.SIZE - field.width()) << field.shift();
  }

  /** Returns the results of a TNT's branches as text, the oldest first. */
  public String branchText() {
    StringBuilder text = new StringBuilder();
    for (int i = bits - 1; i >= 0; i--) {
      text.append((value >>> i & 1) != 0 ? 'T' : 'N');
    }
    return text.toString();
  }
}

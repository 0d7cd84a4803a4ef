package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;
import java.util.Set;

/**
 * Reads packets one after the other out of a window, and is the last one that it read.
 *
 * <p>The packets that make up most of a stream have a row in a table of first bytes, and are read
 * without a branch that depends on them: which one comes next cannot be guessed. All others, and
 * those near the end of the window, take the long way.
 */
final class PacketDecoder {
  private static final byte[] FIRST = PacketType.table(PacketType.Opcode.FIRST);
  private static final byte[] SECOND = PacketType.table(PacketType.Opcode.SECOND);
  private static final byte[] LEAVES = PacketType.table(PacketType.Opcode.LEAF);
  private static final byte[] THIRD = PacketType.table(PacketType.Opcode.THIRD);

  private static final PacketType[] TYPES = PacketType.values();

  private static final int EXTENDED = 0x02;
  private static final int MODE = 0x99;
  private static final int MORE_EXTENDED = 0xC3;

  /** Bytes of addresses by their size field; -1: reserved. */
  private static final byte[] IP_BYTES = {0, 2, 4, 6, 6, -1, 8, -1};

  /** Bytes of a CYC with more than 64 bits of cycles. */
  private static final int LONGEST_CYC = 10;

  /** Bytes of a CYC that is read out of one word. */
  private static final int LONGEST_SHORT_CYC = 7;

  private static final long LAST_BYTE = 0x0101_0101_0101_0101L;
  private static final long CYCLE_BITS = 0xFEFE_FEFE_FEFE_FEF8L;

  private static final long PSB_WORD = 0x8202_8202_8202_8202L;

  /** Bytes of a TMA that was damaged, see {@link Erratum#SKZ84}. */
  static final int DAMAGED_TMA = 8;

  /** Length of the packets that are read by the tables, by first byte; 0: the long way, -1: CYC. */
  private static final byte[] LENGTHS = new byte[256];

  /** Branches of a short TNT, size of an address. */
  private static final byte[] BITS = new byte[256];

  /** Bits of the first byte that are the value, moved to where they belong. */
  private static final byte[] SMALL = new byte[256];

  /** Bits behind the first byte that are the value. */
  private static final long[] PAYLOAD = new long[256];

  /** Bits of the last address that stay. */
  private static final long[] KEPT = new long[256];

  /** Bits behind the first byte that are a part of the next last address. */
  private static final long[] ADDRESS = new long[256];

  /** Bits above the highest one of the address, which has to be repeated. */
  private static final byte[] SIGN = new byte[256];

  static {
    Arrays.fill(KEPT, -1);
    for (int first = 0; first < 256; first++) {
      fill(first);
    }
  }

  private static void fill(int first) {
    PacketType type = FIRST[first] < 0 ? PacketType.ERROR : TYPES[FIRST[first]];
    switch (type) {
      case TNT8 -> {
        int count = 30 - Integer.numberOfLeadingZeros(first);
        LENGTHS[first] = (byte) (first == EXTENDED ? 0 : 1);
        BITS[first] = (byte) count;
        SMALL[first] = (byte) (first >>> 1 & (1 << count) - 1);
      }
      case CYC -> LENGTHS[first] = -1;
      case TSC -> {
        LENGTHS[first] = 8;
        PAYLOAD[first] = -1L >>> 8;
      }
      case MTC -> {
        LENGTHS[first] = 2;
        PAYLOAD[first] = 0xFF;
      }
      case TIP, TIP_PGE, TIP_PGD, FUP -> {
        int size = first >>> 5;
        int bytes = IP_BYTES[size];
        // The longest ones do not fit the word that is looked at.
        LENGTHS[first] = (byte) (bytes >= 0 && bytes < Long.BYTES ? 1 + bytes : 0);
        BITS[first] = (byte) size;
        ADDRESS[first] = bytes <= 0 ? 0 : -1L >>> Long.SIZE - 8 * bytes;
        KEPT[first] = size == 3 ? 0 : ~ADDRESS[first];
        SIGN[first] = (byte) (size == 3 ? 16 : 0);
      }
      default -> {
        // The long way.
      }
    }
  }

  private final boolean cutsCyc;
  private final boolean hasLongTma;

  Bytes window;
  private int fastEnd;

  /** Place of the packet in the window. */
  int at;

  /** Place behind it. */
  int nextAt;

  /** Ordinal of the type: a number is stored without a barrier of the collector. */
  int kind;

  PacketError error = PacketError.UNKNOWN_PACKET;
  long value;
  long lastIp;
  int bits;

  /** Bytes of the items of the block that the next packet is in; 0 outside. */
  int block;

  boolean inHeader;

  /**
   * @param errata of the processor that wrote the stream
   */
  PacketDecoder(Bytes window, Set<Erratum> errata) {
    this.window = window;
    this.cutsCyc = errata.contains(Erratum.SKD007);
    this.hasLongTma = errata.contains(Erratum.SKZ84);
  }

  /** Returns the type of the packet. */
  PacketType type() {
    return TYPES[kind];
  }

  /** Goes to the begin of another window. */
  void move(Bytes to) {
    window = to;
    fastEnd = to.length() - Long.BYTES;
    at = 0;
    nextAt = 0;
  }

  /** Forgets what was known: a PSB comes next. */
  void forget() {
    lastIp = 0;
    block = 0;
    inHeader = false;
  }

  /**
   * Reads the packet behind this one.
   *
   * @return false if there is none: {@link #error} is the reason
   */
  boolean next() {
    int here = nextAt;
    at = here;
    if (here > fastEnd || block != 0) {
      return other();
    }
    long word = window.i64(here);
    int first = (int) word & 0xFF;
    int length = LENGTHS[first];
    if (length <= 0) {
      return length < 0 ? cycles(word) : other();
    }
    long payload = word >>> 8;
    int sign = SIGN[first];
    long ip = (lastIp & KEPT[first] | payload & ADDRESS[first]) << sign >> sign;
    lastIp = ip;
    value = payload & PAYLOAD[first] | SMALL[first];
    bits = BITS[first];
    kind = FIRST[first];
    nextAt = here + length;
    return true;
  }

  private boolean other() {
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

  /** Reads a CYC that lies in a word; longer ones take the long way. */
  private boolean cycles(long word) {
    // Bit 2 of the first byte, bit 0 of the others say that another byte follows.
    int more = Long.numberOfTrailingZeros(~(word >>> 8) & LAST_BYTE) >>> 3;
    int length = (word & 4) == 0 ? 1 : 2 + more;
    if (length > LONGEST_SHORT_CYC || cutsCyc) {
      return cycles((int) word & 0xFF);
    }
    value = Long.compress(word & (1L << 8 * length) - 1, CYCLE_BITS);
    kind = PacketType.CYC.ordinal();
    nextAt = at + length;
    return true;
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
        yield !isReserved
            ? accept(found, length)
            : hasLongTma ? whole(found, DAMAGED_TMA) : fail(PacketError.RESERVED_TMA);
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

  private boolean fail(PacketError why) {
    error = why;
    return false;
  }
}

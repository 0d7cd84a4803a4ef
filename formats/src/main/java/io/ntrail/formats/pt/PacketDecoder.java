package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import java.util.Set;

/**
 * Reads packets one after the other out of a window, and is the one that it stands on.
 *
 * <p>The packets that make up most of a stream are read in batches, see {@link ShortPackets}. All
 * others, and those near the end of the window, take the long way: a batch of one.
 */
final class PacketDecoder {
  private static final byte[] FIRST = PacketType.table(PacketType.Opcode.FIRST);
  private static final byte[] SECOND = PacketType.table(PacketType.Opcode.SECOND);
  private static final byte[] LEAVES = PacketType.table(PacketType.Opcode.LEAF);
  private static final byte[] THIRD = PacketType.table(PacketType.Opcode.THIRD);

  private static final PacketType[] TYPES = PacketType.values();

  static final int EXTENDED = 0x02;
  private static final int MODE = 0x99;
  private static final int MORE_EXTENDED = 0xC3;

  /** Bytes of addresses by their size field; -1: reserved. */
  private static final byte[] IP_BYTES = {0, 2, 4, 6, 6, -1, 8, -1};

  /** Bytes of a CYC with more than 64 bits of cycles. */
  private static final int LONGEST_CYC = 10;

  private static final long PSB_WORD = 0x8202_8202_8202_8202L;

  /** Bytes of a TMA that was damaged, see {@link Erratum#SKZ84}. */
  static final int DAMAGED_TMA = 8;

  private final boolean cutsCyc;
  private final boolean hasLongTma;
  private final ShortPackets batch;

  Bytes window;

  /** Last place in the window where a packet may begin that is read in a batch. */
  private int fastEnd;

  /** Number of the packet in its batch. */
  private int index;

  private int filled;

  /** Place of the packet that is read the long way. */
  private int at;

  /** Place behind the batch. */
  private int nextAt;

  PacketError error = PacketError.UNKNOWN_PACKET;

  // What the long way finds.
  private long value;
  private long lastIp;
  private int bits;

  /** Bytes of the items of the block that the next packet is in; 0 outside. */
  int block;

  boolean inHeader;

  /**
   * @param errata of the processor that wrote the stream
   * @param joinsBranches whether short TNTs in a row come as one
   */
  PacketDecoder(Bytes window, Set<Erratum> errata, boolean joinsBranches) {
    this.window = window;
    this.cutsCyc = errata.contains(Erratum.SKD007);
    this.hasLongTma = errata.contains(Erratum.SKZ84);
    this.batch = new ShortPackets(cutsCyc, joinsBranches);
  }

  /** Returns the type that a first byte tells; ERROR if it tells none. */
  static PacketType first(int value) {
    return FIRST[value] < 0 ? PacketType.ERROR : TYPES[FIRST[value]];
  }

  /** Returns the type that a byte behind 02 tells; ERROR if it tells none. */
  static PacketType second(int value) {
    return SECOND[value] < 0 ? PacketType.ERROR : TYPES[SECOND[value]];
  }

  /** Returns the bytes of an address by its size field; -1: reserved. */
  static int ipBytes(int size) {
    return IP_BYTES[size];
  }

  /** Returns the type of the packet. */
  PacketType type() {
    return TYPES[batch.kind(index)];
  }

  /** Returns the place of the packet in the window. */
  int at() {
    return batch.place(index);
  }

  /** Returns the place behind it. */
  int end() {
    return batch.place(index + 1);
  }

  /** Returns its value, or its address. */
  long value() {
    return batch.value(index);
  }

  int bits() {
    return batch.bits(index);
  }

  /**
   * Goes to the begin of another window.
   *
   * @param limit place up to which a packet may begin
   */
  void move(Bytes to, int limit) {
    window = to;
    fastEnd = Math.min(to.length() - Long.BYTES, limit - 1);
    nextAt = 0;
    batch.forget();
    beEnd();
  }

  /** Forgets what was known: a PSB comes next. */
  void forget() {
    lastIp = 0;
    block = 0;
    inHeader = false;
  }

  /** Is damage up to the begin of the window. */
  void beDamage(PacketError why) {
    error = why;
    put(PacketType.ERROR, 0, 0);
  }

  /** Is nothing, behind the last packet. */
  void beEnd() {
    put(type(), nextAt, nextAt);
  }

  private void put(PacketType type, int from, int to) {
    batch.put(type.ordinal(), bits, from, type.carriesIp() ? lastIp : value);
    filled = batch.end(1, to);
    index = 0;
    nextAt = to;
  }

  /** Steps to the next packet of the batch; returns false if there is none. */
  boolean step() {
    return ++index < filled;
  }

  /** Returns the place behind the batch: where the next one begins. */
  int nextAt() {
    return nextAt;
  }

  /**
   * Reads the packets behind this batch, and stands on the first one.
   *
   * @return false if there is none: {@link #error} is the reason
   */
  boolean next() {
    at = nextAt;
    if (at <= fastEnd && block == 0) {
      int count = batch.read(window, at, fastEnd, lastIp);
      if (count > 0) {
        filled = count;
        index = 0;
        nextAt = batch.place(count);
        lastIp = batch.lastIp();
        return true;
      }
    }
    return other();
  }

  /** Returns the place of a packet that failed. */
  int failedAt() {
    return at;
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
    put(found, at, at + length);
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

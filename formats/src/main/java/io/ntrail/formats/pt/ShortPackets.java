package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads the packets that make up most of a stream, many at once, and keeps them.
 *
 * <p>Each has a row in a table of first bytes, and is read without a branch that depends on it:
 * which one comes next cannot be guessed. Only what is alike for long, runs of TNTs and CYCs before
 * TNTs, has a path of its own.
 */
final class ShortPackets {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int MOST = 256;

  /** Bytes that are looked at at once. */
  private static final int CHUNK = 4096;

  /** Bytes of a CYC that is read out of one word. */
  private static final int LONGEST_CYC = 7;

  private static final long LAST_BITS = 0x0101_0101_0101_0101L;
  private static final long CYCLE_BITS = 0xFEFE_FEFE_FEFE_FEF8L;

  /** Bits of the bytes by which a TNT differs from a PAD and from the first of two bytes. */
  private static final long BRANCH_BITS = 0xFDFD_FDFD_FDFD_FDFDL;

  private static final long LOW_BITS = 0x7F7F_7F7F_7F7F_7F7FL;
  private static final int CYC = -1;
  private static final int OTHER = -2;

  // Parts of a row of the table, and of the word that is kept of a packet.
  private static final int BITS = 8;
  private static final int SMALL = 16;
  private static final int LENGTH = 24;
  private static final int PLACE = 32;
  private static final int SIGN = 32;
  private static final int IP = 40;
  private static final int META = 0xFFFF;

  /**
   * By first byte: type; number of branches of a short TNT or size of an address; bits of the first
   * byte that are the value, moved to where they belong; length, of PAD 0, {@link #CYC}, {@link
   * #OTHER}; bits above the highest one of the address, which has to be repeated; 1 if it has an
   * address.
   */
  private static final long[] ROWS = new long[256];

  /** Bits behind the first byte that are the value, or the low part of the address. */
  private static final long[] PAYLOAD = new long[256];

  /** By second byte, for packets that keep no state: length, type; bits of the branches. */
  private static final long[] EXTENDED = new long[256];

  static {
    for (int value = 0; value < 256; value++) {
      fill(value);
      fillExtended(value);
    }
  }

  private static void fillExtended(int second) {
    PacketType type = PacketDecoder.second(second);
    EXTENDED[second] =
        switch (type) {
          case TNT64 -> 0x3FL << PLACE | 8L << LENGTH | type.ordinal();
          case PIP, CBR, VMCS, TRACE_STOP, EXSTOP, PWRE, PWRX ->
              (long) type.length() << LENGTH | type.ordinal();
          default -> 0;
        };
  }

  private static void fill(int first) {
    PacketType type = PacketDecoder.first(first);
    int bits = 0;
    long small = 0;
    int length = OTHER;
    long parts = 0;
    switch (type) {
      case PAD -> length = 0;
      case TNT8 -> {
        bits = branches(first);
        length = first == PacketDecoder.EXTENDED ? OTHER : 1;
        small = (long) first >>> 1 & (1L << bits) - 1;
      }
      case CYC -> length = CYC;
      case TSC -> {
        length = 8;
        PAYLOAD[first] = -1L >>> 8;
      }
      case MTC -> {
        length = 2;
        PAYLOAD[first] = 0xFF;
      }
      case TIP, TIP_PGE, TIP_PGD, FUP -> {
        bits = first >>> 5;
        int bytes = PacketDecoder.ipBytes(bits);
        // The longest ones do not fit the word that is looked at.
        length = bytes >= 0 && bytes < Long.BYTES ? 1 + bytes : OTHER;
        PAYLOAD[first] = bytes <= 0 ? 0 : -1L >>> Long.SIZE - 8 * bytes;
        parts = 1L << IP | (bits == 3 ? 16L << SIGN : 0);
      }
      default -> {
        // The long way.
      }
    }
    ROWS[first] =
        parts | (length & 0xFFL) << LENGTH | small << SMALL | (long) bits << BITS | type.ordinal();
  }

  /** Returns the number of branches in a short TNT. */
  static int branches(int tnt) {
    return 30 - Integer.numberOfLeadingZeros(tnt);
  }

  private final boolean cutsCyc;
  private final boolean joinsBranches;

  /** Type, branches or size of an address, place. */
  private final long[] metas = new long[MOST + Long.BYTES];

  /** Values, or addresses. */
  private final long[] values = new long[MOST + Long.BYTES];

  private final byte[] bytes = new byte[CHUNK];

  /** Place in the window of the first byte that is looked at. */
  private int chunkBegin;

  private int chunkLength;

  /** Place in the window that the places of this batch are counted from. */
  private int base;

  private long lastIp;

  /**
   * @param cutsCyc whether an overflow may begin within a CYC: {@link Erratum#SKD007}
   * @param joinsBranches whether short TNTs in a row come as one
   */
  ShortPackets(boolean cutsCyc, boolean joinsBranches) {
    this.cutsCyc = cutsCyc;
    this.joinsBranches = joinsBranches;
  }

  int kind(int index) {
    return (int) metas[index] & 0xFF;
  }

  int bits(int index) {
    return (int) metas[index] >>> BITS;
  }

  int place(int index) {
    return base + (int) (metas[index] >>> PLACE);
  }

  /** Returns the value of a packet, or its address. */
  long value(int index) {
    return values[index];
  }

  /** Returns the last address of the batch that was read. */
  long lastIp() {
    return lastIp;
  }

  /** Keeps one packet, the first. */
  void put(int kind, int bits, int place, long value) {
    base = 0;
    metas[0] = (long) place << PLACE | bits << BITS | kind;
    values[0] = value;
  }

  /** Ends the batch at a place; returns the number of packets. */
  int end(int count, int place) {
    metas[count] = (long) place << PLACE;
    return count;
  }

  /** Forgets the bytes that were looked at: another window comes. */
  void forget() {
    chunkLength = 0;
  }

  /**
   * Reads packets, up to one that takes the long way.
   *
   * @param last place where a packet may begin
   * @param ipBefore last address
   * @return the number of packets
   */
  int read(Bytes window, int from, int last, long ipBefore) {
    if (from < chunkBegin || from > chunkBegin + chunkLength - CHUNK / 8) {
      chunkBegin = from;
      chunkLength = Math.min(CHUNK, window.length() - from);
      window.copyTo(from, bytes, 0, chunkLength);
    }
    base = chunkBegin;
    return read(from - chunkBegin, Math.min(last - chunkBegin, chunkLength - Long.BYTES), ipBefore);
  }

  private int read(int from, int last, long ipBefore) {
    long[] metas = this.metas;
    long[] values = this.values;
    byte[] bytes = this.bytes;
    long ip = ipBefore;
    int at = from;
    int count = 0;
    while (count < MOST && at <= last) {
      long word = (long) LONGS.get(bytes, at);
      int first = (int) word & 0xFF;
      if ((first & 3) == 3) {
        if ((word & 0x104) == 0x104) {
          // Bit 2 of the first byte, bit 0 of the others say that another byte follows.
          int size = 2 + (Long.numberOfTrailingZeros(~(word >>> 8) & LAST_BITS) >>> 3);
          if (size > LONGEST_CYC) {
            break;
          }
          values[count] = Long.compress(word & (1L << 8 * size) - 1, CYCLE_BITS);
          metas[count++] = (long) at << PLACE | PacketType.CYC.ordinal();
          at += size;
          continue;
        }
        if (cutsCyc && (word & 0xFF_FF04) == 0xF3_0204) {
          break;
        }
        int more = first >>> 2 & 1;
        values[count] = (long) first >>> 3 | (word >>> 9 & 0x7F) << 5 & -more;
        metas[count++] = (long) at << PLACE | PacketType.CYC.ordinal();
        at += 1 + more;
        int next = (int) (word >>> 8 + 8 * more) & 0xFF;
        if (isBranches(next)) {
          long row = ROWS[next];
          values[count] = row >>> SMALL & 0xFF;
          metas[count++] = (long) at++ << PLACE | row & META;
        }
        continue;
      }
      if (joinsBranches && beginsWithTwo((int) word)) {
        int run = runOfBranches(word);
        long tnts = Long.reverseBytes(word & -1L >>> Long.SIZE - 8 * run);
        long mask = branchBits(tnts);
        values[count] = Long.compress(tnts, mask);
        metas[count++] =
            (long) at << PLACE | (long) Long.bitCount(mask) << BITS | PacketType.TNT8.ordinal();
        at += run;
        continue;
      }
      long row = ROWS[first];
      int length = (byte) (row >>> LENGTH);
      if (length >= 0) {
        if (word == 0) {
          int end = endOfZeros(at, last);
          if (end > last) {
            break;
          }
          metas[count++] = (long) at << PLACE;
          at = end;
          continue;
        }
        long payload = word >>> 8;
        long mask = PAYLOAD[first];
        long whole = payload & mask | row >>> SMALL & 0xFF;
        long isIp = -(row >>> IP);
        int sign = (int) (row >>> SIGN);
        ip = ((ip ^ payload) & mask & isIp ^ ip) << sign >> sign;
        values[count] = (whole ^ ip) & isIp ^ whole;
        metas[count++] = (long) at << PLACE | row & META;
        // Zeros, if it begins with them, are PADs.
        at += length + (Long.numberOfTrailingZeros(word) >>> 3);
      } else {
        long extended = EXTENDED[(int) (word >>> 8) & 0xFF];
        long branches = word >>> 16;
        if (first != PacketDecoder.EXTENDED || extended == 0 || branches < 2) {
          break;
        }
        values[count] = branches ^ Long.highestOneBit(branches);
        long bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(branches) & extended >>> PLACE;
        metas[count++] = (long) at << PLACE | bits << BITS | extended & META;
        at += (int) extended >>> LENGTH;
      }
    }
    lastIp = ip;
    return end(count, at);
  }

  private int endOfZeros(int from, int last) {
    int end = from + Long.BYTES;
    while (end <= last) {
      long word = (long) LONGS.get(bytes, end);
      end += Long.numberOfTrailingZeros(word) >>> 3;
      if (word != 0) {
        return end;
      }
    }
    return last + 1;
  }

  private static boolean isBranches(int first) {
    return (first & 1) == 0 && (first & 0xFD) != 0;
  }

  /** Returns true if the first two bytes of a word are short TNTs. */
  private static boolean beginsWithTwo(int word) {
    int differing = word & 0xFDFD;
    return (((differing & 0x7F7F) + 0x7F7F | differing) & ~(word << 7) & 0x8080) == 0x8080;
  }

  /** Returns how many bytes of a word are short TNTs, from the first on. */
  private static int runOfBranches(long word) {
    long differing = word & BRANCH_BITS;
    long isBranch = (differing & LOW_BITS) + LOW_BITS | differing;
    long stops = (word << 7 | ~isBranch) & ~LOW_BITS;
    return Long.numberOfTrailingZeros(stops) >>> 3;
  }

  /**
   * Returns the bits of short TNTs that tell a branch: those between the highest and the lowest.
   */
  private static long branchBits(long bytes) {
    long below = bytes | bytes >>> 1 & LOW_BITS;
    below |= below >>> 2 & 0x3F3F_3F3F_3F3F_3F3FL;
    below |= below >>> 4 & 0x0F0F_0F0F_0F0F_0F0FL;
    return below >>> 1 & 0x7E7E_7E7E_7E7E_7E7EL;
  }
}

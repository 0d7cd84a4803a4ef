package io.ntrail.testkit.pt;

import io.ntrail.testkit.LittleEndian;

/**
 * Packets of Intel Processor Trace, one after the other, as a processor writes them: addresses are
 * shortened against the last one, and the first one after a PSB is whole.
 */
public final class PtPackets {
  /** TIP: target of an indirect branch. */
  public static final int TIP = 0x0D;

  /** TIP.PGE: tracing begins. */
  public static final int PGE = 0x11;

  /** TIP.PGD: tracing ends. */
  public static final int PGD = 0x01;

  /** FUP: where something happens. */
  public static final int FUP = 0x1D;

  /** Branch results that a long TNT has room for. */
  public static final int LONG_TNT = 47;

  /** Branch results that a short TNT has room for. */
  public static final int SHORT_TNT = 6;

  private static final int LOW_BITS = 16;
  private static final int CANONICAL_BITS = 48;

  private final LittleEndian bytes = new LittleEndian(1 << 16);
  private final boolean full;
  private long lastIp;
  private boolean isWhole = true;
  private int psbAt;

  /**
   * Begins without packets.
   *
   * @param full addresses that cannot be shortened take eight bytes, not six
   */
  public PtPackets(boolean full) {
    this.full = full;
  }

  /** Returns all that was written. */
  public byte[] toByteArray() {
    return bytes.toByteArray();
  }

  /** Returns the number of bytes. */
  public int size() {
    return bytes.size();
  }

  /** Returns the number of bytes since the begin of the last PSB. */
  public int sincePsb() {
    return bytes.size() - psbAt;
  }

  /** Adds a PAD. */
  public PtPackets pad() {
    bytes.u8(0);
    return this;
  }

  /** Adds a PSB; the last address is forgotten. */
  public PtPackets psb() {
    psbAt = bytes.size();
    for (int i = 0; i < 8; i++) {
      bytes.u8(0x02).u8(0x82);
    }
    lastIp = 0;
    isWhole = true;
    return this;
  }

  /** Adds a PSBEND. What follows is not shortened against a FUP before it, as hardware has it. */
  public PtPackets psbEnd() {
    bytes.u8(0x02).u8(0x23);
    isWhole = true;
    return this;
  }

  /** Adds an OVF; the last address is forgotten. */
  public PtPackets overflow() {
    bytes.u8(0x02).u8(0xF3);
    lastIp = 0;
    isWhole = true;
    return this;
  }

  /**
   * Adds a short TNT.
   *
   * @param results the oldest in the highest of {@code count} bits
   */
  public PtPackets tnt(long results, int count) {
    if (count < 1 || count > SHORT_TNT) {
      throw new IllegalArgumentException(count + " branches in a short TNT");
    }
    bytes.u8((int) (1L << count | results) << 1);
    return this;
  }

  /** Adds a long TNT of 1 to 47 results. */
  public PtPackets longTnt(long results, int count) {
    if (count < 1 || count > LONG_TNT) {
      throw new IllegalArgumentException(count + " branches in a long TNT");
    }
    long all = 1L << count | results;
    bytes.u8(0x02).u8(0xA3).u32(all).u16((int) (all >>> 32));
    return this;
  }

  /** Adds TIP, TIP.PGE, TIP.PGD or FUP with an address. */
  public PtPackets ip(int packet, long ip) {
    int kind;
    int size;
    if (!isWhole && ip >>> LOW_BITS == lastIp >>> LOW_BITS) {
      kind = 1;
      size = 2;
    } else if (!isWhole && ip >>> 32 == lastIp >>> 32) {
      kind = 2;
      size = 4;
    } else if (!full && ip << 64 - CANONICAL_BITS >> 64 - CANONICAL_BITS == ip) {
      kind = 3;
      size = 6;
    } else {
      kind = 6;
      size = 8;
    }
    bytes.u8(packet | kind << 5);
    for (int i = 0; i < size; i++) {
      bytes.u8((int) (ip >>> 8 * i));
    }
    lastIp = ip;
    isWhole = false;
    return this;
  }

  /** Adds TIP.PGD or another of them without an address. */
  public PtPackets noIp(int packet) {
    bytes.u8(packet);
    return this;
  }

  /** Adds a MODE.Exec for 16, 32 or 64-bit code. */
  public PtPackets mode(int bits) {
    bytes.u8(0x99).u8(bits == 64 ? 1 : bits == 32 ? 2 : 0);
    return this;
  }

  /** Adds a MODE.TSX outside of transactions. */
  public PtPackets noTransaction() {
    bytes.u8(0x99).u8(0x20);
    return this;
  }

  /** Adds a TSC. */
  public PtPackets tsc(long ticks) {
    bytes.u8(0x19).u32(ticks).u16((int) (ticks >>> 32)).u8((int) (ticks >>> 48));
    return this;
  }

  /**
   * Adds a TMA.
   *
   * @param ctc 16 bits of the crystal clock
   * @param fast 9 bits of ticks since it
   */
  public PtPackets tma(int ctc, int fast) {
    bytes.u8(0x02).u8(0x73).u16(ctc).u8(0).u16(fast & 0x1FF);
    return this;
  }

  /** Adds an MTC. */
  public PtPackets mtc(int ctc) {
    bytes.u8(0x59).u8(ctc);
    return this;
  }

  /** Adds a CYC. */
  public PtPackets cyc(long cycles) {
    long rest = cycles >>> 5;
    bytes.u8((int) (cycles & 0x1F) << 3 | (rest != 0 ? 4 : 0) | 3);
    while (rest != 0) {
      long more = rest >>> 7;
      bytes.u8((int) (rest & 0x7F) << 1 | (more != 0 ? 1 : 0));
      rest = more;
    }
    return this;
  }

  /** Adds a CBR. */
  public PtPackets cbr(int ratio) {
    bytes.u8(0x02).u8(0x03).u8(ratio).u8(0);
    return this;
  }

  /**
   * Adds a PIP.
   *
   * @param cr3 a multiple of 32
   */
  public PtPackets pip(long cr3) {
    long value = cr3 >>> 5 << 1;
    bytes.u8(0x02).u8(0x43).u32(value).u16((int) (value >>> 32));
    return this;
  }

  /** Adds a TraceStop. */
  public PtPackets traceStop() {
    bytes.u8(0x02).u8(0x83);
    return this;
  }
}

package io.ntrail.formats.pt;

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

  private final InputFile input;
  private final long size;
  private final PacketDecoder packet;

  private long windowBase;

  /**
   * Place in the window up to which a packet may begin without a look at the next window; 0 before
   * the first PSB is looked for.
   */
  private int limit;

  private boolean isSynchronised;
  private long errorOffset;
  private long errorLength;

  /**
   * A cursor before the first packet of a stream.
   *
   * @param errata of the processor that wrote it; empty if it is not known
   */
  public PacketCursor(InputFile input, Set<Erratum> errata) {
    this(input, errata, false);
  }

  private PacketCursor(InputFile input, Set<Erratum> errata, boolean joinsBranches) {
    this.input = input;
    this.size = input.size();
    this.packet = new PacketDecoder(input.window(0, 0), errata, joinsBranches);
    packet.beEnd();
  }

  /**
   * Returns a cursor before the first packet of a stream, for which short TNTs in a row, up to
   * eight, are one packet: see {@link #repeats}.
   */
  public static PacketCursor joined(InputFile input, Set<Erratum> errata) {
    return new PacketCursor(input, errata, true);
  }

  /** Puts the window so that a packet at an offset lies in it. */
  private void move(long offset) {
    int length = (int) Math.min(WINDOW, size - offset);
    windowBase = offset;
    limit = offset + length == size ? length : length - MARGIN;
    packet.move(input.window(offset, length), limit);
  }

  /**
   * Goes to a PSB, so that {@link #next} gives it.
   *
   * @param offset one that {@link PsbSearch} found, or of a PSB that was walked over
   */
  public void seek(long offset) {
    move(offset);
    isSynchronised = true;
    packet.forget();
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
    return packet.step() || read();
  }

  private boolean read() {
    if (packet.nextAt() >= limit && !isLeft()) {
      return isSynchronised ? false : synchronise();
    }
    return packet.next() || fail(packet.error);
  }

  /** Returns true if there is a next packet, and sees to it that it lies in the window. */
  private boolean isLeft() {
    if (!isSynchronised || windowBase + packet.nextAt() >= size) {
      packet.beEnd();
      return false;
    }
    move(windowBase + packet.nextAt());
    return true;
  }

  private boolean synchronise() {
    isSynchronised = true;
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
    long psb = PsbSearch.next(input, windowBase + packet.failedAt() + 1);
    return skip(why, psb < 0 ? size : psb);
  }

  private boolean skip(PacketError why, long to) {
    errorOffset = windowBase + packet.failedAt();
    errorLength = to - errorOffset;
    seek(to);
    packet.beDamage(why);
    return true;
  }

  /** Returns the type of this packet. */
  public PacketType type() {
    return packet.type();
  }

  /** Returns its offset in the stream, in bytes. */
  public long offset() {
    return type() == PacketType.ERROR ? errorOffset : windowBase + packet.at();
  }

  /** Returns its length in bytes; of PADs and of damage, all of them. */
  public long length() {
    return type() == PacketType.ERROR ? errorLength : packet.end() - packet.at();
  }

  /** Returns the offset behind it. */
  public long end() {
    return windowBase + packet.end();
  }

  /** Returns how many packets stand here: more than 1 only for PADs, and for TNTs if joined. */
  public long repeats() {
    PacketType type = type();
    return type == PacketType.PAD || type == PacketType.TNT8 ? length() : 1;
  }

  /** Returns why the bytes of an {@link PacketType#ERROR} are not packets. */
  public PacketError error() {
    return packet.error;
  }

  /** Returns true if this packet has an address, which only four types can. */
  public boolean hasIp() {
    return type().carriesIp() && packet.bits() != 0;
  }

  /** Returns the address of a packet that can have one; if it has none, the last one before it. */
  public long ip() {
    return packet.value();
  }

  /** Returns the number of branches of a TNT. */
  public int branches() {
    return packet.bits();
  }

  /** Returns the number of branches in the last of the TNTs that stand here. */
  public int lastBranches() {
    return type() == PacketType.TNT8
        ? ShortPackets.branches(packet.window.u8(packet.end() - 1))
        : packet.bits();
  }

  /**
   * Returns the offset of that of the TNTs here which tells a branch.
   *
   * @param left number of branches from this one on
   */
  public long offsetOfBranch(int left) {
    if (type() != PacketType.TNT8) {
      return offset();
    }
    int at = packet.end() - 1;
    int told = lastBranches();
    while (told < left && at > packet.at()) {
      at--;
      told += ShortPackets.branches(packet.window.u8(at));
    }
    return windowBase + at;
  }

  /** Returns the results of a TNT's branches: the oldest in the highest bit, 1 is taken. */
  public long branchBits() {
    return packet.value();
  }

  /** Returns the payload of TSC, MTC, CYC, MODE, PTW or BIP. */
  public long value() {
    return packet.value();
  }

  /** Returns true between a PSB and the end of its header, both included. */
  public boolean inHeader() {
    return packet.inHeader || type() == PacketType.PSBEND;
  }

  /** Returns the size of the items of the block that the next packet is in: 4, 8, or 0 outside. */
  public int itemSize() {
    return packet.block;
  }

  /** Returns true if two bits are set of which no processor sets both. */
  public boolean isOdd() {
    return (type() == PacketType.MODE_EXEC || type() == PacketType.MODE_TSX)
        && (packet.value() & 3) == 3;
  }

  /** Returns true if this is a TMA that a defect of the processor damaged: it tells nothing. */
  public boolean isDamagedTma() {
    return type() == PacketType.TMA && length() == PacketDecoder.DAMAGED_TMA;
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
      case ADDRESS -> packet.value();
      case BRANCHES, CYCLES, ITEM -> packet.value();
      case CODE_SIZE -> (packet.value() & 1) != 0 ? 64 : (packet.value() & 2) != 0 ? 32 : 16;
      case OPERAND_SIZE -> length() - 2;
    };
  }

  private long number(PacketField field) {
    int bytes = field.bit() + field.width() + 7 >>> 3;
    long number = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      number = number << 8 | packet.window.u8(packet.at() + field.at() + i);
    }
    return (number >>> field.bit() & -1L >>> Long.SIZE - field.width()) << field.shift();
  }

  /** Returns the results of a TNT's branches as text, the oldest first. */
  public String branchText() {
    StringBuilder text = new StringBuilder();
    for (int i = packet.bits() - 1; i >= 0; i--) {
      text.append((packet.value() >>> i & 1) != 0 ? 'T' : 'N');
    }
    return text.toString();
  }
}

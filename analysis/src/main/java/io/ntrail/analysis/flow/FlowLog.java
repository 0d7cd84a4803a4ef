package io.ntrail.analysis.flow;

import io.ntrail.analysis.flow.FlowSnapshot.Place;
import io.ntrail.analysis.flow.WholeFlow.PacketSink;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A part of a flow as one thread found it, kept until another thread hands it on. Blocks are told
 * by their addresses: each thread has its own numbers for them.
 */
final class FlowLog implements FlowSink, PacketSink {
  /** Numbers that are kept at most: what is longer is decoded again. */
  private static final int MOST = 1 << 19;

  private static final int RUN = 0;
  private static final int TIME = 1;
  private static final int EVENT = 2;
  private static final int ERROR = 3;
  private static final int DAMAGE = 4;
  private static final int TIMED = 5;

  private static final int KIND = 7;
  private static final int FLAG = 8;
  private static final int NUMBER_SHIFT = 8;
  private static final int BLOCK_SHIFT = 32;

  private static final PacketType[] TYPES = PacketType.values();
  private static final FlowEvent[] EVENTS = FlowEvent.values();
  private static final FlowError[] ERRORS = FlowError.values();
  private static final PacketError[] DAMAGES = PacketError.values();

  private final boolean keepsRuns;
  private final FlowTotals scratch;
  private final Map<Integer, Place> places = new TreeMap<>();
  private boolean isOn;
  private boolean isFull;
  private long[] words = new long[1024];
  private int size;

  /** Blocks that are in {@link #places}. */
  private boolean[] isKnown = new boolean[256];

  /** Sums of this part, when it is finished. */
  final FlowTotals totals = new FlowTotals();

  /**
   * @param keepsRuns whether what was executed is kept, and not only counted
   * @param scratch counts for one part after the other
   */
  FlowLog(boolean keepsRuns, FlowTotals scratch) {
    this.keepsRuns = keepsRuns;
    this.scratch = scratch;
  }

  /** Keeps what comes from now on. */
  void start() {
    isOn = true;
  }

  /** Returns true if there was too much: what is kept is not all. */
  boolean isFull() {
    return isFull;
  }

  /** Ends this part: adds up. */
  void finish(CodeBlocks blocks) {
    scratch.settle(blocks);
    scratch.moveTo(totals);
    isKnown = new boolean[0];
  }

  private boolean hasRoom(int needed) {
    if (!isOn || isFull) {
      return false;
    }
    if (size + needed > words.length) {
      if (words.length == MOST) {
        isFull = true;
        return false;
      }
      words = Arrays.copyOf(words, 2 * words.length);
    }
    return true;
  }

  private void add(int kind, int number, long first, long second) {
    if (hasRoom(3)) {
      words[size++] = (long) number << NUMBER_SHIFT | kind;
      words[size++] = first;
      words[size++] = second;
    }
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    if (!isOn) {
      return;
    }
    scratch.add(blocks, block, count);
    if (keepsRuns && hasRoom(1)) {
      know(blocks, block);
      words[size++] =
          (long) block << BLOCK_SHIFT
              | (long) count << NUMBER_SHIFT
              | (isSpeculative ? FLAG : 0)
              | RUN;
    }
  }

  private void know(CodeBlocks blocks, int block) {
    if (block >= isKnown.length) {
      isKnown = Arrays.copyOf(isKnown, Math.max(block + 1, 2 * isKnown.length));
    }
    if (!isKnown[block]) {
      isKnown[block] = true;
      places.put(block, new Place(blocks.start(block), blocks.codeSize(block).ordinal()));
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    add(EVENT, event.ordinal(), address, value);
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    add(ERROR, error.ordinal(), offset, address);
  }

  @Override
  public void time(PacketType type, long value, boolean inHeader) {
    if (hasRoom(2)) {
      words[size++] = (long) type.ordinal() << NUMBER_SHIFT | (inHeader ? FLAG : 0) | TIME;
      words[size++] = value;
    }
  }

  @Override
  public void timed() {
    if (hasRoom(1)) {
      words[size++] = TIMED;
    }
  }

  @Override
  public void damage(PacketError error, long offset, long length) {
    add(DAMAGE, error.ordinal(), offset, length);
  }

  /** Hands everything on, in order. */
  void replay(CodeBlocks blocks, FlowSink flow, PacketSink packets) {
    int[] numbers = numbers(blocks);
    int at = 0;
    while (at < size) {
      long word = words[at++];
      int number = (int) word >>> NUMBER_SHIFT;
      boolean isSet = (word & FLAG) != 0;
      switch ((int) word & KIND) {
        case RUN -> flow.instructions(blocks, numbers[(int) (word >>> BLOCK_SHIFT)], number, isSet);
        case TIME -> packets.time(TYPES[number], words[at++], isSet);
        case TIMED -> packets.timed();
        case EVENT -> flow.event(EVENTS[number], words[at++], words[at++]);
        case ERROR -> flow.error(ERRORS[number], words[at++], words[at++]);
        default -> packets.damage(DAMAGES[number], words[at++], words[at++]);
      }
    }
  }

  private int[] numbers(CodeBlocks blocks) {
    List<Integer> known = new ArrayList<>(places.keySet());
    int[] numbers = new int[known.isEmpty() ? 0 : known.getLast() + 1];
    places.forEach((block, place) -> numbers[block] = blocks.at(place.address(), place.codeSize()));
    return numbers;
  }

  /** Hands on what a packet tells besides the flow. */
  static void observe(PacketCursor packet, FlowTotals totals, boolean wantsTime, PacketSink to) {
    totals.add(packet);
    PacketType type = packet.type();
    if (type == PacketType.ERROR) {
      to.damage(packet.error(), packet.offset(), packet.length());
    } else if (wantsTime && PacketClock.needs(packet)) {
      to.time(type, PacketClock.operand(packet), packet.inHeader());
    }
  }
}

package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.x86.FlowClass;
import java.util.Arrays;

/** Sums over a flow or a part of one: instructions, by class, blocks, packets by type. */
public final class FlowTotals {
  private final long[] packets = new long[PacketType.values().length];
  private final long[] classes = new long[FlowClass.values().length];
  private long instructions;
  private long runs;

  /** Times that whole blocks ran since they were added to the classes last. */
  private int[] executions = new int[256];

  private int[] touched = new int[256];
  private int touchedCount;

  /** Nothing was executed yet. */
  public FlowTotals() {}

  /** Counts the packets that a cursor stands on. */
  public void add(PacketCursor packet) {
    packets[packet.type().ordinal()] += packet.repeats();
  }

  /**
   * Counts instructions that were executed.
   *
   * @param blocks the same ones until {@link #settle}
   * @param count instructions from the start of the block on
   */
  public void add(CodeBlocks blocks, int block, int count) {
    instructions += count;
    runs++;
    if (count != blocks.count(block)) {
      classes(blocks, block, count, 1);
      return;
    }
    if (block >= executions.length) {
      executions = Arrays.copyOf(executions, Math.max(block + 1, 2 * executions.length));
    }
    int before = executions[block]++;
    if (before == 0) {
      if (touchedCount == touched.length) {
        touched = Arrays.copyOf(touched, 2 * touched.length);
      }
      touched[touchedCount++] = block;
    } else if (before == Integer.MAX_VALUE - 1) {
      classes(blocks, block, count, before + 1L);
      executions[block] = 0;
    }
  }

  private void classes(CodeBlocks blocks, int block, int count, long times) {
    for (int i = 0; i < count; i++) {
      classes[blocks.flowClass(block, i).ordinal()] += times;
    }
  }

  /** Adds up what was counted by block. */
  public void settle(CodeBlocks blocks) {
    for (int i = 0; i < touchedCount; i++) {
      int block = touched[i];
      classes(blocks, block, blocks.count(block), executions[block]);
      executions[block] = 0;
    }
    touchedCount = 0;
  }

  /** Adds the sums of another part, which are settled. */
  public void add(FlowTotals part) {
    for (int i = 0; i < packets.length; i++) {
      packets[i] += part.packets[i];
    }
    for (int i = 0; i < classes.length; i++) {
      classes[i] += part.classes[i];
    }
    instructions += part.instructions;
    runs += part.runs;
  }

  /** Moves the sums, which are settled, to another one that is empty. */
  void moveTo(FlowTotals to) {
    to.add(this);
    Arrays.fill(packets, 0);
    Arrays.fill(classes, 0);
    instructions = 0;
    runs = 0;
  }

  /** Returns the number of instructions. */
  public long instructions() {
    return instructions;
  }

  /** Returns how many blocks were executed, one that ran twice twice. */
  public long runs() {
    return runs;
  }

  /** Returns the number of packets of a type. */
  public long count(PacketType type) {
    return packets[type.ordinal()];
  }

  /** Returns the number of instructions of a class; after {@link #settle}. */
  public long count(FlowClass flowClass) {
    return classes[flowClass.ordinal()];
  }
}

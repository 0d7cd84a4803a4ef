package io.ntrail.live.recovery;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.target.ThreadContext;
import io.ntrail.live.target.ThreadContext.Registers;
import io.ntrail.live.windows.TargetMemory;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Conservative scan of registers and stacks for words that look like addresses of tracing. All
 * threads must be suspended.
 */
final class ConservativeStackScan {
  private static final long NOWHERE = -1;
  private static final int MAX_STACK = 1 << 30;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final Architecture architecture;
  private final List<TracingMemory.Block> blocks;
  private final Map<Stopped, ThreadContext> contexts = new HashMap<>();

  /** Addresses of the words, {@link #NOWHERE} for registers. */
  private final Map<Long, Set<Long>> found = new HashMap<>();

  private boolean unread;

  /** Scans the registers of threads. */
  ConservativeStackScan(
      TargetProcess target, List<TracingMemory.Block> blocks, List<Stopped> stopped) {
    this.target = target;
    this.memory = target.memory();
    this.architecture = target.architecture();
    this.blocks = blocks;
    for (Stopped thread : stopped) {
      // Threads that are only about to begin have no registers, and nothing on their stacks.
      target
          .threads()
          .find(thread.handle(), Registers.FULL)
          .ifPresent(context -> contexts.put(thread, context));
    }
  }

  /** Returns how many threads execute code in that memory. */
  int inside() {
    return (int)
        contexts.values().stream().filter(one -> block(one.instructionPointer()) != null).count();
  }

  /**
   * Scans all stacks.
   *
   * @param fibers bases of stacks that may be unused now; the start of their frames is unknown
   */
  void look(Collection<Long> fibers) {
    Set<Long> bases = new HashSet<>();
    for (Map.Entry<Stopped, ThreadContext> thread : contexts.entrySet()) {
      for (long register : thread.getValue().registers()) {
        note(register, NOWHERE);
      }
      long base = target.threads().stackBase(thread.getKey().handle());
      bases.add(base);
      look(thread.getValue().stackPointer() & -architecture.pointerSize(), base);
    }
    for (long base : fibers) {
      if (bases.add(base) && !memory.isFree(base - architecture.pointerSize())) {
        look(memory.regionBegin(base - architecture.pointerSize()), base);
      }
    }
  }

  private void look(long from, long to) {
    byte[] read =
        from < to && to - from <= MAX_STACK
            ? memory.readUpTo(from, (int) (to - from))
            : new byte[0];
    // What could not be read could refer to anything.
    unread |= read.length < to - from;
    Bytes stack = Bytes.copyOf(read, "stack");
    int size = architecture.pointerSize();
    for (int at = 0; at + size <= read.length; at += size) {
      note(architecture.pointer(stack, at), from + at);
    }
  }

  private void note(long word, long place) {
    if (block(word) != null) {
      found.computeIfAbsent(word, _ -> new HashSet<>()).add(place);
    }
  }

  /** Returns the block that contains an address. */
  private TracingMemory.@Nullable Block block(long address) {
    if (address >>> architecture.addressBits() == 0) {
      for (TracingMemory.Block block : blocks) {
        if (block.contains(address)) {
          return block;
        }
      }
    }
    return null;
  }

  /** Returns whether a word occurs at one address only. */
  boolean isAlone(long word, long place) {
    return !unread && found.getOrDefault(word, Set.of()).stream().allMatch(at -> at == place);
  }

  /**
   * Counts the words that still look like addresses.
   *
   * @param changed places where there is something else by now
   * @param referred becomes the blocks of those words
   */
  int count(Set<Long> changed, Set<TracingMemory.Block> referred) {
    referred.clear();
    int words = 0;
    if (unread) {
      referred.addAll(blocks);
      words++;
    }
    for (Map.Entry<Long, Set<Long>> word : found.entrySet()) {
      long places = word.getValue().stream().filter(place -> !changed.contains(place)).count();
      words += count(word.getKey(), places, referred);
    }
    for (long place : changed) {
      // Of a chain of tail calls only the first may have been repaired.
      words +=
          count(
              architecture.pointer(memory.read(place, architecture.pointerSize()), 0), 1, referred);
    }
    return words;
  }

  /**
   * Adds the blocks that threads would use next: a frame that returns through its slot may write
   * its record where its thread wrote the last one, or where the thread's next slot is.
   *
   * @param words TLS indices
   */
  void next(List<Integer> words, Set<TracingMemory.Block> referred) {
    for (Stopped thread : contexts.keySet()) {
      for (int word : words) {
        TracingMemory.Block block = block(target.threads().tlsValue(thread.handle(), word));
        if (block != null) {
          referred.add(block);
        }
      }
    }
  }

  private int count(long word, long places, Set<TracingMemory.Block> referred) {
    TracingMemory.Block block = block(word);
    if (block == null || places == 0) {
      return 0;
    }
    referred.add(block);
    return (int) places;
  }
}

package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.target.ThreadContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes tracing out of a program that goes on: code as it was, true return addresses in all frames,
 * and then the memory, if nothing refers to it any more.
 *
 * <p>What can refer to it: registers of threads, and words on stacks. All of them are looked
 * through while the threads stand; a word that only looks like an address of ours keeps the memory
 * where it is.
 */
final class Detacher {
  private static final int TRIES = 200;
  private static final int PAUSE_MILLIS = 10;
  private static final long NOWHERE = -1;
  private static final int MOST_STACK = 1 << 30;

  /** Words with more bits are no addresses of a program. */
  private static final int ADDRESS_BITS = 47;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final Patcher patcher;
  private final List<TracingMemory.Block> all = new ArrayList<>();
  private final Set<TracingMemory.Block> referred = new HashSet<>();

  /** Words that look like addresses of ours: where they lie, {@link #NOWHERE} of registers. */
  private final Map<Long, Set<Long>> found = new HashMap<>();

  private boolean unread;

  Detacher(TargetProcess target, TracingMemory tracing, Patcher patcher) {
    this.target = target;
    this.memory = target.memory();
    this.tracing = tracing;
    this.patcher = patcher;
    all.add(tracing.runtimeBlock());
    all.addAll(tracing.areaBlocks());
    all.addAll(patcher.blocks());
    all.addAll(tracing.besideBlocks());
    tracing.lookup().block().ifPresent(all::add);
  }

  /** Does it. The code is put back at the first stop, whatever comes after. */
  Detachment detach() {
    LiveFrames frames = new LiveFrames(memory, tracing);
    int tries = 0;
    int inside = 1;
    int repaired = 0;
    int words = 0;
    List<TracingMemory.Block> free = List.of();
    try (Patcher.Change code = patcher.disarming();
        Patcher.Change guard = patcher.unguarding()) {
      while (inside > 0 && tries < TRIES) {
        if (tries > 0) {
          pause();
        }
        List<Stopped> stopped = target.threads().stopAll();
        try {
          if (tries == 0) {
            code.write(stopped);
          }
          tries++;
          Map<Stopped, ThreadContext> contexts = contexts(stopped);
          found.clear();
          inside =
              (int)
                  contexts.values().stream()
                      .filter(context -> block(context.rip()) != null)
                      .count();
          if (inside == 0) {
            look(frames, contexts);
            Set<Long> places = frames.repair(this::isAlone);
            repaired = places.size();
            words = references(places);
            free = free(words);
            if (words == 0) {
              guard.write(List.of());
            }
            tracing.lookup().forget(free);
          }
        } finally {
          target.threads().resume(stopped);
        }
      }
    }
    String left =
        inside > 0
            ? inside + (inside == 1 ? " thread stays" : " threads stay") + " inside of its code"
            : !tracing.stays().isEmpty()
                ? tracing.stays()
                : words > 0
                    ? "%d %s like an address of it"
                        .formatted(
                            words, words == 1 ? "word of a stack looks" : "words of stacks look")
                    : tracing.canRemove() ? "" : "the system cannot forget unwind data";
    boolean removed = left.isEmpty();
    try {
      tracing.remove(free);
      if (removed) {
        tracing.removeAll();
      }
    } catch (CannotGoOn e) {
      // The program has its code back; what stays does no harm.
      removed = false;
      left = "it could not be given back: " + e.getMessage();
    }
    return new Detachment(repaired, tries, removed, removed ? 0 : all.size() - free.size(), left);
  }

  /** The blocks that nothing refers to. What all others need stays as long as there are others. */
  private List<TracingMemory.Block> free(int words) {
    if (!tracing.canRemove()) {
      return List.of();
    }
    List<TracingMemory.Block> free = new ArrayList<>(tracing.areaBlocks());
    free.addAll(patcher.blocks());
    free.addAll(tracing.besideBlocks());
    if (words == 0) {
      tracing.lookup().block().ifPresent(free::add);
    }
    free.removeIf(referred::contains);
    return List.copyOf(free);
  }

  /** Threads that are only about to begin have no registers, and nothing on their stacks. */
  private Map<Stopped, ThreadContext> contexts(List<Stopped> stopped) {
    Map<Stopped, ThreadContext> contexts = new HashMap<>();
    for (Stopped thread : stopped) {
      target
          .threads()
          .find(thread.handle(), ThreadContext.FULL)
          .ifPresent(context -> contexts.put(thread, context));
    }
    return contexts;
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CannotGoOn("interrupted", "");
    }
  }

  /** The block of ours that an address lies in. */
  private TracingMemory.@Nullable Block block(long address) {
    if (address >>> ADDRESS_BITS == 0) {
      for (TracingMemory.Block block : all) {
        if (block.contains(address)) {
          return block;
        }
      }
    }
    return null;
  }

  /**
   * Whether a return address into a slot is nowhere but in its place. Who unwinds the stack just
   * now may have it already, and would read that place again to get on.
   */
  private boolean isAlone(long exit, long place) {
    return !unread && found.getOrDefault(exit, Set.of()).stream().allMatch(at -> at == place);
  }

  /** Looks for all words that look like addresses of ours. */
  private void look(LiveFrames frames, Map<Stopped, ThreadContext> contexts) {
    Set<Long> bases = new HashSet<>();
    for (Map.Entry<Stopped, ThreadContext> thread : contexts.entrySet()) {
      for (long register : thread.getValue().registers()) {
        note(register, NOWHERE);
      }
      long base = target.threads().stackBase(thread.getKey().handle());
      bases.add(base);
      look(thread.getValue().rsp() & -8, base);
    }
    // Stacks of fibers that nobody runs now: where their frames begin nobody says.
    for (long base : frames.stacks()) {
      if (bases.add(base) && !memory.isFree(base - 8)) {
        look(memory.regionBegin(base - 8), base);
      }
    }
  }

  private void look(long from, long to) {
    byte[] read =
        from < to && to - from <= MOST_STACK
            ? memory.readUpTo(from, (int) (to - from))
            : new byte[0];
    // What could not be read could refer to anything.
    unread |= read.length < to - from;
    Bytes stack = Bytes.copyOf(read, "stack");
    for (int at = 0; at + 8 <= read.length; at += 8) {
      note(stack.i64(at), from + at);
    }
  }

  private void note(long word, long place) {
    if (block(word) != null) {
      found.computeIfAbsent(word, _ -> new HashSet<>()).add(place);
    }
  }

  /** Counts what still looks like an address of our memory, and remembers of which blocks. */
  private int references(Set<Long> repaired) {
    referred.clear();
    int words = 0;
    if (unread) {
      referred.addAll(all);
      words++;
    }
    for (Map.Entry<Long, Set<Long>> word : found.entrySet()) {
      long places = word.getValue().stream().filter(place -> !repaired.contains(place)).count();
      words += count(word.getKey(), places);
    }
    for (long place : repaired) {
      // Of a chain of tail calls only the first may have been repaired.
      words += count(memory.read(place, 8).i64(0), 1);
    }
    return words;
  }

  private int count(long word, long places) {
    TracingMemory.Block block = block(word);
    if (block == null || places == 0) {
      return 0;
    }
    referred.add(block);
    return (int) places;
  }
}

package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.target.ThreadContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
  private static final int MOST_STACK = 1 << 30;

  /** Words with more bits are no addresses of a program. */
  private static final int ADDRESS_BITS = 47;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final Patcher patcher;
  private final List<TracingMemory.Block> all = new ArrayList<>();
  private final Set<TracingMemory.Block> referred = new HashSet<>();

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
          List<ThreadContext> contexts =
              stopped.stream()
                  .map(thread -> target.threads().context(thread.handle(), ThreadContext.FULL))
                  .toList();
          inside = (int) contexts.stream().filter(context -> refers(context.rip())).count();
          if (inside == 0) {
            referred.clear();
            repaired = frames.repair();
            words = references(frames, stopped, contexts);
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
    tracing.remove(free);
    boolean removed = inside == 0 && words == 0 && tracing.canRemove();
    if (removed) {
      tracing.removeAll();
    }
    String left =
        removed
            ? ""
            : inside > 0
                ? inside + (inside == 1 ? " thread stays" : " threads stay") + " inside of its code"
                : !tracing.stays().isEmpty()
                    ? tracing.stays()
                    : "%d %s like an address of it"
                        .formatted(
                            words, words == 1 ? "word of a stack looks" : "words of stacks look");
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

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CannotGoOn("interrupted", "");
    }
  }

  /** Whether a word looks like an address of ours; remembers of which block. */
  private boolean refers(long word) {
    if (word >>> ADDRESS_BITS != 0) {
      return false;
    }
    for (TracingMemory.Block block : all) {
      if (block.contains(word)) {
        referred.add(block);
        return true;
      }
    }
    return false;
  }

  /** Counts what still looks like an address of our memory, and remembers of which blocks. */
  private int references(LiveFrames frames, List<Stopped> stopped, List<ThreadContext> contexts) {
    Set<Long> bases = new HashSet<>();
    int words = 0;
    for (int i = 0; i < stopped.size(); i++) {
      ThreadContext context = contexts.get(i);
      for (long register : context.registers()) {
        words += refers(register) ? 1 : 0;
      }
      long base = target.threads().stackBase(stopped.get(i).handle());
      bases.add(base);
      words += words(context.rsp() & -8, base);
    }
    // Stacks of fibers that nobody runs now: where their frames begin nobody says.
    for (long base : frames.stacks()) {
      if (bases.add(base) && !memory.isFree(base - 8)) {
        words += words(memory.regionBegin(base - 8), base);
      }
    }
    return words;
  }

  private int words(long from, long to) {
    byte[] read =
        from < to && to - from <= MOST_STACK
            ? memory.readUpTo(from, (int) (to - from))
            : new byte[0];
    if (read.length < to - from) {
      // What could not be read could refer to all of it.
      referred.addAll(all);
      return 1;
    }
    Bytes stack = Bytes.copyOf(read, "stack");
    int words = 0;
    for (int at = 0; at + 8 <= read.length; at += 8) {
      words += refers(stack.i64(at)) ? 1 : 0;
    }
    return words;
  }
}

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

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final Patcher patcher;
  private final List<TracingMemory.Block> blocks = new ArrayList<>();

  Detacher(TargetProcess target, TracingMemory tracing, Patcher patcher) {
    this.target = target;
    this.memory = target.memory();
    this.tracing = tracing;
    this.patcher = patcher;
    blocks.add(tracing.block());
    blocks.addAll(patcher.blocks());
    tracing.lookup().block().ifPresent(blocks::add);
  }

  /** Does it. The code is put back at the first stop, whatever comes after. */
  Detachment detach() {
    LiveFrames frames = new LiveFrames(memory, tracing);
    int tries = 0;
    int inside = 1;
    int repaired = 0;
    String left = "";
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
          inside = (int) contexts.stream().filter(context -> isOurs(context.rip())).count();
          if (inside == 0) {
            repaired = frames.repair();
            left = references(frames, stopped, contexts);
            if (left.isEmpty()) {
              guard.write(List.of());
              tracing.lookup().forget(blocks);
            }
          }
        } finally {
          target.threads().resume(stopped);
        }
      }
    }
    if (inside > 0) {
      left = inside + (inside == 1 ? " thread stays" : " threads stay") + " inside of its code";
    }
    if (left.isEmpty()) {
      tracing.remove(blocks.subList(1, blocks.size()));
    }
    return new Detachment(repaired, tries, left.isEmpty(), left);
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CannotGoOn("interrupted", "");
    }
  }

  private boolean isOurs(long address) {
    for (TracingMemory.Block block : blocks) {
      if (block.contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** Says what still refers to our memory; empty if nothing does. */
  private String references(
      LiveFrames frames, List<Stopped> stopped, List<ThreadContext> contexts) {
    Set<Long> bases = new HashSet<>();
    int words = 0;
    for (int i = 0; i < stopped.size(); i++) {
      ThreadContext context = contexts.get(i);
      for (long register : context.registers()) {
        words += isOurs(register) ? 1 : 0;
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
    return words == 0
        ? ""
        : "%d %s like an address of it"
            .formatted(words, words == 1 ? "word of a stack looks" : "words of stacks look");
  }

  private int words(long from, long to) {
    if (from >= to || to - from > Integer.MAX_VALUE) {
      return 0;
    }
    byte[] read = memory.readUpTo(from, (int) (to - from));
    if (read.length < to - from) {
      // What could not be read could refer to it.
      return 1;
    }
    Bytes stack = Bytes.copyOf(read, "stack");
    int words = 0;
    for (int at = 0; at + 8 <= read.length; at += 8) {
      words += isOurs(stack.i64(at)) ? 1 : 0;
    }
    return words;
  }
}

package io.ntrail.live.recovery;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Detaches from a program that continues to run: restores the code, then the return addresses in
 * all frames, and frees the memory when nothing refers to it any more.
 *
 * <p>What can refer to it: registers of threads, and words on stacks. All of them are looked
 * through while the threads are suspended; a word that only looks like an address of ours keeps the
 * memory where it is.
 */
public final class Detacher {
  private static final int TRIES = 200;
  private static final int PAUSE_MILLIS = 10;

  private final TargetProcess target;
  private final TracingMemory tracing;
  private final Patcher patcher;
  private final SessionJournal journal;
  private final List<TracingMemory.Block> all = new ArrayList<>();
  private final Set<TracingMemory.Block> referred = new HashSet<>();

  public Detacher(
      TargetProcess target, TracingMemory tracing, Patcher patcher, SessionJournal journal) {
    this.target = target;
    this.tracing = tracing;
    this.patcher = patcher;
    this.journal = journal;
    all.add(tracing.runtimeBlock());
    all.addAll(tracing.areaBlocks());
    all.addAll(patcher.blocks());
    all.addAll(tracing.besideBlocks());
    tracing.lookup().block().ifPresent(all::add);
  }

  /** Detaches. The code is put back at the first stop, whatever comes after. */
  public DetachResult detach() {
    ActiveFrames frames = new ActiveFrames(target, tracing);
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
          ConservativeStackScan references = new ConservativeStackScan(target, all, stopped);
          inside = references.inside();
          if (inside == 0) {
            references.look(frames.stacks());
            // Who unwinds the stack just now may have a return address already, and would read its
            // place again to get on.
            Set<Long> places = frames.repair(references::isAlone);
            repaired = places.size();
            words = references.count(places, referred);
            if (words > 0) {
              references.next(tracing.resources().words(), referred);
            }
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
            ? inside + (inside == 1 ? " thread is" : " threads are") + " still executing its code"
            : !tracing.stays().isEmpty()
                ? tracing.stays()
                : words > 0
                    ? "%d stack %s into it"
                        .formatted(
                            words,
                            words == 1
                                ? "word may be a return address"
                                : "words may be return addresses")
                    : tracing.canRemove() ? "" : "the system cannot unregister function tables";
    boolean removed = left.isEmpty();
    try {
      // Else nothing is free, and the journal is right as it is.
      if (tracing.canRemove()) {
        journal.giveBack(target, tracing.resources(), free, kept(free), removed);
      }
    } catch (CannotGoOn e) {
      // The program has its code back; what stays does no harm.
      removed = false;
      left = "could not be freed: " + e.getMessage();
    }
    return new DetachResult(repaired, tries, removed, removed ? 0 : all.size() - free.size(), left);
  }

  /**
   * Returns the blocks that nothing refers to. What all others need stays as long as there are
   * others.
   */
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

  /**
   * Returns the blocks that stay, except the runtime block and the guard, which other sessions take
   * over.
   */
  private List<TracingMemory.Block> kept(List<TracingMemory.Block> free) {
    List<TracingMemory.Block> kept = new ArrayList<>(all);
    kept.remove(tracing.runtimeBlock());
    tracing.lookup().block().ifPresent(kept::remove);
    kept.removeAll(free);
    return kept;
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }
}

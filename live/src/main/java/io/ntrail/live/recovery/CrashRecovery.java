package io.ntrail.live.recovery;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.LongLongMap;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.modules.DllNotificationHook;
import io.ntrail.live.patch.ModuleLookup;
import io.ntrail.live.patch.PatchJumps;
import io.ntrail.live.patch.PatchPages;
import io.ntrail.live.patch.TargetResources;
import io.ntrail.live.patch.TracingMemory.Block;
import io.ntrail.live.recovery.SessionJournal.Leftovers;
import io.ntrail.live.recovery.SessionJournal.Patch;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.target.ThreadContext.Registers;
import io.ntrail.live.windows.TargetMemory;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Cleans up after sessions whose controller died, or which had to leave memory in the target. */
public final class CrashRecovery {
  private final TargetProcess target;
  private final TargetMemory memory;
  private final List<Leftovers> found;

  private CrashRecovery(TargetProcess target, List<Leftovers> found) {
    this.target = target;
    this.memory = target.memory();
    this.found = found;
  }

  /**
   * Cleans up as far as it does no harm: a step that fails leaves everything after it unchanged.
   *
   * @return why not all could be done; empty if nothing is wrong
   */
  public static Optional<String> settle(TargetProcess target) {
    List<Leftovers> found = SessionJournal.others(target);
    if (!found.isEmpty() && TargetResources.canRemove(target)) {
      try {
        new CrashRecovery(target, found).settle();
      } catch (CannotGoOn e) {
        // Nothing more can be done without the agent, or for a program that has ended.
        if (target.exitCode().isPresent()) {
          throw e;
        }
        return Optional.of("recovery of an earlier trace session failed: " + e.getMessage());
      }
    }
    return Optional.empty();
  }

  private void settle() {
    found.forEach(one -> restore(one.resources(), one.patches()));
    found.forEach(this::endNotices);
    List<Block> all = found.stream().flatMap(one -> one.all().stream()).toList();
    List<Long> stacks = found.stream().flatMap(one -> one.stacks(target).stream()).toList();
    Set<Block> referred = new HashSet<>();
    List<Stopped> stopped = target.threads().stopAll();
    try {
      ConservativeStackScan references = new ConservativeStackScan(target, all, stopped);
      references.look(stacks);
      references.count(Set.of(), referred);
      // A frame writes through the words of its own session: another one's are not used by it.
      found.stream()
          .filter(one -> one.all().stream().anyMatch(referred::contains))
          .toList()
          .forEach(one -> references.next(one.resources().words(), referred));
      if (references.inside() > 0) {
        referred.addAll(all);
      }
      ModuleLookup.forgetLeft(
          target, found.stream().flatMap(one -> one.goes(referred).stream()).toList());
    } finally {
      target.threads().resume(stopped);
    }
    for (Leftovers one : found) {
      List<Block> kept = one.blocks().stream().filter(referred::contains).toList();
      one.journal()
          .giveBack(target, one.resources(), one.free(referred), kept, one.isFree(referred));
    }
  }

  /** Restores functions that jump to stubs of a dead controller. */
  private void restore(TargetResources resources, List<Patch> patches) {
    if (patches.isEmpty()) {
      return;
    }
    memory.write(resources.control() + SessionLayout.AT_ENABLED, new byte[4]);
    LongLongMap anew = new LongLongMap();
    patches.forEach(patch -> anew.put(patch.jump(), patch.function()));
    // Modules may be unloaded at any time unless all threads are suspended.
    List<Stopped> stopped = target.threads().stopAll();
    PatchPages pages = new PatchPages(memory);
    try {
      // Where a module was, there may be anything by now.
      List<Patch> there = patches.stream().filter(found(patches)).toList();
      read(there, pages);
      there.forEach(patch -> original(patch, pages));
      pages.open();
      if (!pages.write()) {
        throw new CannotGoOn("the program's code keeps changing", "");
      }
      stopped.forEach(thread -> begin(thread, anew));
    } finally {
      pages.close();
      target.threads().resume(stopped);
    }
  }

  private static void read(List<Patch> patches, PatchPages pages) {
    for (Patch patch : patches) {
      pages.touch(patch.function(), patch.near().length);
      pages.touch(patch.jump(), PatchJumps.BYTES);
    }
    pages.read();
  }

  /** Selects the patches that are still in place, or of which only the long jump is left. */
  private Predicate<Patch> found(List<Patch> patches) {
    PatchPages pages = new PatchPages(memory);
    read(patches, pages);
    return patch -> {
      try {
        byte[] now = pages.get(patch.function(), patch.near().length);
        byte[] jump = pages.get(patch.jump(), PatchJumps.BYTES);
        return Arrays.equals(jump, patch.far())
            && (Arrays.equals(now, patch.near()) || Arrays.equals(now, patch.original()));
      } catch (CannotGoOn e) {
        // Its module is gone.
        return false;
      }
    };
  }

  private static void original(Patch patch, PatchPages pages) {
    // In place, the long jump is what takes the place of the first bytes.
    if (patch.jump() != patch.function()) {
      pages.put(patch.jump(), patch.room());
    }
    pages.put(patch.function(), patch.original());
  }

  /** Restarts the function in a thread between the short jump and the long one. */
  private void begin(Stopped thread, LongLongMap anew) {
    target
        .threads()
        .find(thread.handle(), Registers.CONTROL)
        .filter(context -> anew.containsKey(context.instructionPointer()))
        .ifPresent(context ->
            target
                .threads()
                .context(
                    thread.handle(),
                    context.instructionPointer(anew.get(context.instructionPointer()))));
  }

  private void endNotices(Leftovers one) {
    if (one.notices() != 0) {
      DllNotificationHook.uninstall(target, one.notices());
    }
  }
}

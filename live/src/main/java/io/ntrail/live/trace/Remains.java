package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesOut;
import io.ntrail.live.code.Geometry;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThreads.Stopped;
import io.ntrail.live.trace.TracingMemory.Block;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a session has in a target and gives back: memory, function tables, two words of each thread.
 *
 * <p>What cannot be given back when it ends, because something still refers to it, is written down
 * in the target, at a place that the next session knows: that one looks again, before it begins.
 */
final class Remains {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final String DELETE_TABLE = "RtlDeleteGrowableFunctionTable";

  /** Where sessions write down what they leave, one behind the other. */
  private static final long PLACES = 0x6E74_7261_0000L;

  private static final int PLACE_BYTES = 1 << 20;
  private static final int MOST_PLACES = 64;

  /** "ntrail remains 1". */
  private static final long[] MAGIC = {0x7220_6C69_6172_746EL, 0x3120_736E_6961_6D65L};

  private static final int HEAD = 80;

  private final int slotWord;
  private final int recordWord;
  private final long control;
  private final Block reservation;
  private final int areaBytes;
  private final long unregisterRoutine;
  private final Map<Long, Long> handles;

  /**
   * Names it.
   *
   * @param slotWord the one TLS index
   * @param recordWord the other
   * @param control where the target has the session file
   * @param reservation with the runtime block and all areas
   * @param areaBytes bytes of an area
   * @param unregisterRoutine in the runtime block
   * @param handles of function tables, by the address that those begin with
   */
  Remains(
      int slotWord,
      int recordWord,
      long control,
      Block reservation,
      int areaBytes,
      long unregisterRoutine,
      Map<Long, Long> handles) {
    this.slotWord = slotWord;
    this.recordWord = recordWord;
    this.control = control;
    this.reservation = reservation;
    this.areaBytes = areaBytes;
    this.unregisterRoutine = unregisterRoutine;
    this.handles = new HashMap<>(handles);
  }

  /** Whether memory can be given back at all: the system can be told to forget function tables. */
  static boolean canRemove(TargetProcess target) {
    return target.calls().find("ntdll!" + DELETE_TABLE) != 0;
  }

  /** Gives blocks back into which nothing can come any more, with their function tables. */
  void remove(TargetProcess target, List<Block> free) {
    unregister(target, handles.keySet().stream().filter(base -> isIn(free, base)).toList());
    for (Block one : free) {
      if (one.allocation() == 0) {
        target.memory().decommit(one.begin() + Geometry.HEAD, areaBytes);
      } else {
        target.memory().free(one.allocation());
      }
    }
  }

  private static boolean isIn(List<Block> blocks, long address) {
    return blocks.stream().anyMatch(one -> one.contains(address));
  }

  /** Gives back what is left when all other blocks are gone, and what threads have. */
  void removeAll(TargetProcess target) {
    unregister(target, List.copyOf(handles.keySet()));
    // The system makes the words of all threads 0 with it.
    long release = target.calls().address("kernel32!TlsFree");
    target.run(release, slotWord, ROUTINE_MILLIS);
    target.run(release, recordWord, ROUTINE_MILLIS);
    target.memory().free(reservation.allocation());
    target.memory().unmap(control);
  }

  private void unregister(TargetProcess target, List<Long> bases) {
    if (bases.isEmpty()) {
      return;
    }
    BytesOut list = new BytesOut(1 << 10);
    list.u64(bases.size()).u64(target.calls().address("ntdll!" + DELETE_TABLE));
    bases.forEach(base -> list.u64(handles.getOrDefault(base, 0L)));
    long at = target.memory().allocate(list.size(), TargetMemory.READ_WRITE);
    target.memory().write(at, list.toArray());
    target.run(unregisterRoutine, at, ROUTINE_MILLIS);
    target.memory().free(at);
    bases.forEach(handles::remove);
  }

  /** Writes down what stays; without a place for it nobody will look again. */
  void leave(TargetMemory memory, Collection<Block> blocks) {
    for (int i = 0; i < MOST_PLACES; i++) {
      long place = PLACES + (long) i * PLACE_BYTES;
      if (memory.tryAllocate(place, PLACE_BYTES, TargetMemory.READ_WRITE)) {
        write(memory, place, blocks);
        return;
      }
    }
  }

  private void write(TargetMemory memory, long place, Collection<Block> blocks) {
    BytesOut out = new BytesOut(1 << 12);
    out.u64(MAGIC[0]).u64(MAGIC[1]).u32(slotWord).u32(recordWord).u64(control);
    out.u64(reservation.allocation()).u64(reservation.begin()).u64(reservation.size());
    out.u64(unregisterRoutine).u32(areaBytes).u32(blocks.size()).u64(handles.size());
    blocks.forEach(one -> out.u64(one.allocation()).u64(one.begin()).u64(one.size()));
    handles.forEach((base, handle) -> out.u64(base).u64(handle));
    if (out.size() <= PLACE_BYTES) {
      memory.write(place, out.toArray());
    }
  }

  /** What was written down at one place. */
  private record Found(long place, Remains remains, List<Block> blocks) {
    /** All memory in question, with the runtime block, which all other blocks need. */
    List<Block> all() {
      List<Block> all = new ArrayList<>(blocks);
      all.add(runtime());
      return all;
    }

    Block runtime() {
      return new Block(0, remains.reservation.begin(), Geometry.ALIGNMENT);
    }

    /** Whether nothing refers to any of it. */
    boolean isFree(Set<Block> referred) {
      return all().stream().noneMatch(referred::contains);
    }

    /** What nothing refers to; all of it, with the runtime block, if nothing refers to any. */
    List<Block> free(Set<Block> referred) {
      List<Block> free = new ArrayList<>(blocks);
      free.removeIf(referred::contains);
      if (isFree(referred)) {
        free.add(remains.reservation);
      }
      return free;
    }

    void giveBack(TargetProcess target, Set<Block> referred) {
      List<Block> free = new ArrayList<>(blocks);
      free.removeIf(referred::contains);
      remains.remove(target, free);
      if (isFree(referred)) {
        remains.removeAll(target);
        target.memory().free(place);
      } else {
        remains.write(target.memory(), place, blocks.stream().filter(referred::contains).toList());
      }
    }

    /** Bases of the stacks that had areas. */
    List<Long> stacks(TargetMemory memory) {
      return blocks.stream()
          .filter(one -> one.allocation() == 0)
          .map(one -> memory.readUpTo(one.begin() + Geometry.STACK_BASE, 8))
          .filter(read -> read.length == 8)
          .map(read -> Bytes.copyOf(read, "area").i64(0))
          .filter(base -> base != 0)
          .toList();
    }
  }

  private static List<Found> find(TargetMemory memory) {
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < MOST_PLACES; i++) {
      long place = PLACES + (long) i * PLACE_BYTES;
      byte[] head = memory.readUpTo(place, HEAD);
      if (head.length == HEAD) {
        Bytes bytes = Bytes.copyOf(head, "remains");
        long size = HEAD + 24L * bytes.u32(68) + 16L * Math.clamp(bytes.i64(72), 0, PLACE_BYTES);
        if (bytes.i64(0) == MAGIC[0] && bytes.i64(8) == MAGIC[1] && size <= PLACE_BYTES) {
          found.add(read(place, memory.read(place, (int) size)));
        }
      }
    }
    return found;
  }

  private static Found read(long place, Bytes bytes) {
    List<Block> blocks = new ArrayList<>();
    int at = HEAD;
    for (long i = bytes.u32(68); i > 0; i--, at += 24) {
      blocks.add(new Block(bytes.i64(at), bytes.i64(at + 8), bytes.i64(at + 16)));
    }
    Map<Long, Long> handles = new HashMap<>();
    for (long i = bytes.i64(72); i > 0; i--, at += 16) {
      handles.put(bytes.i64(at), bytes.i64(at + 8));
    }
    Remains remains =
        new Remains(
            (int) bytes.u32(16),
            (int) bytes.u32(20),
            bytes.i64(24),
            new Block(bytes.i64(32), bytes.i64(40), bytes.i64(48)),
            (int) bytes.u32(64),
            bytes.i64(56),
            handles);
    return new Found(place, remains, blocks);
  }

  /** Gives back what other sessions left and nothing refers to any more. */
  static void takeOver(TargetProcess target) {
    TargetMemory memory = target.memory();
    List<Found> found = find(memory);
    if (found.isEmpty() || !canRemove(target)) {
      return;
    }
    List<Block> all = found.stream().flatMap(one -> one.all().stream()).toList();
    List<Long> stacks = found.stream().flatMap(one -> one.stacks(memory).stream()).toList();
    Set<Block> referred = new HashSet<>();
    List<Stopped> stopped = target.threads().stopAll();
    try {
      References references = new References(target, all, stopped);
      references.look(stacks);
      references.count(Set.of(), referred);
      if (references.inside() > 0) {
        return;
      }
      ModuleLookup.forgetLeft(
          target, found.stream().flatMap(f -> f.free(referred).stream()).toList());
    } finally {
      target.threads().resume(stopped);
    }
    for (Found one : found) {
      one.giveBack(target, referred);
    }
  }
}

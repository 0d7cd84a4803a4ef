package io.ntrail.live.patch;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.patch.TracingMemory.Block;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a session has in a target and gives back: memory, function tables, words of threads. */
public final class TargetResources {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final String DELETE_TABLE = "RtlDeleteGrowableFunctionTable";

  public final int slotWord;
  public final int recordWord;
  public final long control;
  public final Block reservation;
  public final int areaBytes;
  public final long unregisterRoutine;
  public final Map<Long, Long> handles;

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
  public TargetResources(
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

  /** Indices of the words of threads. */
  public List<Integer> words() {
    return List.of(slotWord, recordWord);
  }

  /** Whether memory can be given back at all: the system can be told to forget function tables. */
  public static boolean canRemove(TargetProcess target) {
    return target.calls().find("ntdll!" + DELETE_TABLE) != 0;
  }

  /** The same without the function tables of some blocks. */
  public TargetResources without(List<Block> free) {
    Map<Long, Long> left = new HashMap<>(handles);
    left.keySet().removeIf(base -> isIn(free, base));
    return new TargetResources(
        slotWord, recordWord, control, reservation, areaBytes, unregisterRoutine, left);
  }

  /** Gives blocks back into which nothing can come any more, with their function tables. */
  public void remove(TargetProcess target, List<Block> free) {
    unregister(target, handles.keySet().stream().filter(base -> isIn(free, base)).toList());
    for (Block one : free) {
      if (one.allocation() == 0) {
        target.memory().decommit(one.begin() + target.architecture().areas().head(), areaBytes);
      } else {
        target.memory().free(one.allocation());
      }
    }
  }

  private static boolean isIn(List<Block> blocks, long address) {
    return blocks.stream().anyMatch(one -> one.contains(address));
  }

  /** Gives back what is left when all other blocks are gone, and what threads have. */
  public void removeAll(TargetProcess target) {
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
    BytesBuilder list = new BytesBuilder(1 << 10);
    list.u64(bases.size()).u64(target.calls().address("ntdll!" + DELETE_TABLE));
    bases.forEach(base -> list.u64(handles.getOrDefault(base, 0L)));
    long at = target.memory().allocate(list.size(), TargetMemory.READ_WRITE);
    target.memory().write(at, list.toArray());
    target.run(unregisterRoutine, at, ROUTINE_MILLIS);
    target.memory().free(at);
    bases.forEach(handles::remove);
  }
}

package io.ntrail.live.patch;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.patch.TracingMemory.Block;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Resources of a session in a target: memory, function tables, TLS slots.
 *
 * @param slotIndex the one TLS index
 * @param recordIndex the other
 * @param control address of the session file in the target
 * @param reservation with the runtime block and all areas
 * @param areaBytes size of an area
 * @param unregisterRoutine in the runtime block
 * @param handles of function tables, by the address that those begin with
 */
public record TargetResources(
    int slotIndex,
    int recordIndex,
    long control,
    Block reservation,
    int areaBytes,
    long unregisterRoutine,
    Map<Long, Long> handles) {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final String DELETE_TABLE = "RtlDeleteGrowableFunctionTable";

  /** Copies the handles. */
  public TargetResources {
    handles = new HashMap<>(handles);
  }

  /** Returns the TLS indices. */
  public List<Integer> words() {
    return List.of(slotIndex, recordIndex);
  }

  /**
   * Returns whether memory can be freed at all: function tables can be deleted, if there are any.
   */
  public static boolean canRemove(TargetProcess target) {
    return !target.architecture().hasFunctionTables()
        || target.calls().find("ntdll!" + DELETE_TABLE) != 0;
  }

  /** Returns the resources without the function tables of some blocks. */
  public TargetResources without(List<Block> free) {
    Map<Long, Long> left = new HashMap<>(handles);
    left.keySet().removeIf(base -> isIn(free, base));
    return new TargetResources(
        slotIndex, recordIndex, control, reservation, areaBytes, unregisterRoutine, left);
  }

  /** Frees unreachable blocks, with their function tables. */
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

  /** Frees the remaining blocks when all others are gone, and the TLS slots. */
  public void removeAll(TargetProcess target) {
    unregister(target, List.copyOf(handles.keySet()));
    // The system makes the words of all threads 0 with it.
    long release = target.calls().address("kernel32!TlsFree");
    target.run(release, slotIndex, ROUTINE_MILLIS);
    target.run(release, recordIndex, ROUTINE_MILLIS);
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

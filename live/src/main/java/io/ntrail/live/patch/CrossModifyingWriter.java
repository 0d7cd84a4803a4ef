package io.ntrail.live.patch;

import io.ntrail.live.code.StoreCode;
import io.ntrail.live.code.StoreCode.Store;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Writes code that threads of a target may be executing, two bytes with one store at a time. */
final class CrossModifyingWriter {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final int PAGE = 0x1000;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final TracingMemory tracing;
  private final StoreCode code;
  private long routine;

  CrossModifyingWriter(TargetProcess target, TracingMemory tracing) {
    this.target = target;
    this.memory = target.memory();
    this.tracing = tracing;
    this.code = target.architecture().stores();
  }

  /**
   * Makes stores into writable pages.
   *
   * @return where that was done: elsewhere there was something else than what was expected
   */
  Set<Long> write(List<Store> stores) {
    if (routine == 0) {
      install();
    }
    byte[] parameters = code.parameters(stores);
    long at = memory.allocate(parameters.length, TargetMemory.READ_WRITE);
    memory.write(at, parameters);
    target.run(routine, at, ROUTINE_MILLIS);
    List<Store> made = code.made(memory.read(at, parameters.length), stores);
    memory.free(at);
    Set<Long> addresses = new HashSet<>();
    made.forEach(store -> addresses.add(store.address()));
    return addresses;
  }

  private void install() {
    byte[] bytes = code.bytes();
    long block = memory.allocate(PAGE, TargetMemory.READ_WRITE);
    memory.write(block, bytes);
    memory.protect(block, PAGE, TargetMemory.EXECUTE_READ);
    tracing.lookup().add(block, PAGE);
    tracing.beside(new TracingMemory.Block(block, block, PAGE));
    tracing.table(
        new TracingMemory.Table(
            block + code.tableAt(), code.entries(), block, block + code.tableAt()));
    tracing.register();
    routine = block;
  }
}

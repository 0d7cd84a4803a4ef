package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesOut;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.Area;
import io.ntrail.live.code.Geometry;
import io.ntrail.live.code.RuntimeBlock;
import io.ntrail.live.code.TargetRoutines;
import io.ntrail.live.code.ThreadWords;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What tracing needs in a target whatever is traced: the session file, the runtime block, areas,
 * and their unwind data.
 */
final class TracingMemory {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final int FEWEST_AREAS = 64;

  /** Behind the code of the runtime block: its table, and routines for threads of their own. */
  private static final int RUNTIME_TABLE = Geometry.CODE + 0x2000;

  private static final int RUNTIME_END = RUNTIME_TABLE + 0x2000;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final SessionFile session;
  private final ThreadWords words;
  private final long control;
  private final long reserved;
  private final int room;
  private final ModuleLookup lookup;
  private final RuntimeBlock runtime;
  private final Area area;
  private final long registerRoutine;
  private final long selfTestRoutine;
  private final long costRoutine;
  private final List<Long> areas = new ArrayList<>();
  private final List<Table> unregistered = new ArrayList<>();

  /** A function table that the system does not know yet. */
  record Table(long table, int entries, long base, long end) {}

  /**
   * Writes all but areas.
   *
   * @param mostAreas how many there can be; fewer if there is not so much address space
   */
  TracingMemory(TargetProcess target, SessionFile session, String sessionName, int mostAreas) {
    this.target = target;
    this.memory = target.memory();
    this.session = session;
    this.words = ThreadWords.of(word(), word());
    this.control = memory.map(sessionName);
    int most = mostAreas;
    long found = 0;
    while (found == 0) {
      // The runtime block, the areas, and what is lost because they begin at multiples.
      long size = (most + 2L) * Geometry.ALIGNMENT;
      found = most > FEWEST_AREAS ? memory.tryReserve(size) : memory.reserve(size);
      most = found == 0 ? most / 2 : most;
    }
    this.room = most;
    this.reserved = found + Geometry.ALIGNMENT - 1 & -Geometry.ALIGNMENT;
    long block = reserved;
    this.lookup = ModuleLookup.of(target);
    lookup.add(reserved, (room + 1L) * Geometry.ALIGNMENT);
    this.runtime = RuntimeBlock.at(block, control, session.chunks(), words, session.recordBytes());
    this.area = Area.of(words, session.recordBytes(), runtime);
    byte[] code = runtime.bytes();
    byte[] table = runtime.table(RUNTIME_TABLE - Geometry.CODE);
    byte[] register = TargetRoutines.register();
    byte[] test = TargetRoutines.selfTest();
    byte[] cost = TargetRoutines.cost(words, session.recordBytes());
    byte[] touch = TargetRoutines.touch();
    int registerAt = RUNTIME_TABLE + table.length + 0x3F & ~0x3F;
    int testAt = registerAt + register.length + 0x3F & ~0x3F;
    int costAt = testAt + test.length + 0x3F & ~0x3F;
    int touchAt = costAt + cost.length + 0x3F & ~0x3F;
    if (code.length > RUNTIME_TABLE - Geometry.CODE || touchAt + touch.length > RUNTIME_END) {
      throw new IllegalStateException("the runtime block is too small");
    }
    memory.commit(block + Geometry.INDEX, RUNTIME_END - Geometry.INDEX, TargetMemory.READ_WRITE);
    memory.write(block + Geometry.CODE, code);
    memory.write(block + RUNTIME_TABLE, table);
    memory.write(block + registerAt, register);
    memory.write(block + testAt, test);
    memory.write(block + costAt, cost);
    memory.write(block + touchAt, touch);
    memory.protect(block + Geometry.CODE, RUNTIME_END - Geometry.CODE, TargetMemory.EXECUTE_READ);
    registerRoutine = block + registerAt;
    selfTestRoutine = block + testAt;
    costRoutine = block + costAt;
    unregistered.add(
        new Table(
            block + RUNTIME_TABLE,
            runtime.entries(),
            block + Geometry.CODE,
            block + RUNTIME_TABLE));
    touchSession(block + touchAt);
  }

  private void touchSession(long routine) {
    long parameters = memory.allocate(16, TargetMemory.READ_WRITE);
    memory.write(parameters, new BytesOut(16).u64(control).u64(session.size()).toArray());
    target.run(routine, parameters, ROUTINE_MILLIS);
    memory.free(parameters);
  }

  private int word() {
    int word = target.run(target.calls().address("kernel32!TlsAlloc"), 0, ROUTINE_MILLIS);
    if (word < 0 || word >= ThreadWords.DIRECT) {
      throw new CannotGoOn(
          "no directly addressable TLS slot is left in the target (TlsAlloc gave " + word + ")",
          "");
    }
    return word;
  }

  /** Where the target has the session file. */
  long control() {
    return control;
  }

  /** How the target's system finds the module of an address. */
  ModuleLookup lookup() {
    return lookup;
  }

  /** How many areas there can be. */
  int room() {
    return room;
  }

  ThreadWords words() {
    return words;
  }

  RuntimeBlock runtime() {
    return runtime;
  }

  Area area() {
    return area;
  }

  /** Addresses of all areas, by their numbers. */
  List<Long> areas() {
    return List.copyOf(areas);
  }

  long selfTestRoutine() {
    return selfTestRoutine;
  }

  long costRoutine() {
    return costRoutine;
  }

  /**
   * Offers areas again whose thread ended and whose stack is no longer memory: nothing can run
   * there or return there any more.
   */
  void reclaim(Set<Integer> alive) {
    if (session.areasFree() >= areas.size()) {
      return;
    }
    for (int number = 0; number < areas.size(); number++) {
      long head = areas.get(number) + Geometry.HEAD;
      Bytes fields = memory.read(head, 24);
      long stack = fields.i64(0);
      int thread = (int) fields.u32(Geometry.THREAD - Geometry.HEAD);
      if (stack != 0 && !alive.contains(thread) && memory.isFree(stack - 8)) {
        memory.write(head, new byte[8]);
        // A thread that was born there since then may have found the area as that of its stack;
        // from here on none can.
        if (!memory.isFree(stack - 8)) {
          memory.write(head, new BytesOut(8).u64(stack).toArray());
          continue;
        }
        memory.write(areas.get(number) + Geometry.DATA, area.data(number));
        memory.write(head, new byte[24]);
        session.offerArea(number);
      }
    }
  }

  /** Makes areas, tells the system of their unwind data, and offers them to threads. */
  void addAreas(int count) {
    if (areas.size() + count > room) {
      throw new IllegalArgumentException(count + " areas more than there is room for");
    }
    long first = reserved + (1L + areas.size()) * Geometry.ALIGNMENT;
    byte[] code = area.code();
    byte[] table = area.table();
    byte[] whole = new byte[Geometry.TABLE - Geometry.CODE + table.length];
    System.arraycopy(code, 0, whole, 0, code.length);
    System.arraycopy(table, 0, whole, Geometry.TABLE - Geometry.CODE, table.length);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long at = first + (long) i * Geometry.ALIGNMENT;
      byte[] data = area.data(areas.size());
      System.arraycopy(data, 0, whole, Geometry.DATA - Geometry.CODE, data.length);
      memory.commit(at + Geometry.HEAD, area.size(), TargetMemory.READ_WRITE);
      memory.write(at + Geometry.CODE, whole);
      memory.protect(at + Geometry.CODE, Geometry.DELTA, TargetMemory.EXECUTE_READ);
      memory.protect(
          at + Geometry.TABLE,
          Geometry.HEAD + area.size() - Geometry.TABLE,
          TargetMemory.EXECUTE_READ);
      unregistered.add(
          new Table(
              at + Geometry.TABLE,
              area.entries(),
              at + Geometry.HEAD,
              at + Geometry.HEAD + area.size()));
      areas.add(at);
      // Threads look into all areas that there are: not before there is memory.
      numbers.add(session.addArea(at));
    }
    register();
    numbers.forEach(session::offerArea);
  }

  /** Remembers a function table for {@link #register}. */
  void table(Table table) {
    unregistered.add(table);
  }

  /** Tells the system of the function tables that it does not know yet. */
  void register() {
    if (unregistered.isEmpty()) {
      return;
    }
    long function = target.calls().find("ntdll!RtlAddGrowableFunctionTable");
    if (function == 0) {
      throw new CannotGoOn(
          "this system cannot be told of unwind data (RtlAddGrowableFunctionTable is missing)",
          "Windows 8 or newer is needed");
    }
    BytesOut list = new BytesOut(1 << 10);
    list.u64(unregistered.size()).u64(function);
    long size = 16 + 56L * unregistered.size();
    long at = memory.allocate(size, TargetMemory.READ_WRITE);
    long handles = at + 16 + 48L * unregistered.size();
    for (Table table : unregistered) {
      list.u64(handles).u64(table.table).u64(table.entries).u64(table.entries);
      list.u64(table.base).u64(table.end);
      handles += 8;
    }
    memory.write(at, list.toArray());
    int status = target.run(registerRoutine, at, ROUTINE_MILLIS);
    memory.free(at);
    if (status != 0) {
      throw new CannotGoOn(
          "the system did not take unwind data (status 0x%08x)".formatted(status), "");
    }
    unregistered.clear();
  }
}

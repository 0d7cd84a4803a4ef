package io.ntrail.live.patch;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.x64.AreaImage;
import io.ntrail.live.code.x64.AreaLayout;
import io.ntrail.live.code.x64.RuntimeBlock;
import io.ntrail.live.code.x64.TargetRoutines;
import io.ntrail.live.code.x64.TlsOffsets;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What tracing needs in a target whatever is traced: the session file, the runtime block, areas,
 * and their unwind data.
 */
public final class TracingMemory {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final int FEWEST_AREAS = 64;

  /** TLS_OUT_OF_INDEXES. */
  private static final int NO_WORD = -1;

  /** Behind the code of the runtime block: its table, and routines for threads of their own. */
  private static final int RUNTIME_TABLE = AreaLayout.CODE + 0x2000;

  private static final int RUNTIME_END = RUNTIME_TABLE + 0x2000;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final SessionFile session;
  private final TlsOffsets words;
  private final long control;
  private final long reserved;
  private final int room;
  private final ModuleLookup lookup;
  private final RuntimeBlock runtime;
  private final AreaImage area;
  private final long registerRoutine;
  private final long selfTestRoutine;
  private final long costRoutine;
  private final long unregisterRoutine;
  private final List<Long> areas = new ArrayList<>();
  private final List<Table> unregistered = new ArrayList<>();
  private final Map<Long, Long> handles = new HashMap<>();
  private final List<Block> beside = new ArrayList<>();
  private final Block block;
  private String stays = "";

  /**
   * Memory of a target that belongs to tracing.
   *
   * @param allocation what it is given back by
   * @param begin its first address
   * @param size bytes
   */
  public record Block(long allocation, long begin, long size) {
    public boolean contains(long address) {
      return address - begin >= 0 && address - begin < size;
    }
  }

  /** A function table that the system does not know yet. */
  public record Table(long table, int entries, long base, long end) {}

  /**
   * Writes all but areas.
   *
   * @param mostAreas how many there can be; fewer if there is not so much address space
   */
  public TracingMemory(
      TargetProcess target, SessionFile session, String sessionName, int mostAreas) {
    this.target = target;
    this.memory = target.memory();
    this.session = session;
    this.words = words(target);
    int most = mostAreas;
    long mapped = 0;
    long found = 0;
    try {
      mapped = memory.map(sessionName);
      while (found == 0) {
        // The runtime block, the areas, and what is lost because they begin at multiples.
        long size = (most + 2L) * AreaLayout.ALIGNMENT;
        found = most > FEWEST_AREAS ? memory.tryReserve(size) : memory.reserve(size);
        most = found == 0 ? most / 2 : most;
      }
    } finally {
      if (found == 0) {
        giveBack(target, words.slotIndex());
        giveBack(target, words.recordIndex());
        if (mapped != 0) {
          memory.unmap(mapped);
        }
      }
    }
    this.control = mapped;
    this.room = most;
    this.reserved = found + AreaLayout.ALIGNMENT - 1 & -AreaLayout.ALIGNMENT;
    this.block = new Block(found, reserved, (room + 1L) * AreaLayout.ALIGNMENT);
    this.lookup = ModuleLookup.of(target);
    lookup.add(block.begin, block.size);
    this.runtime =
        RuntimeBlock.at(reserved, control, session.chunks(), words, session.recordBytes());
    this.area = AreaImage.of(words, session.recordBytes(), runtime);
    byte[] code = runtime.bytes();
    byte[] table = runtime.table(RUNTIME_TABLE - AreaLayout.CODE);
    byte[] register = TargetRoutines.register();
    byte[] test = TargetRoutines.selfTest();
    byte[] cost = TargetRoutines.cost(words, session.recordBytes());
    byte[] touch = TargetRoutines.touch();
    int registerAt = RUNTIME_TABLE + table.length + 0x3F & ~0x3F;
    int testAt = registerAt + register.length + 0x3F & ~0x3F;
    int costAt = testAt + test.length + 0x3F & ~0x3F;
    int touchAt = costAt + cost.length + 0x3F & ~0x3F;
    byte[] unregister = TargetRoutines.unregister();
    int unregisterAt = touchAt + touch.length + 0x3F & ~0x3F;
    if (code.length > RUNTIME_TABLE - AreaLayout.CODE
        || unregisterAt + unregister.length > RUNTIME_END) {
      throw new IllegalStateException("the runtime block is too small");
    }
    memory.commit(
        reserved + AreaLayout.INDEX, RUNTIME_END - AreaLayout.INDEX, TargetMemory.READ_WRITE);
    memory.write(reserved + AreaLayout.CODE, code);
    memory.write(reserved + RUNTIME_TABLE, table);
    memory.write(reserved + registerAt, register);
    memory.write(reserved + testAt, test);
    memory.write(reserved + costAt, cost);
    memory.write(reserved + touchAt, touch);
    memory.write(reserved + unregisterAt, unregister);
    memory.protect(
        reserved + AreaLayout.CODE, RUNTIME_END - AreaLayout.CODE, TargetMemory.EXECUTE_READ);
    registerRoutine = reserved + registerAt;
    selfTestRoutine = reserved + testAt;
    costRoutine = reserved + costAt;
    unregisterRoutine = reserved + unregisterAt;
    unregistered.add(
        new Table(
            reserved + RUNTIME_TABLE,
            runtime.entries(),
            reserved + AreaLayout.CODE,
            reserved + RUNTIME_TABLE));
    touchSession(reserved + touchAt);
  }

  private void touchSession(long routine) {
    long parameters = memory.allocate(16, TargetMemory.READ_WRITE);
    memory.write(parameters, new BytesBuilder(16).u64(control).u64(session.size()).toArray());
    target.run(routine, parameters, ROUTINE_MILLIS);
    memory.free(parameters);
  }

  /** Two words of each thread; what cannot be used is given back. */
  private static TlsOffsets words(TargetProcess target) {
    long allocate = target.calls().address("kernel32!TlsAlloc");
    int first = target.run(allocate, 0, ROUTINE_MILLIS);
    int second = isDirect(first) ? target.run(allocate, 0, ROUTINE_MILLIS) : NO_WORD;
    if (isDirect(first) && isDirect(second)) {
      return TlsOffsets.of(first, second);
    }
    giveBack(target, first);
    giveBack(target, second);
    throw new CannotGoOn(
        "the program uses all 64 TLS slots that code can address directly, and tracing needs two"
            + " (TlsAlloc gave "
            + (isDirect(first) ? second : first)
            + ")",
        "start the program with ntrail, which takes them before it: ntrail trace ... -- PROGRAM");
  }

  private static boolean isDirect(int word) {
    return word >= 0 && word < TlsOffsets.DIRECT;
  }

  private static void giveBack(TargetProcess target, int word) {
    if (word != NO_WORD) {
      target.run(target.calls().address("kernel32!TlsFree"), word, ROUTINE_MILLIS);
    }
  }

  /** Where the target has the session file. */
  public long control() {
    return control;
  }

  /** How the target's system finds the module of an address. */
  public ModuleLookup lookup() {
    return lookup;
  }

  /** How many areas there can be. */
  public int room() {
    return room;
  }

  TlsOffsets words() {
    return words;
  }

  RuntimeBlock runtime() {
    return runtime;
  }

  public AreaImage area() {
    return area;
  }

  /** Addresses of all areas, by their numbers. */
  public List<Long> areas() {
    return List.copyOf(areas);
  }

  public long selfTestRoutine() {
    return selfTestRoutine;
  }

  public long costRoutine() {
    return costRoutine;
  }

  /**
   * Offers areas again whose thread ended and whose stack is no longer memory: nothing can run
   * there or return there any more.
   */
  public void reclaim(Set<Integer> alive) {
    if (session.areasFree() >= areas.size()) {
      return;
    }
    for (int number = 0; number < areas.size(); number++) {
      long head = areas.get(number) + AreaLayout.HEAD;
      Bytes fields = memory.read(head, 24);
      long stack = fields.i64(0);
      int thread = (int) fields.u32(AreaLayout.THREAD - AreaLayout.HEAD);
      if (stack != 0 && !alive.contains(thread) && memory.isFree(stack - 8)) {
        memory.write(head, new byte[8]);
        // A thread that was born there since then may have found the area as that of its stack;
        // from here on none can.
        if (!memory.isFree(stack - 8)) {
          memory.write(head, new BytesBuilder(8).u64(stack).toArray());
          continue;
        }
        memory.write(areas.get(number) + AreaLayout.DATA, area.data(number));
        memory.write(head, new byte[24]);
        session.offerArea(number);
      }
    }
  }

  /** Makes areas, tells the system of their unwind data, and offers them to threads. */
  public void addAreas(int count) {
    if (areas.size() + count > room) {
      throw new IllegalArgumentException(count + " areas more than there is room for");
    }
    long first = reserved + (1L + areas.size()) * AreaLayout.ALIGNMENT;
    byte[] code = area.code();
    byte[] table = area.table();
    byte[] whole = new byte[AreaLayout.TABLE - AreaLayout.CODE + table.length];
    System.arraycopy(code, 0, whole, 0, code.length);
    System.arraycopy(table, 0, whole, AreaLayout.TABLE - AreaLayout.CODE, table.length);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long at = first + (long) i * AreaLayout.ALIGNMENT;
      byte[] data = area.data(areas.size());
      System.arraycopy(data, 0, whole, AreaLayout.DATA - AreaLayout.CODE, data.length);
      memory.commit(at + AreaLayout.HEAD, area.size(), TargetMemory.READ_WRITE);
      memory.write(at + AreaLayout.CODE, whole);
      memory.protect(at + AreaLayout.CODE, AreaLayout.DELTA, TargetMemory.EXECUTE_READ);
      memory.protect(
          at + AreaLayout.TABLE,
          AreaLayout.HEAD + area.size() - AreaLayout.TABLE,
          TargetMemory.EXECUTE_READ);
      unregistered.add(
          new Table(
              at + AreaLayout.TABLE,
              area.entries(),
              at + AreaLayout.HEAD,
              at + AreaLayout.HEAD + area.size()));
      areas.add(at);
      // Threads look into all areas that there are: not before there is memory.
      numbers.add(session.addArea(at));
    }
    register();
    numbers.forEach(session::offerArea);
  }

  /** Remembers a function table for {@link #register}. */
  public void table(Table table) {
    unregistered.add(table);
  }

  /** Tells the system of the function tables that it does not know yet. */
  public void register() {
    if (unregistered.isEmpty()) {
      return;
    }
    long function = target.calls().find("ntdll!RtlAddGrowableFunctionTable");
    if (function == 0) {
      throw new CannotGoOn(
          "this system cannot be told of unwind data (RtlAddGrowableFunctionTable is missing)",
          "Windows 8 or newer is needed");
    }
    BytesBuilder list = new BytesBuilder(1 << 10);
    list.u64(unregistered.size()).u64(function);
    long size = 16 + 56L * unregistered.size();
    long at = memory.allocate(size, TargetMemory.READ_WRITE);
    long handle = at + 16 + 48L * unregistered.size();
    for (Table table : unregistered) {
      list.u64(handle).u64(table.table).u64(table.entries).u64(table.entries);
      list.u64(table.base).u64(table.end);
      handle += 8;
    }
    memory.write(at, list.toArray());
    int status = target.run(registerRoutine, at, ROUTINE_MILLIS);
    Bytes made = memory.read(at + 16 + 48L * unregistered.size(), 8 * unregistered.size());
    memory.free(at);
    if (status != 0) {
      throw new CannotGoOn(
          "the system did not take unwind data (status 0x%08x)".formatted(status), "");
    }
    for (int i = 0; i < unregistered.size(); i++) {
      handles.put(unregistered.get(i).base, made.i64(8 * i));
    }
    unregistered.clear();
  }

  /** The reservation with the runtime block and all areas. */
  Block block() {
    return block;
  }

  /** The runtime block alone: what all slots need. */
  public Block runtimeBlock() {
    return new Block(0, block.begin, AreaLayout.ALIGNMENT);
  }

  /** All areas, each a block of its own that has no allocation of its own. */
  public List<Block> areaBlocks() {
    return areas.stream().map(at -> new Block(0, at, AreaLayout.ALIGNMENT)).toList();
  }

  /** All that the session has in the target. */
  public TargetResources remains() {
    return new TargetResources(
        words.slotIndex(),
        words.recordIndex(),
        control,
        block,
        area.size(),
        unregisterRoutine,
        handles);
  }

  /**
   * Says that nothing can be given back.
   *
   * @param why a sentence
   */
  public void stay(String why) {
    stays = why;
  }

  /** Why nothing can be given back; empty if nobody said that. */
  public String stays() {
    return stays;
  }

  /** The system was told of a function table by somebody else. */
  public void registered(Table table, long handle) {
    handles.put(table.base, handle);
  }

  /** Remembers a block that is given back with all others. */
  public void beside(Block more) {
    beside.add(more);
  }

  /** Such blocks. */
  public List<Block> besideBlocks() {
    return List.copyOf(beside);
  }

  /** Whether memory can be given back: the system can be told to forget function tables. */
  public boolean canRemove() {
    return stays.isEmpty() && TargetResources.canRemove(target);
  }
}

package io.ntrail.live.patch;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.AreaCode;
import io.ntrail.live.code.AreaGeometry;
import io.ntrail.live.code.RuntimeImage;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.live.code.SessionCode;
import io.ntrail.live.code.TlsSlots;
import io.ntrail.live.plan.OwnFunctionPlan;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.WineInterruption;
import io.ntrail.live.windows.RemoteRoutine;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory that tracing needs in a target regardless of the functions: the session file, the runtime
 * block, areas, and their unwind data.
 */
public final class TracingMemory {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final int FEWEST_AREAS = 64;

  /** Bytes of the address space of a program of 32 bits that areas take at most. */
  private static final int RESERVED_32 = 64 << 20;

  /** TLS_OUT_OF_INDEXES. */
  private static final int NO_SLOT = -1;

  private final TargetProcess target;
  private final TargetMemory memory;
  private final SessionFile session;
  private final TlsSlots tls;
  private final long control;
  private final long reserved;
  private final int room;
  private final ModuleLookup lookup;
  private final SessionCode code;
  private final AreaGeometry geometry;
  private final RuntimeImage.Routines routines;
  private final List<Long> areas = new ArrayList<>();
  private final List<Table> unregistered = new ArrayList<>();
  private final Map<Long, Long> handles = new HashMap<>();
  private final List<Block> beside = new ArrayList<>();
  private final Block block;
  private final long touchParameters;
  private @Nullable RemoteRoutine touching;
  private @Nullable NewAreas newAreas;
  private String stays = "";

  /**
   * Block of memory in a target that belongs to tracing.
   *
   * @param allocation the address that frees it
   * @param begin its first address
   * @param size bytes
   */
  public record Block(long allocation, long begin, long size) {
    public boolean contains(long address) {
      return address - begin >= 0 && address - begin < size;
    }
  }

  /** Function table that is not registered yet. */
  public record Table(long table, int entries, long base, long end) {}

  /**
   * Writes everything except areas.
   *
   * @param mostAreas how many there can be; fewer if there is not so much address space
   */
  public TracingMemory(
      TargetProcess target, SessionFile session, String sessionName, int mostAreas) {
    this(target, session, sessionName, mostAreas, OwnFunctionPlan.NONE);
  }

  /**
   * Writes everything except areas.
   *
   * @param mostAreas how many there can be; fewer if there is not so much address space
   * @param guard of {@link ModuleLookup#planAhead}
   */
  public TracingMemory(
      TargetProcess target,
      SessionFile session,
      String sessionName,
      int mostAreas,
      OwnFunctionPlan guard) {
    this.target = target;
    this.memory = target.memory();
    this.session = session;
    this.tls = allocateTls(target);
    this.geometry = target.architecture().areas();
    session.pointerBytes(target.architecture().pointerSize());
    int most = Math.min(mostAreas, mostAreas(target.architecture()));
    long mapped = 0;
    long found = 0;
    try {
      mapped = WineInterruption.during(target, () -> memory.map(sessionName));
      while (found == 0) {
        // The runtime block, the areas, and what is lost because they begin at multiples.
        long size = (most + 2L) * geometry.alignment();
        found = most > FEWEST_AREAS ? memory.tryReserve(size) : memory.reserve(size);
        most = found == 0 ? most / 2 : most;
      }
    } finally {
      if (found == 0) {
        giveBack(target, tls.slot());
        giveBack(target, tls.record());
        if (mapped != 0) {
          memory.unmap(mapped);
        }
      }
    }
    this.control = mapped;
    this.room = most;
    this.reserved = found + geometry.alignment() - 1 & -geometry.alignment();
    this.block = new Block(found, reserved, (room + 1L) * geometry.alignment());
    this.lookup = ModuleLookup.of(target, guard);
    lookup.add(block.begin, block.size);
    CopyCalls system = CopyCalls.of(target, session.records().copies().exist());
    this.code =
        target
            .architecture()
            .session(
                new SessionAddresses(
                    reserved,
                    control,
                    session.mostChunks(),
                    tls,
                    session.records(),
                    session.cells().at() == 0 ? 0 : control + session.cells().at(),
                    session.tables().layout(),
                    session.samples().layout(),
                    system.query(),
                    system.read()));
    RuntimeImage runtime = code.runtime();
    this.routines = runtime.routines();
    memory.commit(
        reserved + runtime.data(), runtime.end() - runtime.data(), TargetMemory.READ_WRITE);
    memory.write(reserved + runtime.code(), runtime.bytes());
    memory.protect(
        reserved + runtime.code(), runtime.end() - runtime.code(), TargetMemory.EXECUTE_READ);
    table(
        new Table(
            reserved + runtime.table(),
            runtime.entries(),
            reserved + runtime.code(),
            reserved + runtime.table()));
    this.touchParameters = memory.allocate(16, TargetMemory.READ_WRITE);
    memory.write(
        touchParameters, new BytesBuilder(16).u64(control).u64(session.reserved()).toArray());
    // It takes a while, in which much else can be done.
    this.touching = target.start(reserved + routines.touch(), touchParameters, ROUTINE_MILLIS);
  }

  /** Returns for how many areas a program of an architecture has address space to give away. */
  private static int mostAreas(Architecture architecture) {
    return architecture.pointerSize() == Long.BYTES
        ? Integer.MAX_VALUE
        : RESERVED_32 / architecture.areas().alignment() - 2;
  }

  /** Awaits that all pages of the session are mapped: traced code is not to wait for that. */
  public void awaitTouched() {
    RemoteRoutine running = touching;
    if (running != null) {
      touching = null;
      target.await(running);
      memory.free(touchParameters);
    }
  }

  /** Awaits the ends of all routines that run in the target. */
  public void awaitRoutines() {
    awaitTouched();
    awaitCopies();
  }

  /** Allocates two TLS slots that code can access directly; what cannot be used is freed. */
  private static TlsSlots allocateTls(TargetProcess target) {
    long allocate = target.calls().address("kernel32!TlsAlloc");
    int first = target.run(allocate, 0, ROUTINE_MILLIS);
    int second = isDirect(first) ? target.run(allocate, 0, ROUTINE_MILLIS) : NO_SLOT;
    if (isDirect(first) && isDirect(second)) {
      return new TlsSlots(first, second);
    }
    giveBack(target, first);
    giveBack(target, second);
    throw new CannotGoOn(
        "no free TLS slots below 64: tracing needs two (TlsAlloc gave "
            + (isDirect(first) ? second : first)
            + ")",
        "start the program with ntrail, which allocates them first: ntrail trace ... -- PROGRAM");
  }

  private static boolean isDirect(int slot) {
    return slot >= 0 && slot < TlsSlots.DIRECT;
  }

  private static void giveBack(TargetProcess target, int slot) {
    if (slot != NO_SLOT) {
      target.run(target.calls().address("kernel32!TlsFree"), slot, ROUTINE_MILLIS);
    }
  }

  /** Returns the address of the session file in the target. */
  public long control() {
    return control;
  }

  /** Returns what protects the search for the module of an address. */
  public ModuleLookup lookup() {
    return lookup;
  }

  /** Returns how many areas there can be. */
  public int room() {
    return room;
  }

  /** Returns the code of the session. */
  public SessionCode code() {
    return code;
  }

  /**
   * Returns places for functions in tables of calls, or of their cells; fewer if there is no room,
   * and zeros if there is neither.
   */
  List<Integer> rows(int functions) {
    return session.tables().exist()
        ? session.tables().addRows(functions)
        : session.cells().add(functions);
  }

  /** Returns the addresses of all areas, by number. */
  public List<Long> areas() {
    return List.copyOf(areas);
  }

  /** Returns the address of the routine that runs an {@link io.ntrail.live.code.UnwindTest}. */
  public long selfTestRoutine() {
    return reserved + routines.selfTest();
  }

  /** Returns the address of the routine that runs an {@link io.ntrail.live.code.OverheadTest}. */
  public long overheadRoutine() {
    return reserved + routines.overhead();
  }

  /**
   * Offers areas again whose thread ended and whose stack was freed: nothing can run there or
   * return there any more.
   */
  public void reclaim(Set<Integer> alive) {
    if (session.areasFree() >= areas.size()) {
      return;
    }
    for (int number = 0; number < areas.size(); number++) {
      long head = areas.get(number) + geometry.head();
      Bytes fields = memory.read(head, geometry.fields());
      long stack = fields.i64(geometry.stackBase() - geometry.head());
      int thread = (int) fields.u32(geometry.thread() - geometry.head());
      if (stack != 0 && !alive.contains(thread) && memory.isFree(stack - 8)) {
        long owner = areas.get(number) + geometry.stackBase();
        memory.write(owner, new byte[8]);
        // A thread that was born there since then may have found the area as that of its stack;
        // from here on none can.
        if (!memory.isFree(stack - 8)) {
          memory.write(owner, new BytesBuilder(8).u64(stack).toArray());
          continue;
        }
        memory.write(areas.get(number) + geometry.data(), code.areas().data(number));
        memory.write(head, new byte[geometry.fields()]);
        session.offerArea(number);
      }
    }
  }

  /** Areas that are being made. */
  private record NewAreas(long first, int count, long parameters, RemoteRoutine copying) {}

  /** Creates areas, registers their unwind data, and offers them to threads. */
  public void addAreas(int count) {
    beginAreas(count);
    finishAreas();
  }

  /** Begins to create areas: the first is written, a thread of the target copies it. */
  public void beginAreas(int count) {
    if (areas.size() + count > room) {
      throw new IllegalArgumentException(count + " areas more than there is room for");
    }
    long first = reserved + (1L + areas.size()) * geometry.alignment();
    AreaCode area = this.code.areas();
    List<TargetMemory.Pages> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long at = first + (long) i * geometry.alignment();
      all.add(new TargetMemory.Pages(at + geometry.head(), area.size(), TargetMemory.READ_WRITE));
    }
    memory.commit(all);
    memory.write(first + geometry.code(), area.template(first));
    memory.write(first + geometry.data(), area.data(areas.size()));
    long parameters = memory.allocate(16, TargetMemory.READ_WRITE);
    memory.write(parameters, new BytesBuilder(16).u64(first).u64(count - 1L).toArray());
    newAreas =
        new NewAreas(
            first,
            count,
            parameters,
            target.start(reserved + routines.copyAreas(), parameters, ROUTINE_MILLIS));
  }

  /** Registers the unwind data of areas that were begun, and offers them to threads. */
  public void finishAreas() {
    NewAreas made = awaitCopies();
    if (made == null) {
      return;
    }
    AreaCode area = this.code.areas();
    List<TargetMemory.Pages> code = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < made.count; i++) {
      long at = made.first + (long) i * geometry.alignment();
      code.add(
          new TargetMemory.Pages(
              at + geometry.code(), geometry.data() - geometry.code(), TargetMemory.EXECUTE_READ));
      int table = geometry.head() + area.size() - geometry.table();
      if (table > 0) {
        code.add(new TargetMemory.Pages(at + geometry.table(), table, TargetMemory.EXECUTE_READ));
      }
    }
    memory.protect(code);
    for (int i = 0; i < made.count; i++) {
      long at = made.first + (long) i * geometry.alignment();
      table(
          new Table(
              at + geometry.table(),
              area.entries(),
              at + geometry.head(),
              at + geometry.head() + area.size()));
      areas.add(at);
      // Threads look into all areas that there are: not before there is memory.
      numbers.add(session.addArea(at));
    }
    register();
    numbers.forEach(session::offerArea);
  }

  private @Nullable NewAreas awaitCopies() {
    NewAreas made = newAreas;
    newAreas = null;
    if (made != null) {
      target.await(made.copying);
      memory.free(made.parameters);
    }
    return made;
  }

  /** Adds a function table for {@link #register}, unless it is empty. */
  public void table(Table table) {
    if (table.entries > 0) {
      unregistered.add(table);
    }
  }

  /** Registers the function tables that are not registered yet. */
  public void register() {
    if (unregistered.isEmpty()) {
      return;
    }
    long function = target.calls().find("ntdll!RtlAddGrowableFunctionTable");
    if (function == 0) {
      throw new CannotGoOn(
          "dynamic function tables are not supported (RtlAddGrowableFunctionTable is missing)",
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
    int status = target.run(reserved + routines.register(), at, ROUTINE_MILLIS);
    Bytes made = memory.read(at + 16 + 48L * unregistered.size(), 8 * unregistered.size());
    memory.free(at);
    if (status != 0) {
      throw new CannotGoOn(
          "RtlAddGrowableFunctionTable failed (status 0x%08x)".formatted(status), "");
    }
    for (int i = 0; i < unregistered.size(); i++) {
      handles.put(unregistered.get(i).base, made.i64(8 * i));
    }
    unregistered.clear();
  }

  /** Returns the reservation with the runtime block and all areas. */
  Block block() {
    return block;
  }

  /** Returns the runtime block alone, which all slots need. */
  public Block runtimeBlock() {
    return new Block(0, block.begin, geometry.alignment());
  }

  /** Returns all areas as blocks without allocations of their own. */
  public List<Block> areaBlocks() {
    return areas.stream().map(at -> new Block(0, at, geometry.alignment())).toList();
  }

  /** Returns the resources of the session in the target. */
  public TargetResources resources() {
    return new TargetResources(
        tls.slot(),
        tls.record(),
        control,
        block,
        code.areas().size(),
        reserved + routines.unregister(),
        handles);
  }

  /**
   * Keeps all memory in the target.
   *
   * @param why a sentence
   */
  public void stay(String why) {
    stays = why;
  }

  /** Returns why all memory stays in the target; empty if it need not. */
  public String stays() {
    return stays;
  }

  /** Records that a function table was registered by the target itself. */
  public void registered(Table table, long handle) {
    handles.put(table.base, handle);
  }

  /** Adds a block that is freed with all others. */
  public void beside(Block more) {
    beside.add(more);
  }

  /** Returns the blocks that are freed with all others. */
  public List<Block> besideBlocks() {
    return List.copyOf(beside);
  }

  /** Returns whether memory can be freed: function tables can be deleted. */
  public boolean canRemove() {
    return stays.isEmpty() && TargetResources.canRemove(target);
  }
}

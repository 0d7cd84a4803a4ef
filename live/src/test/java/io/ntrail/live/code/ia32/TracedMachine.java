package io.ntrail.live.code.ia32;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.live.code.SessionCode;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.TlsSlots;
import io.ntrail.live.code.TracedCode;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A 32-bit process run by Unicorn, with a program in it whose functions are traced: the code of a
 * session as the controller would put it there, and the memory that threads have.
 */
final class TracedMachine {
  static final long CONTROL = 0x1000_0000;
  static final long BLOCK = 0x2000_0000;
  static final long STUBS = 0x3000_0000;
  static final long PROGRAM = 0x40_0000;
  static final int PROGRAM_BYTES = 0x1_0000;

  /** Unicorn leaves the base of fs at 0 in 32-bit code: that is where the thread's block lies. */
  static final long TEB = 0;

  static final long TEB_ADDRESS = 0x7FFD_0000L;
  static final long STACK = 0x50_0000;
  static final long STACK_BASE = 0x58_0000;
  static final long OTHER_STACK = 0x60_0000;
  static final long OTHER_BASE = 0x68_0000;
  static final long CELLS = 0x70_0000;
  static final long END = PROGRAM + PROGRAM_BYTES - 0x1000;
  static final int THREAD = 0x1234;
  static final TlsSlots TLS = new TlsSlots(2, 3);
  private static final int CODE_UNIT = 2;
  private static final int FLAGS = 0xED7;

  private final UnicornMachine machine;
  private final Settings settings;
  private final SessionCode session;
  private final Map<Long, Long> functions = new LinkedHashMap<>();
  private final List<long[]> moved = new ArrayList<>();

  /**
   * Settings of a session.
   *
   * @param every of so many calls the stack is sampled; 0: none is
   */
  record Settings(
      int record, int chunks, int areas, CallTables tables, boolean throttled, int every) {
    Settings(int record, int chunks, int areas, CallTables tables, boolean throttled) {
      this(record, chunks, areas, tables, throttled, 0);
    }

    static Settings records(int record) {
      return new Settings(record, 8, 2, CallTables.NONE, false);
    }

    Settings chunks(int count) {
      return new Settings(record, count, areas, tables, throttled, every);
    }

    Settings areas(int count) {
      return new Settings(record, chunks, count, tables, throttled, every);
    }

    Settings sampling(int calls) {
      return new Settings(record, chunks, areas, tables, throttled, calls);
    }
  }

  /** A record of a session. */
  record Record(
      int kind, int slot, int area, long function, long value, long key, List<Long> more) {
    long low() {
      return value & 0xFFFF_FFFFL;
    }

    long high() {
      return value >>> 32;
    }

    long keyAddress() {
      return key & 0xFFFF_FFFFL;
    }

    long keyHigh() {
      return key >>> 32;
    }
  }

  /** Registers at each instruction of the program. */
  record Path(List<List<Long>> steps, UnicornRun.End end) {}

  /** Puts a program and a session into a machine; nothing is traced yet. */
  TracedMachine(UnicornMachine machine, Settings settings, AssembledCode program)
      throws IOException {
    this.machine = machine;
    this.settings = settings;
    machine.reset(32);
    machine.map(PROGRAM, PROGRAM_BYTES);
    machine.write(PROGRAM, program.bytesAt(PROGRAM));
    machine.write(END, new byte[] {(byte) 0xC3});
    machine.map(STACK, STACK_BASE - STACK);
    machine.map(OTHER_STACK, OTHER_BASE - OTHER_STACK);
    machine.map(TEB, 0x2000);
    machine.map(0x7FFE_0000L, 0x1000);
    machine.map(CELLS, 0x1_0000);
    machine.map(STUBS, 0x1_0000);
    machine.map(CONTROL, sessionBytes());
    SessionAddresses addresses =
        new SessionAddresses(
            BLOCK,
            CONTROL,
            settings.chunks,
            TLS,
            RecordLayout.of(settings.record),
            settings.throttled ? CELLS : 0,
            settings.tables,
            settings.every == 0
                ? SamplePlaces.NONE
                : new SamplePlaces(chunkBytes(), settings.every),
            0,
            0);
    session = new Ia32Architecture().session(addresses);
    machine.map(BLOCK + 0xE000, 0x1_0000);
    machine.write(BLOCK + session.runtime().code(), session.runtime().bytes());
    u32(CONTROL + SessionLayout.AT_ENABLED, 1);
    for (int area = 0; area < settings.areas; area++) {
      long at = area(area);
      machine.map(at + AreaLayout32.HEAD, session.areas().size());
      machine.write(at + AreaLayout32.CODE, session.areas().template(at));
      machine.write(at + AreaLayout32.DATA, session.areas().data(area));
      u32(CONTROL + SessionLayout.AT_AREA_ADDRESSES + 8L * area, at);
      u32(CONTROL + SessionLayout.AT_AREA_RING + 4L * area, area);
    }
    u32(CONTROL + SessionLayout.AT_AREAS, settings.areas);
    u32(CONTROL + SessionLayout.AT_AREAS_OFFERED, settings.areas);
    for (int chunk = 0; chunk < settings.chunks; chunk++) {
      u32(CONTROL + SessionLayout.AT_CHUNK_RING + 4L * chunk, chunk);
    }
    u32(CONTROL + SessionLayout.AT_CHUNKS_OFFERED, settings.chunks);
    if (settings.tables.exist()) {
      u32(CONTROL + SessionLayout.AT_TABLES_OFFERED, 1);
    }
    stack(STACK, STACK_BASE);
    u32(TEB + 0x18, TEB_ADDRESS);
    u32(TEB + 0x24, THREAD);
  }

  private long sessionBytes() {
    long chunks = chunkBytes() + (settings.every == 0 ? 0 : SamplePlaces.BYTES);
    return Math.max(chunks, settings.tables.exist() ? settings.tables.table(1) : 0);
  }

  private long chunkBytes() {
    return (long) (SessionLayout.FIRST_CHUNK + settings.chunks) * SessionLayout.CHUNK_BYTES;
  }

  static long area(int number) {
    return BLOCK + (1L + number) * AreaLayout32.ALIGNMENT;
  }

  void u32(long at, long value) throws IOException {
    machine.write(at, new BytesBuilder(4).u32((int) value).toArray());
  }

  long u32(long at) throws IOException {
    return Bytes.copyOf(machine.read(at, 4), "word").u32(0);
  }

  long control(int field) throws IOException {
    return u32(CONTROL + field);
  }

  /** Makes the thread block name a stack. */
  void stack(long limit, long base) throws IOException {
    u32(TEB + 4, base);
    u32(TEB + 8, limit);
  }

  UnicornMachine machine() {
    return machine;
  }

  SessionCode session() {
    return session;
  }

  /** Traces functions that begin with two bytes, at offsets in the program, behind five bytes. */
  void trace(boolean exits, int... offsets) throws IOException {
    StubWriter stubs = session.stubs(STUBS);
    int row = 0;
    List<Long> entries = new ArrayList<>();
    for (int offset : offsets) {
      byte[] unit = machine.read(PROGRAM + offset, CODE_UNIT);
      entries.add(
          stubs.add(
              new TracedCode(PROGRAM + offset, unit, List.of(), new int[0], 0, exits), row++));
    }
    machine.write(STUBS, stubs.bytes());
    for (int i = 0; i < offsets.length; i++) {
      long function = PROGRAM + offsets[i];
      functions.put(stubs.bodies().get(i), function);
      long distance = entries.get(i) - function;
      machine.write(function - 5, new BytesBuilder(5).u8(0xE9).u32((int) distance).toArray());
      machine.write(function, new byte[] {(byte) 0xEB, (byte) 0xF9});
    }
  }

  /** Leaves instructions out of the paths: the probe executes them elsewhere. */
  void probe(long function, int bytes) {
    moved.add(new long[] {function, function + bytes});
  }

  private boolean isMoved(long address) {
    return moved.stream().anyMatch(range -> address >= range[0] && address < range[1]);
  }

  /** Runs the program from an offset, until it returns from there. */
  Path run(int offset) throws IOException {
    long[] registers = new long[8];
    for (int i = 0; i < registers.length; i++) {
      registers[i] = 0x1111_1111L * (i + 1);
    }
    registers[UnicornMachine.SP] = STACK_BASE - 0x100;
    u32(STACK_BASE - 0x100, END);
    machine.setRegisters(registers, new long[0]);
    machine.setRegister(UnicornMachine.FLAGS, FLAGS & ~0x400 | 2);
    List<List<Long>> steps = new ArrayList<>();
    UnicornRun.End end =
        machine.run(
            new UnicornRun(
                PROGRAM + offset,
                END,
                0,
                0,
                5_000_000,
                0,
                UnicornRun.ADDRESSES | UnicornRun.REGISTERS),
            new UnicornRun.Listener() {
              @Override
              public void instruction(long address, long[] general, long[] vectors) {
                if (address >= PROGRAM
                    && address < END
                    && !functions.containsValue(address)
                    && functions.values().stream().noneMatch(f -> address == f - 5)) {
                  List<Long> step = new ArrayList<>(List.of(address));
                  Arrays.stream(general).limit(8).forEach(step::add);
                  steps.add(step);
                }
              }
            });
    return new Path(steps, end);
  }

  /** Runs a program untraced, then traced: every instruction finds the same registers. */
  static TracedMachine same(
      UnicornMachine machine, Settings settings, AssembledCode program, int begin, int... traced)
      throws IOException {
    return same(machine, settings, program, begin, _ -> {}, traced);
  }

  /** Changes a machine before it runs. */
  interface Change {
    void accept(TracedMachine machine) throws IOException;
  }

  /**
   * Runs a program untraced, then traced in a session that is changed before.
   *
   * @param prepare changes the session before
   */
  static TracedMachine same(
      UnicornMachine machine,
      Settings settings,
      AssembledCode program,
      int begin,
      Change prepare,
      int... traced)
      throws IOException {
    return same(machine, settings, program, begin, _ -> {}, prepare, traced);
  }

  /**
   * Runs a program with some memory untraced, then traced in a session that is changed before.
   *
   * @param data changes the program's memory before both runs
   */
  static TracedMachine same(
      UnicornMachine machine,
      Settings settings,
      AssembledCode program,
      int begin,
      Change data,
      Change prepare,
      int... traced)
      throws IOException {
    TracedMachine plain = new TracedMachine(machine, settings, program);
    for (int offset : traced) {
      plain.functions.put((long) offset, PROGRAM + offset);
    }
    data.accept(plain);
    Path expected = plain.run(begin);
    assertEquals(UnicornRun.Reason.UNTIL, expected.end.reason(), expected.end::toString);
    long flags = machine.register(UnicornMachine.FLAGS);
    TracedMachine its = new TracedMachine(machine, settings, program);
    its.trace(true, traced);
    data.accept(its);
    prepare.accept(its);
    Path found = its.run(begin);
    assertEquals(UnicornRun.Reason.UNTIL, found.end.reason(), found.end::toString);
    expected.steps.removeIf(step -> its.isMoved(step.getFirst()));
    found.steps.removeIf(step -> its.isMoved(step.getFirst()));
    for (int i = 0; i < Math.min(expected.steps.size(), found.steps.size()); i++) {
      List<Long> is = withoutSlots(expected.steps.get(i), found.steps.get(i));
      assertEquals(hex(expected.steps.get(i)), hex(is), "step " + i);
    }
    assertEquals(expected.steps.size(), found.steps.size());
    assertEquals(flags, machine.register(UnicornMachine.FLAGS));
    return its;
  }

  /** A function that reads its return address finds the slot's. */
  private static List<Long> withoutSlots(List<Long> expected, List<Long> found) {
    List<Long> same = new ArrayList<>(found);
    for (int i = 1; i < found.size(); i++) {
      boolean isReturn = expected.get(i) > PROGRAM && expected.get(i) < END;
      if (isReturn && found.get(i) >= BLOCK && found.get(i) < STUBS) {
        same.set(i, expected.get(i));
      }
    }
    return same;
  }

  private static List<String> hex(List<Long> step) {
    return step.stream().map(Long::toHexString).toList();
  }

  /** Returns the records of the thread, in the order of its chunks. */
  List<Record> records() throws IOException {
    Map<Long, List<Record>> chunks = new java.util.TreeMap<>();
    for (int chunk = 0; chunk < settings.chunks; chunk++) {
      long at = CONTROL + (long) (SessionLayout.FIRST_CHUNK + chunk) * SessionLayout.CHUNK_BYTES;
      Bytes bytes = Bytes.copyOf(machine.read(at, SessionLayout.CHUNK_BYTES), "chunk");
      if (bytes.u32(SessionLayout.CHUNK_STATE) == SessionLayout.FREE) {
        continue;
      }
      assertEquals(THREAD, bytes.u32(SessionLayout.CHUNK_THREAD));
      List<Record> records = new ArrayList<>();
      for (int i = settings.record;
          i < bytes.length() && bytes.u32(i + SessionLayout.RECORD_META) != 0;
          i += settings.record) {
        records.add(record(bytes, i));
      }
      chunks.put(bytes.i64(SessionLayout.CHUNK_NUMBER), records);
    }
    return chunks.values().stream().flatMap(List::stream).toList();
  }

  private Record record(Bytes bytes, int at) {
    int meta = (int) bytes.u32(at + SessionLayout.RECORD_META);
    List<Long> more = new ArrayList<>();
    for (int i = SessionLayout.RECORD_ARGUMENTS; i < settings.record; i += 8) {
      more.add(bytes.i64(at + i));
    }
    return new Record(
        meta & 0xFF,
        meta >>> 8 & 0xFFF,
        meta >>> 20,
        functions.getOrDefault(bytes.u32(at + SessionLayout.RECORD_FUNCTION), 0L),
        bytes.i64(at + SessionLayout.RECORD_VALUE),
        bytes.i64(at + SessionLayout.RECORD_KEY),
        more);
  }
}

package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.TracedCode;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Stubs of the traced functions of one module, within reach of 32-bit jumps, with their unwind
 * data.
 *
 * <p>A stub pushes rax and rcx, loads the address of the function's body thunk, which stands for
 * the function in records, and jumps to the thread's next free slot. The body thunk after it is
 * what the short jump overwrote, and a jump to the rest. Two bytes before the body thunk the two
 * registers are popped: that is where a function goes that is not to be traced now.
 */
final class StubBlock implements StubWriter {
  /** Distance from one stub to the next. */
  private static final int STUB = 64;

  /** Distance where calls are added up, or functions throttled: stubs that count are longer. */
  private static final int COUNTING_STUB = 128;

  /** Size of the cells in front of the stubs. */
  private static final int CELLS = 128;

  /** Maximum size of the table for one function. */
  private static final int TABLE_BYTES = 6 * FunctionTableBuilder.ENTRY + 64;

  private static final int JUMP = 5;

  private final long base;
  private final TlsOffsets words;
  private final CallTables tables;
  private final long cells;
  private final int stub;
  private final Front withExits;
  private final Front entriesOnly;
  private final BytesBuilder code = new BytesBuilder(1 << 16);
  private final FunctionTableBuilder functions = new FunctionTableBuilder();
  private final List<Long> bodies = new ArrayList<>();

  /**
   * Creates a block that will lie at an address.
   *
   * @param base a multiple of a page
   */
  StubBlock(long base, TlsOffsets words, CallTables tables, long cells, RuntimeBlock runtime) {
    this.base = base;
    this.words = words;
    this.tables = tables;
    this.cells = cells;
    this.stub = stub(tables, cells);
    this.withExits = tables.detail() == CallDetail.COUNTS ? counting() : front(true);
    this.entriesOnly = tables.exist() ? counting() : front(false);
    code.u64(runtime.init()).u64(runtime.entryOnly()).u64(runtime.count()).zeros(CELLS - 24);
  }

  private static int stub(CallTables tables, long cells) {
    return tables.exist() || cells != 0 ? COUNTING_STUB : STUB;
  }

  /** Returns the maximum size of a block for so many functions. */
  static long size(int functions, CallTables tables, long cells) {
    return CELLS + (long) functions * (stub(tables, cells) + TABLE_BYTES) + 2 * 0x1000 & -0x1000L;
  }

  @Override
  public boolean reaches(TracedCode function) {
    long moved = base + size(0, tables, cells) - function.address();
    // The block's own size is far below what is kept free at the ends of the reach.
    for (TracedCode.Relative relative : function.relative()) {
      long target =
          function.address()
              + relative.end()
              + Bytes.copyOf(function.unit(), "unit").i32(relative.at());
      long distance = target - (function.address() + moved);
      if (Math.abs(distance) > Integer.MAX_VALUE - (1L << 28)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public long add(TracedCode function, int row) {
    int at = code.size();
    Front front = function.exits() ? withExits : entriesOnly;
    int bodyAt = front.length;
    byte[] unit = function.unit();
    int back = bodyAt + unit.length;
    if (back + JUMP > stub) {
      throw new IllegalArgumentException("a stub of " + (back + JUMP) + " bytes");
    }
    byte[] bytes = Arrays.copyOf(front.code.bytesAt(base + at), back);
    System.arraycopy(unit, 0, bytes, bodyAt, unit.length);
    rebase(function, bytes, bodyAt, base + at + bodyAt);
    if (tables.exist()) {
      front.row(bytes, tables.row(row));
    }
    if (cells != 0) {
      front.cell(bytes, cells + (long) row * SessionLayout.CELL_BYTES);
    }
    long distance = function.address() + unit.length - (base + at + back + JUMP);
    if (distance != (int) distance) {
      throw new IllegalArgumentException("out of reach of a function");
    }
    code.bytes(bytes).u8(0xE9).u32((int) distance).zeros(stub - back - JUMP);
    functions.add(at, at + front.undo, UnwindBytes.STUB);
    functions.add(at + front.undo, at + bodyAt - 1, UnwindBytes.PUSHED_2);
    functions.add(at + bodyAt - 1, at + bodyAt, UnwindBytes.PUSHED_1);
    describe(function, at + bodyAt, at + back);
    bodies.add(base + at + bodyAt);
    return base + at;
  }

  /**
   * Code in front of the body thunk: the same for all functions except for offsets.
   *
   * @param undo where the two registers are popped
   * @param fields where four bytes are to hold the distance of a field of the function's row, in
   *     the order of {@link #FIELDS}; the first holds that of the row itself. Or the place of the
   *     address of the function's cell
   */
  private record Front(AssembledCode code, int undo, int length, List<Integer> fields) {
    private static final int[] FIELDS = {0, CallTables.CALLS, CallTables.ENTRY_ONLY};

    /** Writes the address of the cell into a copy of the code. */
    void cell(byte[] bytes, long cell) {
      for (int i = 0; i < Long.BYTES; i++) {
        bytes[fields.getFirst() + i] = (byte) (cell >> 8 * i);
      }
    }

    /** Writes the distance of the row into a copy of the code. */
    void row(byte[] bytes, int row) {
      for (int field = 0; field < fields.size(); field++) {
        for (int i = 0; i < 4; i++) {
          bytes[fields.get(field) + i] = (byte) (row + FIELDS[field] >> 8 * i);
        }
      }
    }
  }

  /** Front of a stub that jumps to the thread's next free slot, or to a routine. */
  private Front front(boolean exits) {
    Assembler a = Assembler.x64();
    Label body = a.label("body");
    Label undo = a.label("undo");
    a.push(RAX).push(RCX);
    List<Label> cell = cells == 0 ? List.of() : List.of(throttled(a, undo));
    a.lea(RAX, ptr(body));
    if (exits) {
      Label cold = a.label("cold");
      a.mov(RCX, gs(words.slot())).jrcxz(cold).jmp(RCX).bind(cold);
      a.mov(RCX, Mem.rip(base)).jmp(RCX);
    } else {
      a.mov(RCX, Mem.rip(base + 8)).jmp(RCX);
    }
    return end(a, body, undo, cell);
  }

  /** Assembles the way of calls that are counted only; returns where the cell's address ends. */
  private static Label throttled(Assembler a, Label undo) {
    Label recorded = a.label("recorded");
    // An address that takes 64 bits.
    Label cell = a.mov(RAX, Long.MAX_VALUE).here("cell");
    a.mov(RCX, ptr(RAX)).jrcxz(recorded).mov(RCX, RAX);
    SlotTotals.saveFlags(a);
    a.lock().inc(ptr(RCX).as64());
    SlotTotals.restoreFlags(a);
    a.jmp(undo).bind(recorded);
    return cell;
  }

  /** Front of a stub that counts the call and goes on. */
  private Front counting() {
    Assembler a = Assembler.x64();
    Label body = a.label("body");
    Label cold = a.label("cold");
    Label undo = a.label("counted");
    a.push(RAX).push(RCX).mov(RCX, gs(words.record())).jrcxz(cold);
    Label[] counts = SlotTotals.count(a, tables.detail() == CallDetail.TIMES);
    a.jmp(undo).bind(cold).lea(RAX, ptr(body)).mov(RCX, Mem.rip(base + 16)).jmp(RCX);
    return end(a, body, undo, List.of(counts));
  }

  private Front end(Assembler a, Label body, Label undo, List<Label> counts) {
    if (tables.exist()) {
      a.dd(0);
    }
    Label row = a.here("row");
    a.bind(undo).pop(RCX).pop(RAX).bind(body);
    AssembledCode done = a.assemble();
    List<Integer> fields = new ArrayList<>();
    if (tables.exist()) {
      fields.add(done.offset(row) - 4);
    }
    int bytes = tables.exist() ? 4 : Long.BYTES;
    counts.forEach(field -> fields.add(done.offset(field) - bytes));
    return new Front(done, done.offset(undo), done.offset(body), List.copyOf(fields));
  }

  private static void rebase(TracedCode function, byte[] bytes, int bodyAt, long body) {
    for (TracedCode.Relative relative : function.relative()) {
      int at = bodyAt + relative.at();
      long moved = Bytes.copyOf(bytes, "stub").i32(at) + function.address() - body;
      if (moved != (int) moved) {
        throw new IllegalArgumentException("out of reach of the unit of a function");
      }
      for (int i = 0; i < 4; i++) {
        bytes[at + i] = (byte) (moved >> 8 * i);
      }
    }
  }

  /** Adds the unwind data of the body thunk and of the jump after it. */
  private void describe(TracedCode function, int body, int back) {
    int[] codes = function.prologue();
    int length = back - body;
    functions.add(body, back, new UnwindBytes(1, length, function.frame(), codes));
    int[] after = codes.clone();
    for (int i = 0; i < after.length; ) {
      after[i] &= 0xFF00;
      i += slots(after[i]);
    }
    // Of version 2, so that the jump is not taken for the end of a function.
    functions.add(
        back,
        back + JUMP,
        codes.length == 0 ? UnwindBytes.NONE : new UnwindBytes(2, 0, function.frame(), after));
  }

  private static int slots(int code) {
    return switch (code >> 8 & 0xF) {
      case 1 -> (code >> 12 & 0xF) == 0 ? 2 : 3;
      case 4, 8 -> 2;
      case 5, 9 -> 3;
      default -> 1;
    };
  }

  @Override
  public List<Long> bodies() {
    return List.copyOf(bodies);
  }

  @Override
  public int tableAt() {
    return code.size() + 0xF & ~0xF;
  }

  @Override
  public int entries() {
    return functions.count();
  }

  @Override
  public byte[] bytes() {
    BytesBuilder all = new BytesBuilder(code.size() + (1 << 12));
    all.bytes(code.array(), 0, code.size()).zeros(tableAt() - code.size());
    return all.bytes(functions.bytes(tableAt())).toArray();
  }
}

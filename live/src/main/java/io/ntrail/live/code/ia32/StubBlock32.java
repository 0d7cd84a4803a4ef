package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.TracedCode;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.ArrayList;
import java.util.List;

/**
 * Stubs of traced functions. They may lie anywhere: every jump reaches all of the address space.
 *
 * <p>A stub pushes eax and ecx, loads the address of the function's body thunk, which stands for
 * the function in records, and jumps to the thread's next free slot. The body thunk after it is
 * what the short jump overwrote, and a jump to the rest. Two bytes before the body thunk the two
 * registers are popped: that is where a function goes that is not to be traced now.
 */
final class StubBlock32 implements StubWriter {
  /** Distance from one stub to the next. */
  private static final int STUB = 64;

  /** Distance where calls are added up, or functions throttled: stubs that count are longer. */
  private static final int COUNTING_STUB = 128;

  private final long base;
  private final TlsOffsets32 words;
  private final RuntimeCells routines;
  private final CallTables tables;
  private final long cells;
  private final int stub;
  private final BytesBuilder code = new BytesBuilder(1 << 16);
  private final List<Long> bodies = new ArrayList<>();

  /**
   * Creates a block that will lie at an address.
   *
   * @param base a multiple of a page
   */
  StubBlock32(long base, RoutineContext32 parts) {
    this.base = base;
    this.words = parts.words();
    this.routines = parts.cells();
    this.tables = parts.tables();
    this.cells = parts.addresses().cells();
    this.stub = stub(tables, cells);
  }

  private static int stub(CallTables tables, long cells) {
    return tables.exist() || cells != 0 ? COUNTING_STUB : STUB;
  }

  /** Returns the maximum size of a block for so many functions. */
  static long size(int functions, CallTables tables, long cells) {
    return (long) functions * stub(tables, cells) + 0xFFF & -0x1000L;
  }

  /** Everything can be reached. */
  @Override
  public boolean reaches(TracedCode function) {
    return function.relative().isEmpty();
  }

  @Override
  public long add(TracedCode function, int row) {
    if (!function.relative().isEmpty()) {
      throw new IllegalArgumentException("operands relative to the instruction pointer");
    }
    long at = base + code.size();
    Assembler a = Assembler.ia32();
    Label body = a.label("body");
    a.push(EAX).push(ECX);
    boolean counts = tables.detail() == CallDetail.COUNTS || tables.exist() && !function.exits();
    if (counts) {
      counting(a, body, tables.row(row));
    } else {
      front(a, body, function.exits(), row);
    }
    byte[] unit = function.unit();
    a.bind(body).bytes(unit).jmp(function.address() + unit.length);
    AssembledCode done = a.assemble();
    if (done.length() > stub) {
      throw new IllegalArgumentException("a stub of " + done.length() + " bytes");
    }
    code.bytes(done.bytesAt(at)).zeros(stub - done.length());
    bodies.add(at + done.offset(body));
    return at;
  }

  /** Front of a stub that jumps to the thread's next free slot, or to a routine. */
  private void front(Assembler a, Label body, boolean exits, int row) {
    Label undo = a.label("undo");
    if (cells != 0) {
      throttled(a, undo, cells + (long) row * SessionLayout.CELL_BYTES);
    }
    a.mov(EAX, Imm.address(body));
    if (exits) {
      Label cold = a.label("cold");
      a.mov(ECX, fs(words.slot()))
          .jecxz(cold)
          .jmp(ECX)
          .bind(cold)
          .jmp(absolute(routines.init()).as32());
    } else {
      a.jmp(absolute(routines.entryOnly()).as32());
    }
    end(a, undo, row);
  }

  /** Assembles the way of calls that are counted only. */
  private static void throttled(Assembler a, Label undo, long cell) {
    Label low = a.label("low half is zero");
    Label counted = a.label("counted");
    Label recorded = a.label("recorded");
    a.mov(ECX, absolute(cell)).jecxz(low).bind(counted);
    SlotTotals32.saveFlags(a);
    a.lock().add(absolute(cell).as32(), 1);
    a.lock().adc(absolute(cell + 4).as32(), 0);
    SlotTotals32.restoreFlags(a);
    a.jmp(undo).bind(low).mov(ECX, absolute(cell + 4)).jecxz(recorded).jmp(counted);
    a.bind(recorded);
  }

  /** Front of a stub that counts the call and goes on. */
  private void counting(Assembler a, Label body, int row) {
    Label cold = a.label("cold");
    Label undo = a.label("undo");
    a.mov(ECX, fs(words.record())).jecxz(cold);
    SlotTotals32.saveFlags(a);
    SlotTotals32.one(a, ptr(ECX).plus(row + CallTables.CALLS));
    if (tables.detail() == CallDetail.TIMES) {
      SlotTotals32.one(a, ptr(ECX).plus(row + CallTables.ENTRY_ONLY));
    }
    SlotTotals32.restoreFlags(a);
    a.jmp(undo).bind(cold).mov(EAX, Imm.address(body)).jmp(absolute(routines.count()).as32());
    a.dd(row).bind(undo).pop(ECX).pop(EAX);
  }

  private void end(Assembler a, Label undo, int row) {
    if (tables.exist()) {
      a.dd(tables.row(row));
    }
    a.bind(undo).pop(ECX).pop(EAX);
  }

  @Override
  public List<Long> bodies() {
    return List.copyOf(bodies);
  }

  @Override
  public int tableAt() {
    return code.size();
  }

  @Override
  public int entries() {
    return 0;
  }

  @Override
  public byte[] bytes() {
    return code.toArray();
  }
}

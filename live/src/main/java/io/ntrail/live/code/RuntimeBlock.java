package io.ntrail.live.code;

import static io.ntrail.analysis.x86.asm.Mem.gs;
import static io.ntrail.analysis.x86.asm.Mem.ptr;
import static io.ntrail.analysis.x86.asm.Reg32.EAX;
import static io.ntrail.analysis.x86.asm.Reg32.ECX;
import static io.ntrail.analysis.x86.asm.Reg32.EDX;
import static io.ntrail.analysis.x86.asm.Reg32.R10D;
import static io.ntrail.analysis.x86.asm.Reg32.R8D;
import static io.ntrail.analysis.x86.asm.Reg32.R9D;
import static io.ntrail.analysis.x86.asm.Reg64.R10;
import static io.ntrail.analysis.x86.asm.Reg64.R11;
import static io.ntrail.analysis.x86.asm.Reg64.R8;
import static io.ntrail.analysis.x86.asm.Reg64.R9;
import static io.ntrail.analysis.x86.asm.Reg64.RAX;
import static io.ntrail.analysis.x86.asm.Reg64.RBX;
import static io.ntrail.analysis.x86.asm.Reg64.RCX;
import static io.ntrail.analysis.x86.asm.Reg64.RDX;
import static io.ntrail.analysis.x86.asm.Reg64.RSP;
import static io.ntrail.live.code.Geometry.DELTA;
import static io.ntrail.live.code.Geometry.FIRST;
import static io.ntrail.live.code.Geometry.KEY;
import static io.ntrail.live.code.Geometry.STRIDE;

import io.ntrail.analysis.x86.asm.Assembler;
import io.ntrail.analysis.x86.asm.Code;
import io.ntrail.analysis.x86.asm.Label;
import io.ntrail.analysis.x86.asm.Mem;
import io.ntrail.analysis.x86.asm.Reg16;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What stubs and slots call or jump to now and then, once in a session: a stack's first traced
 * call, a slot that finds another stack or a stale frame below it, the end of a chunk of records,
 * functions whose entries alone are recorded.
 *
 * <p>It makes no system call, takes no lock, allocates nothing: it runs under any lock of the
 * target. Flags and all registers but those that stubs saved stay as they are.
 */
public final class RuntimeBlock {
  /** Words that routines push which were jumped to. */
  private static final int PUSHED = 7;

  private static final int STUB_PUSHED = 2;

  /** From the stack pointer of such a routine to S + 8. */
  private static final int TO_KEY = 8 * (PUSHED + STUB_PUSHED + 1);

  /** The same to where rdx was pushed. */
  private static final int TO_RDX = 8 * (PUSHED - 2);

  private final Assembler a = Assembler.x64();
  private final long control;
  private final int chunks;
  private final ThreadWords words;
  private final int record;

  private final Label slow = a.label("slow");
  private final Label overflow = a.label("overflow");
  private final Label init = a.label("init");
  private final Label entryOnly = a.label("entry only");
  private final Label full = a.label("full");
  private final Label assign = a.label("assign");
  private final Label settle = a.label("settle");
  private final Label firstChunk = a.label("first chunk");
  private final Label untraced = a.label("untraced");
  private final Label firstCall = a.label("first call");
  private final Label stackArguments = a.label("stack arguments");

  /** A stretch of code and what is pushed there. */
  private record Range(Label begin, Label end, UnwindBytes info) {}

  private final List<Range> ranges = new ArrayList<>();

  private final long base;
  private final Code code;

  private RuntimeBlock(long base, long control, int chunks, ThreadWords words, int record) {
    this.base = base;
    this.control = control;
    this.chunks = chunks;
    this.words = words;
    this.record = record;
    writeSlow();
    writeInit();
    writeFirstCall();
    writeEntryOnly();
    writeAssign();
    writeSettle();
    writeFull();
    StackArguments.write(
        a, stackArguments, (begin, end, info) -> ranges.add(new Range(begin, end, info)));
    code = a.assemble();
  }

  /**
   * Writes it.
   *
   * @param block the beginning of a block like an area's, with its head and spill; the code lies at
   *     {@link Geometry#CODE}
   * @param control where the target has the session file mapped
   * @param chunks how many the file has
   * @param record bytes of a record
   */
  public static RuntimeBlock at(
      long block, long control, int chunks, ThreadWords words, int record) {
    if (block % Geometry.ALIGNMENT != 0) {
      throw new IllegalArgumentException("a block at 0x" + Long.toHexString(block));
    }
    return new RuntimeBlock(block + Geometry.CODE, control, chunks, words, record);
  }

  /** The code. */
  public byte[] bytes() {
    return code.bytesAt(base);
  }

  /**
   * Its function table, with the unwind data behind it.
   *
   * @param at distance of the table from the code, which is the base of its addresses
   */
  public byte[] table(int at) {
    return functions().bytes(at);
  }

  /** Entries of the function table. */
  public int entries() {
    return functions().count();
  }

  private FunctionTableOut functions() {
    FunctionTableOut table = new FunctionTableOut();
    ranges.stream()
        .sorted(Comparator.comparingInt(range -> code.offset(range.begin)))
        .forEach(range -> {
          int begin = code.offset(range.begin);
          int end = code.offset(range.end);
          if (end > begin) {
            table.add(begin, end, range.info);
          }
        });
    return table;
  }

  private static UnwindBytes pushed(int words) {
    return words == 0 ? UnwindBytes.NONE : UnwindBytes.pushed(words);
  }

  /** Where a slot goes that finds what it did not expect. */
  public long slow() {
    return base + code.offset(slow);
  }

  /** Where the last slot's successor goes. */
  public long overflow() {
    return base + code.offset(overflow);
  }

  /** Where a stub goes when the thread is not known. */
  public long init() {
    return base + code.offset(init);
  }

  /** Where the stub of a function goes whose entries alone are recorded. */
  public long entryOnly() {
    return base + code.offset(entryOnly);
  }

  /** What is called when the end of a chunk or of a spill is reached. */
  public long full() {
    return base + code.offset(full);
  }

  /** What is called to record arguments that lie on the stack ({@link StackArguments}). */
  public long stackArguments() {
    return base + code.offset(stackArguments);
  }

  private Mem control(int field) {
    return ptr(R10).plus(field);
  }

  // The frame of routines that are jumped to: seven words, rax the last.

  private Label enter(Label begin, int before) {
    a.bind(begin).pushfq().push(RDX).push(R8).push(R9).push(R10).push(R11).push(RAX);
    Label end = a.label();
    ranges.add(new Range(begin, end, UnwindBytes.prologue(before, 1, 2, 4, 6, 8, 10, 11)));
    return end;
  }

  /** Puts everything back but rcx, which says where to go, and ends the range of {@link #enter}. */
  private void leave(Label end) {
    a.mov(R11, ptr(RSP).plus(8))
        .mov(R10, ptr(RSP).plus(16))
        .mov(R9, ptr(RSP).plus(24))
        .mov(R8, ptr(RSP).plus(32))
        .mov(RDX, ptr(RSP).plus(TO_RDX))
        .mov(RAX, ptr(RSP))
        .lea(RSP, ptr(RSP).plus(48))
        .bind(end);
    range(3, () -> a.popfq());
  }

  private void range(int before, Runnable body) {
    Label begin = a.here("range");
    body.run();
    Label end = a.here("range end");
    ranges.add(new Range(begin, end, pushed(before)));
  }

  /** Runs the function as if it were not traced: rax is its body thunk. */
  private void goUntraced(Label end) {
    leave(end);
    range(STUB_PUSHED, () -> a.lea(RAX, ptr(RAX).plus(-2)).jmp(RAX));
  }

  private void writeSlow() {
    Label common = a.label("common");
    Label other = a.label("other stack");
    Label go = a.label("go");
    Label skip = a.label("skip");
    Label foreign = a.label("foreign stack");
    Label end = enter(overflow, STUB_PUSHED);
    a.mov(R8, gs(words.slot())).jmp(common).bind(end);
    Label slowEnd = enter(slow, STUB_PUSHED);
    // rax is the slot; it has taken itself already, and has saved rdx and the body.
    a.mov(R8, RAX)
        .mov(RDX, ptr(R8).plus(DELTA + Geometry.SAVE_RDX))
        .mov(ptr(RSP).plus(TO_RDX), RDX)
        .mov(RDX, ptr(R8).plus(DELTA + Geometry.BODY))
        .mov(ptr(RSP), RDX)
        .bind(common)
        .lea(R11, ptr(RSP).plus(TO_KEY))
        .mov(R10, control)
        .lock()
        .inc(control(Control.SLOW_PASSES).as64())
        .mov(R9, R8)
        .and(R9, -Geometry.ALIGNMENT)
        .mov(RCX, gs(8))
        .cmp(R11, RCX)
        .ja(foreign)
        .lea(RDX, ptr(R11).plus(-8))
        .cmp(RDX, gs(0x10))
        .jb(foreign)
        // The stack's own area, and this thread was the last to use it.
        .mov(RDX, RCX)
        .add(RDX, gs(0x30))
        .add(RDX, ptr(R9).plus(Geometry.NEGATED_BASE))
        .jnz(other)
        .bind(go)
        .call(settle)
        .mov(gs(words.slot()), R8)
        .lea(RDX, ptr(R9).plus(Geometry.code(Geometry.SLOTS)))
        .cmp(R8, RDX)
        .jae(skip)
        .mov(RCX, R8);
    leave(slowEnd);
    range(STUB_PUSHED, () -> a.jmp(RCX));
    Label otherEnd = a.label("end of other stack");
    Label otherBegin = a.here("other stack, range");
    ranges.add(new Range(otherBegin, otherEnd, pushed(STUB_PUSHED + PUSHED)));
    a.bind(other).call(assign).test(R8, R8).jnz(go);
    a.mov(gs(words.slot()).as64(), 0);
    goUntraced(otherEnd);
    Label foreignEnd = a.label("end of foreign stack");
    Label foreignBegin = a.here("foreign stack, range");
    ranges.add(new Range(foreignBegin, foreignEnd, pushed(STUB_PUSHED + PUSHED)));
    // A stack that the system does not know, as coroutines have: the slot stays free.
    a.bind(foreign).mov(gs(words.slot()), R8).lock().inc(control(Control.NO_AREA).as64());
    goUntraced(foreignEnd);
    Label skipEnd = a.label("end of skip");
    Label skipBegin = a.here("skip, range");
    ranges.add(new Range(skipBegin, skipEnd, pushed(STUB_PUSHED + PUSHED)));
    a.bind(skip).lock().inc(control(Control.OVERFLOWS).as64());
    goUntraced(skipEnd);
  }

  /** The first traced call of a thread. */
  private void writeInit() {
    Label none = a.label("none");
    Label end = enter(init, STUB_PUSHED);
    a.lea(R11, ptr(RSP).plus(TO_KEY)).call(firstCall).test(R8, R8).jz(none).mov(RCX, R8);
    leave(end);
    range(STUB_PUSHED, () -> a.jmp(RCX));
    Label noneEnd = a.label("end of none");
    Label noneBegin = a.here("none, range");
    ranges.add(new Range(noneBegin, noneEnd, pushed(STUB_PUSHED + PUSHED)));
    a.bind(none);
    goUntraced(noneEnd);
    writeUntraced();
  }

  /** Where calls go that interrupt a thread while it is given an area. */
  private void writeUntraced() {
    Label end = a.label("untraced, end");
    ranges.add(new Range(untraced, end, UnwindBytes.prologue(STUB_PUSHED, 1)));
    a.bind(untraced)
        .pushfq()
        .mov(RCX, control)
        .lock()
        .inc(ptr(RCX).plus(Control.REENTRANT).as64())
        .bind(end);
    range(STUB_PUSHED + 1, () -> a.popfq());
    range(STUB_PUSHED, () -> a.lea(RAX, ptr(RAX).plus(-2)).jmp(RAX));
  }

  /**
   * Called with r11 = S + 8: gives the stack an area and the thread a chunk. r8 = the slot to use,
   * or 0, which the thread's word then is, too. Uses rax, rcx, rdx, r9, r10.
   */
  private void writeFirstCall() {
    Label no = a.label("no");
    Label recording = a.label("recording");
    range(
        0,
        () ->
            a.bind(firstCall)
                // Whatever interrupts us from here on is not traced.
                .lea(RDX, ptr(untraced))
                .mov(gs(words.slot()), RDX)
                .mov(R10, control)
                .cmp(control(Control.ENABLED).as32(), 0)
                .je(no)
                .mov(RCX, gs(8))
                .cmp(R11, RCX)
                .ja(no)
                .cmp(RSP, gs(0x10))
                .jb(no)
                // A stack may be known though the thread is not: fibers.
                .call(assign)
                .test(R8, R8)
                .jz(no)
                .call(settle)
                .cmp(gs(words.record()).as64(), 0)
                .jne(recording)
                .call(firstChunk)
                .bind(recording)
                .mov(gs(words.slot()), R8)
                .ret()
                .bind(no)
                .xor(R8D, R8D)
                .mov(gs(words.slot()), R8)
                .ret());
  }

  /** A function whose exits are not recorded: rsp = S - 16, rax = its body thunk. */
  private void writeEntryOnly() {
    Label cold = a.label("cold");
    Label write = a.label("write");
    Label done = a.label("done");
    range(
        STUB_PUSHED,
        () -> a.bind(entryOnly).mov(RCX, gs(words.record())).jrcxz(cold).bind(write).push(RDX));
    Label full = a.label("entry only, full");
    range(
        STUB_PUSHED + 1,
        () -> {
          a.lea(RDX, ptr(RSP).plus(32)).mov(ptr(RCX).plus(Control.KEY), RDX);
          if (record > Control.STACK_ARGUMENTS) {
            a.push(RAX);
          }
        });
    if (record > Control.STACK_ARGUMENTS) {
      range(
          STUB_PUSHED + 2,
          () -> a.call(stackArguments).mov(RAX, ptr(RSP)).lea(RSP, ptr(RSP).plus(8)));
    }
    range(
        STUB_PUSHED + 1,
        () -> {
          if (record > Control.ARGUMENTS) {
            a.mov(RDX, ptr(RSP).plus(8)).mov(ptr(RCX).plus(Control.ARGUMENTS), RDX);
            a.mov(RDX, ptr(RSP)).mov(ptr(RCX).plus(Control.ARGUMENTS + 8), RDX);
            a.mov(ptr(RCX).plus(Control.ARGUMENTS + 16), R8);
            a.mov(ptr(RCX).plus(Control.ARGUMENTS + 24), R9);
          }
          a.mov(RDX, ptr(RSP).plus(24)).mov(ptr(RCX).plus(Control.VALUE), RDX);
          a.mov(ptr(RCX).plus(Control.FUNCTION), EAX).push(RAX);
        });
    range(
        STUB_PUSHED + 2,
        () ->
            a.rdtsc()
                .mov(ptr(RCX), EAX)
                .mov(ptr(RCX).plus(4), EDX)
                .mov(ptr(RCX).plus(Control.META).as32(), Control.ENTRY_ONLY)
                .lea(RDX, ptr(RCX).plus(record))
                .movzx(ECX, Reg16.DX)
                .jrcxz(full)
                .mov(gs(words.record()), RDX)
                .bind(done)
                .mov(RAX, ptr(RSP))
                .mov(RDX, ptr(RSP).plus(8))
                .lea(RSP, ptr(RSP).plus(16)));
    range(STUB_PUSHED, () -> a.lea(RAX, ptr(RAX).plus(-2)).jmp(RAX));
    range(STUB_PUSHED + 2, () -> a.bind(full).call(this.full).jmp(done));
    Label unknown = a.label("unknown thread");
    range(
        STUB_PUSHED,
        () ->
            a.bind(cold)
                .mov(RCX, gs(words.slot()))
                .jrcxz(unknown)
                .lea(RAX, ptr(RAX).plus(-2))
                .jmp(RAX));
    Label end = enter(unknown, STUB_PUSHED);
    a.lea(R11, ptr(RSP).plus(TO_KEY)).call(firstCall);
    leave(end);
    range(
        STUB_PUSHED,
        () -> {
          Label none = a.label("no record");
          a.mov(RCX, gs(words.record())).jrcxz(none).jmp(write);
          a.bind(none).lea(RAX, ptr(RAX).plus(-2)).jmp(RAX);
        });
  }

  /**
   * Called with rcx = base of the stack: its area in r9 and the first slot that may be free in r8,
   * or r8 = 0. Uses rax, rdx, r10 (= control).
   */
  private void writeAssign() {
    Label next = a.label("next area");
    Label found = a.label("found");
    Label scan = a.label("scan");
    Label take = a.label("take");
    Label again = a.label("again");
    Label none = a.label("no area");
    Label out = a.label("out");
    range(
        0,
        () ->
            a.bind(assign)
                .mov(R10, control)
                .mov(EAX, control(Control.AREA_COUNT))
                .bind(next)
                .test(EAX, EAX)
                .jz(take)
                .dec(EAX)
                .mov(R9, ptr(R10).index(RAX, 8).plus(Control.AREAS))
                .test(R9, R9)
                .jz(next)
                .cmp(ptr(R9).plus(Geometry.STACK_BASE), RCX)
                .jne(next)
                // Frames in use: their keys fall from slot to slot, down to where we are.
                .lea(R8, ptr(R9).plus(FIRST))
                .lea(RAX, ptr(RCX).plus(9))
                .bind(scan)
                .mov(RDX, ptr(R8).plus(DELTA + KEY))
                .cmp(RDX, RAX)
                // After a tail call two frames have the same key.
                .ja(out)
                .cmp(RDX, R11)
                .jb(out)
                .mov(RAX, RDX)
                .add(R8, STRIDE)
                .lea(RDX, ptr(R9).plus(Geometry.code(Geometry.SLOTS)))
                .cmp(R8, RDX)
                .jb(scan)
                .bind(out)
                // The area is this thread's from now on.
                .mov(RDX, RCX)
                .add(RDX, gs(0x30))
                .neg(RDX)
                .mov(ptr(R9).plus(Geometry.NEGATED_BASE), RDX)
                .ret()
                .bind(take)
                .mov(EAX, control(Control.AREAS_TAKEN))
                .bind(again)
                .cmp(EAX, control(Control.AREAS_OFFERED))
                .je(none)
                .mov(EDX, EAX)
                .and(EDX, Control.AREA_MASK)
                .mov(R8D, ptr(R10).index(RDX, 4).plus(Control.AREA_RING))
                .lea(EDX, ptr(RAX).plus(1))
                .lock()
                .cmpxchg(control(Control.AREAS_TAKEN), EDX)
                .jne(again)
                .mov(R9, ptr(R10).index(R8, 8).plus(Control.AREAS))
                .lea(RDX, ptr(RCX).plus(8))
                // Index -1 is the outermost frame there can be.
                .mov(ptr(R9).plus(Geometry.data(-1) + KEY), RDX)
                .mov(RDX, RCX)
                .add(RDX, gs(0x30))
                .neg(RDX)
                .mov(ptr(R9).plus(Geometry.NEGATED_BASE), RDX)
                .mov(EDX, gs(0x48))
                .mov(ptr(R9).plus(Geometry.THREAD), EDX)
                .mov(ptr(R9).plus(Geometry.STACK_BASE), RCX)
                .bind(found)
                .lea(R8, ptr(R9).plus(FIRST))
                .ret()
                .bind(none)
                .lock()
                .inc(control(Control.NO_AREA).as64())
                .xor(R8D, R8D)
                .ret());
  }

  /**
   * Called with r8 = a slot, r9 = its area, r11 = S + 8: drops stale slots below it. A slot whose
   * return point lies at S is alive whatever its key says: a tail call may have moved the return
   * address. Uses rcx, rdx.
   */
  private void writeSettle() {
    Label next = a.label("next slot");
    Label keys = a.label("keys");
    Label out = a.label("settled");
    int exit = SlotCode.assemble(words, 0, record).exit();
    range(
        0,
        () ->
            a.bind(settle)
                .lea(RDX, ptr(R9).plus(FIRST))
                .bind(next)
                .cmp(R8, RDX)
                .jbe(out)
                .lea(RCX, ptr(R8).plus(exit - STRIDE))
                .cmp(ptr(R11).plus(-8), RCX)
                .jne(keys)
                .mov(ptr(R8).plus(DELTA + KEY - STRIDE), R11)
                .ret()
                .bind(keys)
                .cmp(ptr(R8).plus(DELTA + KEY - STRIDE), R11)
                .ja(out)
                .mov(ptr(R8).plus(DELTA + KEY - STRIDE).as64(), 0)
                .sub(R8, STRIDE)
                .jmp(next)
                .bind(out)
                .ret());
  }

  /**
   * Called where the next record has no place: hands the chunk over and takes another, or spills.
   * rax, rcx, rdx need not be kept.
   */
  private void writeFull() {
    Label spilled = a.label("spilled");
    Label take = a.label("take chunk");
    Label again = a.label("again");
    Label spill = a.label("spill");
    Label area = a.label("area");
    Label set = a.label("set");
    int perSpill = Geometry.SPILL_BYTES / record;
    Label notFull = a.label("not full");
    Label end = enterFull(full);
    // Whatever interrupts us is not traced: it would find a chunk that is no longer its own.
    a.mov(RBX, gs(words.slot()))
        .lea(RCX, ptr(untraced))
        .mov(gs(words.slot()), RCX)
        .xor(ECX, ECX)
        .xchg(gs(words.record()).as64(), RCX)
        // The cursor is still at the last record, unless who interrupted us was here before us.
        .add(RCX, record)
        .test(Reg16.CX, Reg16.CX)
        .jnz(notFull)
        .mov(R8, control)
        .mov(RAX, RCX)
        .sub(RAX, R8)
        // The end of chunk c is 65,536 * (2 + c) behind the control block.
        .cmp(RAX, 2 * Control.CHUNK)
        .jb(spilled)
        .cmp(RAX, Control.CHUNK * (1L + chunks))
        .ja(spilled)
        .sub(RCX, Control.CHUNK)
        .mov(R10, ptr(RCX).plus(Control.SEQUENCE))
        .inc(R10)
        .mov(R11, ptr(RCX).plus(Control.BEGAN))
        .mov(ptr(RCX).as32(), Control.FULL)
        .lock()
        .inc(ptr(R8).plus(Control.CHUNKS_FULL).as64())
        .xor(R9D, R9D)
        .bind(take)
        .mov(EAX, ptr(R8).plus(Control.CHUNKS_TAKEN))
        .bind(again)
        .cmp(EAX, ptr(R8).plus(Control.CHUNKS_OFFERED))
        .je(spill)
        .mov(EDX, EAX)
        .and(EDX, Control.CHUNK_MASK)
        .mov(ECX, ptr(R8).index(RDX, 4).plus(Control.CHUNK_RING))
        .lea(EDX, ptr(RAX).plus(1))
        .lock()
        .cmpxchg(ptr(R8).plus(Control.CHUNKS_TAKEN), EDX)
        .jne(again)
        .shl(RCX, 16)
        .lea(RCX, ptr(R8).index(RCX, 1).plus(Control.CHUNK))
        .mov(ptr(RCX).plus(Control.SEQUENCE), R10)
        .mov(ptr(RCX).plus(Control.BEGAN), R11)
        .mov(ptr(RCX).plus(Control.LOST_BEFORE), R9)
        .mov(EAX, gs(0x48))
        .mov(ptr(RCX).plus(Control.TID), EAX)
        .mov(ptr(RCX).as32(), Control.IN_USE)
        .add(RCX, record)
        .jmp(set)
        .bind(spilled)
        // The end of a spill is where the code of its area begins.
        .mov(R10, ptr(RCX).plus(Geometry.SPILL_SEQUENCE - Geometry.CODE))
        .mov(R11, ptr(RCX).plus(Geometry.SPILL_BEGAN - Geometry.CODE))
        .mov(R9, ptr(RCX).plus(Geometry.SPILL_LOST - Geometry.CODE))
        .jmp(take)
        .bind(spill)
        // Of a thread without an area, the spill of this block is used.
        .mov(RCX, RBX)
        .test(RCX, RCX)
        .jnz(area)
        .lea(RCX, ptr(untraced))
        .bind(area)
        .and(RCX, -Geometry.ALIGNMENT)
        .mov(ptr(RCX).plus(Geometry.SPILL_SEQUENCE), R10)
        .mov(ptr(RCX).plus(Geometry.SPILL_BEGAN), R11)
        .add(R9, perSpill)
        .mov(ptr(RCX).plus(Geometry.SPILL_LOST), R9)
        .lock()
        .add(ptr(R8).plus(Control.LOST).as64(), perSpill)
        .add(RCX, Geometry.SPILL)
        .jmp(set)
        .bind(notFull)
        .sub(RCX, record)
        .bind(set)
        .mov(gs(words.record()), RCX)
        .mov(gs(words.slot()), RBX);
    leaveFull(end);
    Label firstEnd = enterFull(firstChunk);
    // The thread's word still says that it is not traced.
    a.mov(RBX, R8)
        .mov(R8, control)
        .lock()
        .inc(ptr(R8).plus(Control.THREADS).as64())
        .rdtsc()
        .shl(RDX, 32)
        .lea(R11, ptr(RAX).index(RDX, 1))
        .xor(R10D, R10D)
        .xor(R9D, R9D)
        .jmp(take)
        .bind(firstEnd);
  }

  /** The frame of what is called in the middle: flags and five registers. */
  private Label enterFull(Label begin) {
    a.bind(begin).pushfq().push(R8).push(R9).push(R10).push(R11).push(RBX);
    Label end = a.label();
    ranges.add(new Range(begin, end, UnwindBytes.prologue(0, 1, 3, 5, 7, 9, 10)));
    return end;
  }

  private void leaveFull(Label end) {
    a.mov(RBX, ptr(RSP))
        .mov(R11, ptr(RSP).plus(8))
        .mov(R10, ptr(RSP).plus(16))
        .mov(R9, ptr(RSP).plus(24))
        .mov(R8, ptr(RSP).plus(32))
        .lea(RSP, ptr(RSP).plus(40))
        .bind(end);
    range(1, () -> a.popfq());
    range(0, () -> a.ret());
  }
}

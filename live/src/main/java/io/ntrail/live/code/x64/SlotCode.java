package io.ntrail.live.code.x64;

import static io.ntrail.live.code.x64.AreaLayout.BODY;
import static io.ntrail.live.code.x64.AreaLayout.DELTA;
import static io.ntrail.live.code.x64.AreaLayout.KEY;
import static io.ntrail.live.code.x64.AreaLayout.META;
import static io.ntrail.live.code.x64.AreaLayout.RET;
import static io.ntrail.live.code.x64.AreaLayout.SAVE_RAX;
import static io.ntrail.live.code.x64.AreaLayout.SAVE_RDX;
import static io.ntrail.live.code.x64.AreaLayout.STRIDE;
import static io.ntrail.live.code.x64.AreaLayout.TRUE_RIP;
import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg16;
import java.util.ArrayList;
import java.util.List;

/**
 * Code of a slot; it differs between slots only by the distances to fields of the whole area. No
 * instruction changes a flag, and no register but those that it saves.
 *
 * <p>S is the address of the caller's return address. At the beginning RSP = S - 16, with rax and
 * rcx of the caller pushed, and rax = the function's body thunk.
 */
final class SlotCode {
  /** Size of the instruction at the return point: {@code push [RET]}. */
  static final int RETURN_POINT = 6;

  private static final int STACK_LIMIT = 0x10;
  private static final int THREAD_BLOCK = 0x30;

  private final Assembler a = Assembler.x64();
  private final TlsOffsets words;
  private final int record;
  private final boolean samples;
  private final Label begin = a.label("C");
  private final Label three = a.label("three words pushed");
  private final Label two = a.label("two words pushed again");
  private final Label call = a.label("K");
  private final Label exit = a.label("E");
  private final Label end = a.label("end");
  private final Label fresh = a.label("fresh");
  private final Label tail = a.label("tail");
  private final Label entryClock = a.label("clock at entry");
  private final Label exitClock = a.label("clock at exit");

  /** Ends of the instructions whose last four bytes are a distance to a field of the area. */
  private final List<Label> areaFields = new ArrayList<>();

  private SlotCode(TlsOffsets words, int record, boolean samples) {
    this.words = words;
    this.record = record;
    this.samples = samples;
  }

  /**
   * Assembled slot.
   *
   * @param first the code of slot 0
   * @param areaFields distances of 32-bit displacements that lead to fields of the whole area
   * @param three distance of where three words are pushed
   * @param two distance of where two are pushed again
   * @param call distance of the call of the body
   * @param exit distance of the return point
   * @param clocks distances of the two instructions that read the clock
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Assembled(
      byte[] first,
      List<Integer> areaFields,
      int three,
      int two,
      int call,
      int exit,
      List<Integer> clocks) {
    /** Returns the number of bytes, the same for all slots. */
    int length() {
      return first.length;
    }

    /** Returns the code of a slot: fields of the area are farther back by its distance. */
    byte[] bytes(int slot) {
      BytesBuilder code = new BytesBuilder(first.length).bytes(first);
      Bytes before = Bytes.copyOf(first, "slot code");
      for (int at : areaFields) {
        code.setU32(at, before.i32(at) - slot * STRIDE);
      }
      return code.toArray();
    }
  }

  /**
   * Assembles the slots: one, as the others follow from it.
   *
   * @param record bytes of a record; 0: calls are added up
   * @param samples whether stacks are sampled
   */
  static Assembled assemble(TlsOffsets words, int record, boolean samples) {
    SlotCode code = new SlotCode(words, record, samples);
    code.a.bind(code.begin);
    code.choose();
    code.enter();
    code.leave();
    code.a.bind(code.end);
    AssembledCode done = code.a.assemble();
    if (done.length() > STRIDE) {
      throw new IllegalStateException("a slot of " + done.length() + " bytes");
    }
    return new Assembled(
        done.bytes(),
        code.areaFields.stream().map(end -> done.offset(end) - Integer.BYTES).toList(),
        done.offset(code.three),
        done.offset(code.two),
        done.offset(code.call),
        done.offset(code.exit),
        List.of(done.offset(code.entryClock), done.offset(code.exitClock)));
  }

  /** Returns the code after the last slot: it leaves the decision to the slow path. */
  static byte[] overflow() {
    Assembler a = Assembler.x64();
    Label begin = a.here("C");
    // FF 25 would be read as the end of a function by unwinders.
    return a.mov(RCX, ptr(begin).plus(DELTA + AreaLayout.SLOW)).jmp(RCX).assemble().bytes();
  }

  private Mem cell(int field) {
    return ptr(begin).plus(DELTA + field);
  }

  /** A field of the whole area, seen from slot 0. */
  private Mem areaField(int field) {
    return ptr(begin).plus(field - AreaLayout.code(0));
  }

  /** Binds the end of an instruction whose last four bytes are the distance to such a field. */
  private Label endOfAreaField() {
    Label after = a.label("after field " + areaFields.size());
    areaFields.add(after);
    return after;
  }

  private void choose() {
    Label same = a.label("same stack");
    Label inside = a.label("inside");
    Label equal = a.label("equal");
    Label slow = a.label("slow");
    // Nothing of the slot is touched on another stack: a fiber's frames may be at work in another
    // thread by now. The overflow's cell leads to the routine that finds the right area.
    a.mov(RCX, gs(8))
        .push(RAX)
        .bind(three)
        .mov(RAX, areaField(AreaLayout.NEGATED_BASE))
        .bind(endOfAreaField())
        .lea(RCX, ptr(RCX).index(RAX, 1))
        // The area's thread: another one may have left frames on this stack that ours knows not.
        .mov(RAX, gs(THREAD_BLOCK))
        .lea(RCX, ptr(RCX).index(RAX, 1))
        .pop(RAX)
        .bind(two)
        .jrcxz(same)
        .mov(RCX, areaField(AreaLayout.data(AreaLayout.SLOTS) + AreaLayout.SLOW))
        .bind(endOfAreaField())
        .jmp(RCX)
        .bind(same)
        // Above everything: whatever interrupts us takes this slot for one in use.
        .mov(RCX, gs(8))
        .lea(RCX, ptr(RCX).plus(AreaLayout.UNKNOWN_KEY))
        .mov(cell(KEY), RCX)
        // Taken before anything is kept in it: what interrupts us from here on uses the next slot.
        .lea(RCX, ptr(begin).plus(STRIDE))
        .mov(gs(words.slot()), RCX)
        .mov(cell(BODY), RAX)
        .mov(cell(SAVE_RDX), RDX)
        // S minus the stack's limit: a stack that the system does not know is not ours to trace.
        .mov(RCX, gs(STACK_LIMIT))
        .not(RCX)
        .lea(RAX, ptr(RSP).index(RCX, 1).plus(17))
        .cqo()
        .mov(RCX, RDX)
        .jrcxz(inside)
        .jmp(slow)
        .bind(inside)
        .mov(RCX, RSP)
        .not(RCX)
        .mov(RDX, cell(KEY - STRIDE))
        // S of the slot before, minus S.
        .lea(RAX, ptr(RCX).index(RDX, 1).plus(-23))
        .mov(RCX, RAX)
        .jrcxz(equal)
        .cqo()
        .mov(RCX, RDX)
        .jrcxz(fresh)
        .jmp(slow)
        .bind(equal)
        // The same place: a tail call if the return address there is that into the slot before.
        .lea(RDX, ptr(exit).plus(-STRIDE))
        .mov(RCX, ptr(RSP).plus(16))
        .not(RCX)
        .lea(RCX, ptr(RCX).index(RDX, 1).plus(1))
        .jrcxz(tail)
        .bind(slow)
        // The thread's word may be another slot's by now: something that interrupted us may have
        // left frames behind.
        .lea(RAX, ptr(begin))
        .mov(RCX, cell(AreaLayout.SLOW))
        .jmp(RCX);
  }

  private void enter() {
    Label go = a.label("go");
    Label full = a.label("full at entry");
    Label done = a.label("done at entry");
    a.bind(tail)
        .mov(RCX, cell(TRUE_RIP - STRIDE))
        .mov(cell(TRUE_RIP), RCX)
        .mov(RCX, ptr(RSP).plus(16))
        .jmp(go);
    if (record > 0) {
      a.bind(full).call(cell(AreaLayout.FULL)).jmp(done);
    }
    a.bind(fresh)
        .mov(RCX, ptr(RSP).plus(16))
        .mov(cell(TRUE_RIP), RCX)
        .bind(go)
        .mov(cell(RET), RCX)
        .lea(RDX, ptr(RSP).plus(24))
        .mov(cell(KEY), RDX)
        .mov(RCX, gs(words.record()))
        .jrcxz(done);
    if (record == 0) {
      SlotTotals.enter(a, this::cell, entryClock);
    } else {
      recordEntry(full);
    }
    a.bind(done)
        .mov(RDX, cell(SAVE_RDX))
        .mov(RCX, ptr(RSP))
        .mov(RAX, ptr(RSP).plus(8))
        .lea(RSP, ptr(RSP).plus(24))
        .bind(call)
        .call(cell(BODY))
        .bind(exit);
  }

  private void recordEntry(Label full) {
    a.mov(ptr(RCX).plus(SessionLayout.RECORD_KEY), RDX);
    // What they point to may be copied with those on the stack.
    if (record > SessionLayout.RECORD_ARGUMENTS) {
      a.mov(RAX, ptr(RSP))
          .mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS), RAX)
          .mov(RAX, cell(SAVE_RDX))
          .mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS + 8), RAX)
          .mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS + 16), R8)
          .mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS + 24), R9);
    }
    if (record > SessionLayout.RECORD_STACK_ARGUMENTS) {
      a.call(cell(AreaLayout.STACK_ARGUMENTS));
    }
    a.bind(entryClock).rdtsc().mov(ptr(RCX), EAX).mov(ptr(RCX).plus(4), EDX);
    if (samples) {
      a.lea(RAX, areaField(AreaLayout.COUNTDOWN))
          .bind(endOfAreaField())
          .call(cell(AreaLayout.SAMPLING));
    }
    a.mov(RAX, cell(RET))
        .mov(ptr(RCX).plus(SessionLayout.RECORD_VALUE), RAX)
        .mov(RAX, cell(BODY))
        .mov(ptr(RCX).plus(SessionLayout.RECORD_FUNCTION), EAX)
        .mov(EAX, cell(META))
        // The last store makes the record one.
        .mov(ptr(RCX).plus(SessionLayout.RECORD_META), EAX)
        // The end of a chunk is never the place of the next record: what interrupts us would write
        // there.
        .lea(RDX, ptr(RCX).plus(record))
        .movzx(ECX, Reg16.DX);
    if (samples || record > SessionLayout.RECORD_ARGUMENTS) {
      // The short jump does not reach so far.
      Label near = a.label("full at entry, near");
      Label next = a.label("not full at entry");
      a.jrcxz(near).jmp(next).bind(near).jmp(full).bind(next);
    } else {
      a.jrcxz(full);
    }
    a.mov(gs(words.record()), RDX);
  }

  private void leave() {
    Label release = a.label("release");
    Label after = a.label("after");
    Label full = a.label("full at exit");
    a.push(cell(RET))
        .push(RCX)
        // Nothing returns here again: the frame is no longer one to walk or to repair.
        .mov(RCX, gs(8))
        .lea(RCX, ptr(RCX).plus(AreaLayout.UNKNOWN_KEY))
        .mov(cell(KEY), RCX)
        .mov(RCX, gs(words.record()));
    if (record == 0) {
      Label near = a.label("not counted, near");
      Label counted = a.label("counted");
      a.jrcxz(near).jmp(counted).bind(near).jmp(release).bind(counted);
      SlotTotals.leave(a, this::cell, exitClock);
    } else {
      recordExit(release, full);
    }
    a.bind(after)
        .mov(RDX, cell(SAVE_RDX))
        .mov(RAX, cell(SAVE_RAX))
        .lea(RCX, ptr(begin))
        // With rcx = 0 when a fiber returns in a thread that nothing is known of: its next call
        // makes it known.
        .bind(release)
        .mov(gs(words.slot()), RCX)
        .pop(RCX)
        .ret();
    if (record > 0) {
      a.bind(full).call(cell(AreaLayout.FULL)).jmp(after);
    }
  }

  private void recordExit(Label release, Label full) {
    a.jrcxz(release)
        .mov(cell(SAVE_RAX), RAX)
        .mov(cell(SAVE_RDX), RDX)
        .mov(ptr(RCX).plus(SessionLayout.RECORD_VALUE), RAX)
        .bind(exitClock)
        .rdtsc()
        .mov(ptr(RCX), EAX)
        .mov(ptr(RCX).plus(4), EDX)
        .mov(RAX, cell(BODY))
        .mov(ptr(RCX).plus(SessionLayout.RECORD_FUNCTION), EAX)
        .lea(RAX, ptr(RSP).plus(16))
        .mov(ptr(RCX).plus(SessionLayout.RECORD_KEY), RAX)
        .mov(EAX, cell(META))
        .lea(EAX, ptr(RAX).plus(1))
        .mov(ptr(RCX).plus(SessionLayout.RECORD_META), EAX)
        .lea(RDX, ptr(RCX).plus(record))
        .movzx(ECX, Reg16.DX)
        .jrcxz(full)
        .mov(gs(words.record()), RDX);
  }
}

package io.ntrail.live.code.ia32;

import static io.ntrail.live.code.ia32.AreaLayout32.BODY;
import static io.ntrail.live.code.ia32.AreaLayout32.DELTA;
import static io.ntrail.live.code.ia32.AreaLayout32.KEY;
import static io.ntrail.live.code.ia32.AreaLayout32.META;
import static io.ntrail.live.code.ia32.AreaLayout32.RET;
import static io.ntrail.live.code.ia32.AreaLayout32.SAVE_EAX;
import static io.ntrail.live.code.ia32.AreaLayout32.SAVE_EDX;
import static io.ntrail.live.code.ia32.AreaLayout32.STRIDE;
import static io.ntrail.live.code.ia32.AreaLayout32.TRUE_EIP;
import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.Relocation;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg16;
import java.util.ArrayList;
import java.util.List;

/**
 * Code of a slot. No instruction changes a flag, and no register but those that it saves. Nothing
 * is assumed about who removes arguments from the stack: the return address is pushed at whatever
 * place the body left the stack pointer.
 *
 * <p>S is the address of the caller's return address. At the beginning ESP = S - 8, with eax and
 * ecx of the caller pushed, and eax = the function's body thunk.
 */
final class SlotCode32 {
  private final Assembler a = Assembler.ia32();
  private final TlsOffsets32 words;
  private final int record;
  private final RuntimeCells cells;
  private final Label begin = a.label("C");
  private final Label exit = a.label("E");
  private final Label fresh = a.label("fresh");
  private final Label tail = a.label("tail");
  private final Label entryClock = a.label("clock at entry");
  private final Label exitClock = a.label("clock at exit");
  private final boolean samples;

  /** Ends of the instructions whose last four bytes are the address of a field of the area. */
  private final List<Label> areaFields = new ArrayList<>();

  private SlotCode32(TlsOffsets32 words, int record, RuntimeCells cells, boolean samples) {
    this.words = words;
    this.record = record;
    this.cells = cells;
    this.samples = samples;
  }

  /**
   * Assembled slot.
   *
   * @param code the code as it is for any slot
   * @param areaFields distances of the addresses of fields of the whole area
   * @param exit distance of the return point
   * @param clocks distances of the instructions that read the clock, if there are any
   */
  record Assembled(AssembledCode code, List<Integer> areaFields, int exit, List<Integer> clocks) {
    /** Returns the number of bytes, the same for all slots. */
    int length() {
      return code.length();
    }

    /** Returns the distances of the addresses in the code, four bytes each. */
    List<Integer> addresses() {
      return code.relocations().stream().map(Relocation::offset).toList();
    }

    /** Returns the code of a slot of an area. */
    byte[] bytes(long area, int slot) {
      byte[] placed = code.bytesAt(area + AreaLayout32.code(slot));
      BytesBuilder built = new BytesBuilder(placed.length).bytes(placed);
      Bytes before = Bytes.copyOf(placed, "slot code");
      for (int at : areaFields) {
        built.setU32(at, before.i32(at) - slot * STRIDE);
      }
      return built.toArray();
    }
  }

  /**
   * Assembles a slot.
   *
   * @param record bytes of a record; 0: calls are added up
   * @param samples whether stacks are sampled
   */
  static Assembled assemble(TlsOffsets32 words, int record, RuntimeCells cells, boolean samples) {
    SlotCode32 code = new SlotCode32(words, record, cells, samples);
    code.a.bind(code.begin);
    code.choose();
    code.enter();
    code.leave();
    AssembledCode done = code.a.assemble();
    if (done.length() > STRIDE) {
      throw new IllegalStateException("a slot of " + done.length() + " bytes");
    }
    return new Assembled(
        done,
        code.areaFields.stream().map(end -> done.offset(end) - Integer.BYTES).toList(),
        done.offset(code.exit),
        record == 0
            ? List.of()
            : List.of(done.offset(code.entryClock), done.offset(code.exitClock)));
  }

  /** Returns the code after the last slot: it leaves the decision to the slow path. */
  static byte[] overflow(RuntimeCells cells) {
    return Assembler.ia32().jmp(absolute(cells.overflow()).as32()).assemble().bytes();
  }

  private Mem cell(int field) {
    return ptr(begin).plus(DELTA + field);
  }

  /** Loads the address of a field of the whole area. */
  private void areaField(int field) {
    Label end = a.label("after field " + areaFields.size());
    areaFields.add(end);
    // As an immediate operand the address is always the last four bytes.
    a.mov(EAX, Imm.address(begin).plus(field - AreaLayout32.code(0))).bind(end);
  }

  /** Loads what says that the slot has no frame. */
  private void unknownKey() {
    a.mov(ECX, fs(TlsOffsets32.STACK_BASE))
        .lea(ECX, ptr(ECX).plus(AreaLayout32.UNKNOWN_KEY))
        .mov(cell(KEY), ECX);
  }

  private void choose() {
    Label same = a.label("same stack");
    Label inside = a.label("inside");
    Label equal = a.label("equal");
    Label slow = a.label("slow");
    // Nothing of the slot is touched on another stack: a fiber's frames may be at work in another
    // thread by now.
    a.mov(ECX, fs(TlsOffsets32.STACK_BASE)).push(EAX);
    areaField(AreaLayout32.NEGATED_BASE);
    a.mov(EAX, ptr(EAX))
        .lea(ECX, ptr(ECX).index(EAX, 1))
        // The area's thread: another one may have left frames on this stack that ours knows not.
        .mov(EAX, fs(TlsOffsets32.THREAD_BLOCK))
        .lea(ECX, ptr(ECX).index(EAX, 1))
        .pop(EAX)
        .jecxz(same)
        .jmp(absolute(cells.overflow()).as32())
        .bind(same);
    // Above everything: whatever interrupts us takes this slot for one in use.
    unknownKey();
    // Taken before anything is kept in it: what interrupts us from here on uses the next slot.
    a.mov(fs(words.slot()).as32(), Imm.address(begin).plus(STRIDE))
        .mov(cell(BODY), EAX)
        .mov(cell(SAVE_EDX), EDX)
        // S minus the stack's limit: a stack that the system does not know is not ours to trace.
        .mov(ECX, fs(TlsOffsets32.STACK_LIMIT))
        .not(ECX)
        .lea(EAX, ptr(ESP).index(ECX, 1).plus(9))
        .cdq()
        .mov(ECX, EDX)
        .jecxz(inside)
        .jmp(slow)
        .bind(inside)
        .mov(ECX, ESP)
        .not(ECX)
        .mov(EDX, cell(KEY - STRIDE))
        // S of the slot before, minus S.
        .lea(EAX, ptr(ECX).index(EDX, 1).plus(-11))
        .mov(ECX, EAX)
        .jecxz(equal)
        .cdq()
        .mov(ECX, EDX)
        .jecxz(fresh)
        .jmp(slow)
        .bind(equal)
        // The same place: a tail call if the return address there is that into the slot before.
        .mov(ECX, ptr(ESP).plus(8))
        .not(ECX)
        .lea(ECX, ptr(ECX).plus(exit).plus(1 - STRIDE))
        .jecxz(tail)
        .bind(slow)
        // The thread's word may be another slot's by now: something that interrupted us may have
        // left frames behind.
        .mov(EAX, Imm.address(begin))
        .jmp(absolute(cells.slow()).as32());
  }

  private void enter() {
    Label go = a.label("go");
    Label full = a.label("full at entry");
    Label done = a.label("done at entry");
    a.bind(tail)
        .mov(ECX, cell(TRUE_EIP - STRIDE))
        .mov(cell(TRUE_EIP), ECX)
        .mov(ECX, ptr(ESP).plus(8))
        .jmp(go);
    if (record > 0) {
      a.bind(full).call(absolute(cells.full()).as32()).jmp(done);
    }
    a.bind(fresh)
        .mov(ECX, ptr(ESP).plus(8))
        .mov(cell(TRUE_EIP), ECX)
        .bind(go)
        .mov(cell(RET), ECX)
        .lea(EDX, ptr(ESP).plus(12))
        .mov(cell(KEY), EDX)
        .mov(ECX, fs(words.record()));
    if (samples) {
      Label near = a.label("done at entry, near");
      Label write = a.label("write");
      // The short jump does not reach so far.
      a.jecxz(near).jmp(write).bind(near).jmp(done).bind(write);
    } else {
      a.jecxz(done);
    }
    if (record == 0) {
      a.mov(EAX, Imm.address(begin).plus(DELTA)).call(absolute(cells.enterTotals()).as32());
    } else {
      recordEntry(full);
    }
    a.bind(done)
        .mov(EDX, cell(SAVE_EDX))
        .mov(ECX, ptr(ESP))
        .mov(EAX, ptr(ESP).plus(4))
        .lea(ESP, ptr(ESP).plus(12))
        .call(cell(BODY).as32())
        .bind(exit);
  }

  private void recordEntry(Label full) {
    a.mov(ptr(ECX).plus(SessionLayout.RECORD_KEY), EDX)
        .mov(EAX, ptr(ESP))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE + 4), EAX)
        .mov(EAX, cell(SAVE_EDX))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_KEY + 4), EAX);
    if (record > SessionLayout.RECORD_ARGUMENTS) {
      a.call(absolute(cells.stackArguments()).as32());
    }
    if (samples) {
      a.mov(EAX, cell(BODY)).mov(ptr(ECX).plus(SessionLayout.RECORD_FUNCTION), EAX);
    }
    a.bind(entryClock).rdtsc().mov(ptr(ECX), EAX).mov(ptr(ECX).plus(4), EDX);
    if (samples) {
      areaField(AreaLayout32.COUNTDOWN);
      a.call(absolute(cells.sampling()).as32());
    }
    a.mov(EAX, cell(RET)).mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE), EAX);
    if (!samples) {
      a.mov(EAX, cell(BODY)).mov(ptr(ECX).plus(SessionLayout.RECORD_FUNCTION), EAX);
    }
    a.mov(EAX, cell(META))
        // The last store makes the record one.
        .mov(ptr(ECX).plus(SessionLayout.RECORD_META), EAX)
        // The end of a chunk is never the place of the next record: what interrupts us would write
        // there.
        .lea(EDX, ptr(ECX).plus(record))
        .movzx(ECX, Reg16.DX);
    if (samples) {
      Label near = a.label("full at entry, near");
      Label next = a.label("not full at entry");
      a.jecxz(near).jmp(next).bind(near).jmp(full).bind(next);
    } else {
      a.jecxz(full);
    }
    a.mov(fs(words.record()), EDX);
  }

  private void leave() {
    Label release = a.label("release");
    Label after = a.label("after");
    Label full = a.label("full at exit");
    a.push(cell(RET).as32()).push(ECX).mov(cell(SAVE_EAX), EAX).mov(EAX, cell(KEY));
    // Nothing returns here again: the frame is no longer one to walk or to repair. It lies below
    // the stack pointer where the body removed arguments, so what interrupts us must not find it.
    unknownKey();
    a.mov(ECX, fs(words.record())).jecxz(release);
    if (record == 0) {
      a.mov(cell(SAVE_EDX), EDX)
          .mov(EAX, Imm.address(begin).plus(DELTA))
          .call(absolute(cells.leaveTotals()).as32());
    } else {
      recordExit(full);
    }
    a.bind(after)
        .mov(EDX, cell(SAVE_EDX))
        .mov(ECX, Imm.address(begin))
        // With ecx = 0 when a fiber returns in a thread that nothing is known of: its next call
        // makes it known.
        .bind(release)
        .mov(EAX, cell(SAVE_EAX))
        .mov(fs(words.slot()), ECX)
        .pop(ECX)
        .ret();
    if (record > 0) {
      a.bind(full).call(absolute(cells.full()).as32()).jmp(after);
    }
  }

  private void recordExit(Label full) {
    a.mov(ptr(ECX).plus(SessionLayout.RECORD_KEY), EAX)
        .mov(cell(SAVE_EDX), EDX)
        .mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE + 4), EDX)
        .mov(EAX, cell(SAVE_EAX))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE), EAX)
        .bind(exitClock)
        .rdtsc()
        .mov(ptr(ECX), EAX)
        .mov(ptr(ECX).plus(4), EDX)
        .mov(EAX, cell(BODY))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_FUNCTION), EAX)
        .lea(EAX, ptr(ESP).plus(8))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_KEY + 4), EAX)
        .mov(EAX, cell(META))
        .lea(EAX, ptr(EAX).plus(1))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_META), EAX)
        .lea(EDX, ptr(ECX).plus(record))
        .movzx(ECX, Reg16.DX)
        .jecxz(full)
        .mov(fs(words.record()), EDX);
  }
}

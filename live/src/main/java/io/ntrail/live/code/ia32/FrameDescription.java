package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.FrameDescriptions;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;
import java.nio.charset.StandardCharsets;

/**
 * Description of the frames of slots for GNU C++ programs (of the model DW2), whose exceptions
 * follow return addresses by {@code .eh_frame}: one entry for all areas of a session. It is to be
 * registered with the libgcc of the modules that throw.
 *
 * <p>At the return point E of a slot, while the body runs, esp = S + 4 for an unwinder. The return
 * address is in the slot's data, at the same distance from E for all slots. Unwinders tell frames
 * apart by their canonical frame address; that of the slot is S + 5, so that it is not the
 * caller's, and esp has a rule of its own.
 */
final class FrameDescription implements FrameDescriptions {
  /** Bytes of the description at most. */
  static final int MOST = 128;

  /** Exception code of GNU C++ exceptions. */
  static final int GNU_EXCEPTION = 0x2047_4343;

  // Numbers of registers, and of the return address.
  private static final int SP = 4;
  private static final int RETURN_ADDRESS = 8;

  private static final int DW_CFA_DEF_CFA = 0x0C;
  private static final int DW_CFA_EXPRESSION = 0x10;
  private static final int DW_CFA_VAL_EXPRESSION = 0x16;
  private static final int DW_OP_BREG4 = 0x74;
  private static final int DW_OP_DEREF = 0x06;
  private static final int DW_OP_CONST2U = 0x0A;
  private static final int DW_OP_CONST4U = 0x0C;
  private static final int DW_OP_DUP = 0x12;
  private static final int DW_OP_OVER = 0x14;
  private static final int DW_OP_MINUS = 0x1C;
  private static final int DW_OP_PLUS = 0x22;
  private static final int DW_OP_BRA = 0x28;
  private static final int DW_OP_NE = 0x2E;
  private static final int DW_OP_SKIP = 0x2F;

  /** Bytes of a branch, and of the step to the slot before. */
  private static final int JUMP = 3;

  private static final int BEFORE = 4;

  private static final int ALIGNMENT = 4;

  /** Addresses in 32 bits as they are. */
  private static final int ABSOLUTE = 0;

  // Above the stack pointer, with four registers pushed: parameters of the routine.
  private static final int ACTIONS = 4 * 4 + 8;
  private static final int CONTEXT = 4 * 4 + 24;

  /** _UA_CLEANUP_PHASE. */
  private static final int CLEANUP_PHASE = 2;

  /** _URC_CONTINUE_UNWIND. */
  private static final int CONTINUE_UNWIND = 8;

  private final RoutineContext32 parts;
  private final int exit;

  /**
   * Descriptions of a session.
   *
   * @param exit distance of the return point from the beginning of a slot
   */
  FrameDescription(RoutineContext32 parts, int exit) {
    this.parts = parts;
    this.exit = exit;
  }

  @Override
  public int most() {
    return MOST;
  }

  @Override
  public byte[] personality(long getIp, long at) {
    Assembler a = Assembler.ia32();
    Label out = a.label("out");
    Label full = a.label("full");
    Label next = a.label("next slot");
    Label before = a.label("slot before");
    int record = parts.record();
    a.push(EBX)
        .push(ESI)
        .push(EDI)
        .push(EBP)
        .test(ptr(Reg32.ESP).plus(ACTIONS).as32(), CLEANUP_PHASE)
        .jz(out)
        .mov(EBX, fs(parts.words().record()))
        .test(EBX, EBX)
        .jz(out)
        .push(ptr(Reg32.ESP).plus(CONTEXT).as32())
        .call(getIp)
        .pop(ECX)
        // Where the unwinder is traced, its records came in between.
        .mov(EBX, fs(parts.words().record()))
        .test(EBX, EBX)
        .jz(out)
        // The data of the slot whose return point this is.
        .lea(ESI, ptr(EAX).plus(AreaLayout32.DELTA - exit))
        .bind(next)
        .mov(EAX, ptr(ESI).plus(AreaLayout32.BODY))
        .mov(ptr(EBX).plus(SessionLayout.RECORD_FUNCTION), EAX)
        .mov(ptr(EBX).plus(SessionLayout.RECORD_VALUE).as32(), GNU_EXCEPTION)
        .mov(ptr(EBX).plus(SessionLayout.RECORD_VALUE + 4).as32(), 0)
        .mov(EAX, ptr(ESI).plus(AreaLayout32.KEY))
        .mov(ptr(EBX).plus(SessionLayout.RECORD_KEY), EAX)
        .mov(ptr(EBX).plus(SessionLayout.RECORD_KEY + 4).as32(), 0)
        .rdtsc()
        .mov(ptr(EBX), EAX)
        .mov(ptr(EBX).plus(4), EDX)
        .mov(EAX, ptr(ESI).plus(AreaLayout32.META))
        .add(EAX, SessionLayout.UNWIND - SessionLayout.ENTRY)
        .mov(ptr(EBX).plus(SessionLayout.RECORD_META), EAX)
        .lea(EDX, ptr(EBX).plus(record))
        .test(Reg16.DX, Reg16.DX)
        .jz(full)
        .mov(fs(parts.words().record()), EDX)
        .bind(before)
        // A tail call left the frames of all slots that return to each other.
        .lea(EAX, ptr(ESI).plus(exit - AreaLayout32.DELTA - AreaLayout32.STRIDE))
        .cmp(EAX, ptr(ESI).plus(AreaLayout32.RET))
        .jne(out)
        .sub(ESI, AreaLayout32.STRIDE)
        .mov(EBX, fs(parts.words().record()))
        .test(EBX, EBX)
        .jnz(next)
        .bind(out)
        .mov(EAX, CONTINUE_UNWIND)
        .pop(EBP)
        .pop(EDI)
        .pop(ESI)
        .pop(EBX)
        .ret()
        .bind(full)
        .call(absolute(parts.cells().full()).as32())
        .jmp(before);
    return a.assemble().bytesAt(at);
  }

  @Override
  public byte[] description(long begin, long length, long personality) {
    BytesBuilder common = new BytesBuilder(MOST);
    common.u32(0).u8(1).bytes(augmentation(personality)).u8(0);
    // Alignment of code 1, of data -4.
    common.u8(1).u8(0x7C).u8(RETURN_ADDRESS);
    if (personality == 0) {
      common.u8(1).u8(ABSOLUTE);
    } else {
      common.u8(6).u8(ABSOLUTE).u32((int) personality).u8(ABSOLUTE);
    }
    common.u8(DW_CFA_DEF_CFA).u8(SP).u8(1);
    common.u8(DW_CFA_VAL_EXPRESSION).u8(SP).u8(2).u8(DW_OP_BREG4).u8(0);
    byte[] place = place();
    common.u8(DW_CFA_EXPRESSION).u8(RETURN_ADDRESS).u8(place.length).bytes(place);
    BytesBuilder all = new BytesBuilder(MOST);
    entry(all, common);
    BytesBuilder frames = new BytesBuilder(MOST);
    frames.u32(all.size() + 4).u32((int) begin).u32((int) length).u8(0);
    entry(all, frames);
    return all.u32(0).toArray();
  }

  /**
   * Returns the expression for the place of the return address. At [esp - 4] is the return point of
   * a slot; where a function was tail-called its return address is that of the slot before, which
   * has no place of its own on the stack.
   */
  private byte[] place() {
    BytesBuilder here = new BytesBuilder(MOST);
    here.u8(DW_OP_BREG4).u8(0x7C).u8(DW_OP_DEREF);
    int loop = here.size();
    here.u8(DW_OP_DUP).u8(DW_OP_CONST4U).u32(distance()).u8(DW_OP_PLUS).u8(DW_OP_DEREF);
    here.u8(DW_OP_OVER).u8(DW_OP_CONST2U).u16(AreaLayout32.STRIDE).u8(DW_OP_MINUS);
    here.u8(DW_OP_NE).u8(DW_OP_BRA).u16(BEFORE + JUMP);
    // Branches count from their end.
    here.u8(DW_OP_CONST2U).u16(AreaLayout32.STRIDE).u8(DW_OP_MINUS);
    here.u8(DW_OP_SKIP).u16(loop - (here.size() + JUMP - 1));
    here.u8(DW_OP_CONST4U).u32(distance()).u8(DW_OP_PLUS);
    return here.toArray();
  }

  private static byte[] augmentation(long personality) {
    return (personality == 0 ? "zR" : "zPR").getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the distance from the return point of a slot to its return address. */
  int distance() {
    return AreaLayout32.DELTA + AreaLayout32.RET - exit;
  }

  /** Appends an entry with its length; DW_CFA_nop up to a multiple. */
  private static void entry(BytesBuilder all, BytesBuilder content) {
    int size = content.size() + ALIGNMENT - 1 & -ALIGNMENT;
    all.u32(size).bytes(content.array(), 0, content.size()).zeros(size - content.size());
  }
}

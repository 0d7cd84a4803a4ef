package io.ntrail.live.code;

import static io.ntrail.analysis.x86.asm.Mem.ptr;
import static io.ntrail.analysis.x86.asm.Reg32.EAX;
import static io.ntrail.analysis.x86.asm.Reg32.ECX;
import static io.ntrail.analysis.x86.asm.Reg32.EDI;
import static io.ntrail.analysis.x86.asm.Reg32.R8D;
import static io.ntrail.analysis.x86.asm.Reg64.R8;
import static io.ntrail.analysis.x86.asm.Reg64.R9;
import static io.ntrail.analysis.x86.asm.Reg64.RAX;
import static io.ntrail.analysis.x86.asm.Reg64.RBX;
import static io.ntrail.analysis.x86.asm.Reg64.RCX;
import static io.ntrail.analysis.x86.asm.Reg64.RDI;
import static io.ntrail.analysis.x86.asm.Reg64.RDX;
import static io.ntrail.analysis.x86.asm.Reg64.RSI;
import static io.ntrail.analysis.x86.asm.Reg64.RSP;

import io.ntrail.analysis.x86.asm.Assembler;
import io.ntrail.analysis.x86.asm.Label;

/** Routines that threads of their own run in a target; each takes the address of its parameters. */
public final class TargetRoutines {
  // Parameters of the self-test.
  /** The return point of a slot. */
  public static final int TEST_EXIT = 0;

  /** Data of that slot. */
  public static final int TEST_DATA = 8;

  /** RtlLookupFunctionEntry. */
  public static final int TEST_LOOKUP = 16;

  /** RtlVirtualUnwind. */
  public static final int TEST_UNWIND = 24;

  /** Out: S of the frame that was made up. */
  public static final int TEST_STACK = 32;

  /** Out: the entry that was found. */
  public static final int TEST_ENTRY = 40;

  /** Out: base of its table. */
  public static final int TEST_BASE = 48;

  /** Out, of each of two unwinds: handler. */
  public static final int TEST_HANDLER = 56;

  /** Out, of each of two unwinds: establisher frame. */
  public static final int TEST_ESTABLISHER = 72;

  private static final int TEST_HANDLER_DATA = 88;

  /** In and out, of each of two unwinds: registers. */
  public static final int TEST_CONTEXT = 0x100;

  /** Distance of the second one. */
  public static final int TEST_CONTEXT_STEP = 0x600;

  /** Bytes of the self-test's parameters. */
  public static final int TEST_SIZE = 0x1000;

  private static final int CONTEXT_RSP = 0x98;
  private static final int CONTEXT_RIP = 0xF8;

  private TargetRoutines() {}

  /**
   * Registers function tables: u64 count, u64 address of RtlAddGrowableFunctionTable, then for each
   * table six arguments of it, the first of them the address where the handle goes. Returns the
   * first status that is no success, or 0.
   */
  public static byte[] register() {
    Assembler a = Assembler.x64();
    Label next = a.label("next table");
    Label done = a.label("done");
    a.push(RBX).push(RSI).push(RDI).sub(RSP, 0x30).mov(RBX, RCX).mov(RSI, ptr(RBX));
    a.lea(RDI, ptr(RBX).plus(16)).xor(EAX, EAX);
    a.bind(next).test(RSI, RSI).jz(done);
    a.mov(RCX, ptr(RDI)).mov(RDX, ptr(RDI).plus(8)).mov(R8, ptr(RDI).plus(16));
    a.mov(RAX, ptr(RDI).plus(32)).mov(ptr(RSP).plus(32), RAX);
    a.mov(RAX, ptr(RDI).plus(40)).mov(ptr(RSP).plus(40), RAX);
    a.mov(R9, ptr(RDI).plus(24)).call(ptr(RBX).plus(8).as64()).test(EAX, EAX).jnz(done);
    a.add(RDI, 48).dec(RSI).jmp(next);
    a.bind(done).add(RSP, 0x30).pop(RDI).pop(RSI).pop(RBX).ret();
    return a.assemble().bytes();
  }

  /**
   * Walks one step out of a slot, with a frame made up on its own stack, for a search and for an
   * unwind (2 = unwind handler first, then 1). What it finds is judged by the controller.
   */
  public static byte[] selfTest() {
    Assembler a = Assembler.x64();
    Label next = a.label("next unwind");
    a.push(RBX).push(RSI).push(RDI).sub(RSP, 0x800).mov(RBX, RCX);
    a.lea(RSI, ptr(RSP).plus(0x408)).mov(ptr(RBX).plus(TEST_STACK), RSI);
    a.mov(RAX, ptr(RBX)).mov(ptr(RSI), RAX);
    a.mov(RDX, ptr(RBX).plus(TEST_DATA)).lea(RAX, ptr(RSI).plus(8));
    a.mov(ptr(RDX).plus(Geometry.KEY), RAX);
    a.mov(RCX, ptr(RBX)).lea(RDX, ptr(RBX).plus(TEST_BASE)).xor(R8D, R8D);
    a.call(ptr(RBX).plus(TEST_LOOKUP).as64()).mov(ptr(RBX).plus(TEST_ENTRY), RAX);
    a.xor(EDI, EDI);
    Label skip = a.label("no entry");
    a.test(RAX, RAX).jz(skip);
    a.bind(next).imul(RCX, RDI, TEST_CONTEXT_STEP).lea(RAX, ptr(RBX).index(RCX, 1));
    a.add(RAX, TEST_CONTEXT).mov(ptr(RSP).plus(32), RAX);
    a.lea(RCX, ptr(RSI).plus(8)).mov(ptr(RAX).plus(CONTEXT_RSP), RCX);
    a.mov(RCX, ptr(RBX)).mov(ptr(RAX).plus(CONTEXT_RIP), RCX);
    a.lea(RAX, ptr(RBX).plus(TEST_HANDLER_DATA)).mov(ptr(RSP).plus(40), RAX);
    a.lea(RAX, ptr(RBX).index(RDI, 8).plus(TEST_ESTABLISHER)).mov(ptr(RSP).plus(48), RAX);
    a.mov(ptr(RSP).plus(56).as64(), 0);
    a.mov(ECX, 2).sub(RCX, RDI).mov(RDX, ptr(RBX).plus(TEST_BASE)).mov(R8, ptr(RBX));
    a.mov(R9, ptr(RBX).plus(TEST_ENTRY)).call(ptr(RBX).plus(TEST_UNWIND).as64());
    a.mov(ptr(RBX).index(RDI, 8).plus(TEST_HANDLER), RAX).inc(RDI).cmp(RDI, 2).jb(next);
    a.bind(skip).mov(RDX, ptr(RBX).plus(TEST_DATA));
    a.mov(ptr(RDX).plus(Geometry.KEY).as64(), 0).xor(EAX, EAX);
    a.add(RSP, 0x800).pop(RDI).pop(RSI).pop(RBX).ret();
    return a.assemble().bytes();
  }
}

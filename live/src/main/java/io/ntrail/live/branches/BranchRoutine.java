package io.ntrail.live.branches;

import static io.ntrail.live.branches.RoutineBlock.CONTINUING;
import static io.ntrail.live.branches.RoutineBlock.CONTINUING_AT;
import static io.ntrail.live.branches.RoutineBlock.CONTINUING_ROOM;
import static io.ntrail.live.branches.RoutineBlock.COUNT;
import static io.ntrail.live.branches.RoutineBlock.DISTANT;
import static io.ntrail.live.branches.RoutineBlock.ENTRIES;
import static io.ntrail.live.branches.RoutineBlock.EVENT;
import static io.ntrail.live.branches.RoutineBlock.FAILED;
import static io.ntrail.live.branches.RoutineBlock.FIRST_PIECE;
import static io.ntrail.live.branches.RoutineBlock.FOUND;
import static io.ntrail.live.branches.RoutineBlock.GO;
import static io.ntrail.live.branches.RoutineBlock.LAST_MARK;
import static io.ntrail.live.branches.RoutineBlock.MARKS;
import static io.ntrail.live.branches.RoutineBlock.MARK_SHIFT;
import static io.ntrail.live.branches.RoutineBlock.NEXT;
import static io.ntrail.live.branches.RoutineBlock.NEXT_PART;
import static io.ntrail.live.branches.RoutineBlock.PART;
import static io.ntrail.live.branches.RoutineBlock.PIECES;
import static io.ntrail.live.branches.RoutineBlock.PLACES;
import static io.ntrail.live.branches.RoutineBlock.ROOM;
import static io.ntrail.live.branches.RoutineBlock.STARTS;
import static io.ntrail.live.branches.RoutineBlock.STEP;
import static io.ntrail.live.branches.RoutineBlock.STOP;
import static io.ntrail.live.branches.RoutineBlock.TABLE;
import static io.ntrail.live.branches.RoutineBlock.UNUSUAL;
import static io.ntrail.live.branches.RoutineBlock.UNWIND;
import static io.ntrail.live.branches.RoutineBlock.UNWIND_AT;
import static io.ntrail.live.branches.RoutineBlock.UNWIND_BYTES;
import static io.ntrail.live.branches.RoutineBlock.WAIT;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg16.CX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.R10D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R11D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R13;
import static io.ntrail.programs.x86.asm.operands.Reg64.R14;
import static io.ntrail.programs.x86.asm.operands.Reg64.R15;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBP;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM0;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM1;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM2;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM3;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM4;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM5;

import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.programs.patchability.BranchFinder;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Machine code that finds what may branch to the first bytes of some functions, as {@link
 * BranchFinder#HERE} does, in a copy of the code of a library; any number of threads run it at
 * once.
 *
 * <p>After that it goes through the function table of the library.
 *
 * <p>Its argument is the address of a block, laid out as {@link RoutineBlock} says; the places that
 * it finds are 32-bit RVAs in no order. It reads 16 bytes at a time, with instructions that each
 * x64 processor has: bytes that can begin a branch are found together, and the few that lead to a
 * mark go on to a search by halves among the functions.
 *
 * <p>Where the functions are close together and a piece is far from them, the upper halves of all
 * distances by which a block of it reaches them are one number, or a few. It looks for these, which
 * are much rarer than opcodes, and then at what is in front of them.
 */
final class BranchRoutine {
  /** Milliseconds for which the event is waited for. */
  private static final int PATIENCE = 5_000;

  /** Bytes of stack that a called function may use. */
  private static final int SHADOW = 32;

  /** Bytes of a distant piece that are searched for one distance after the other. */
  private static final int STRETCH = 1 << 12;

  /** Bytes from a one-byte opcode to the upper half of its distance. */
  private static final int UPPER_HALF = 3;

  // Places on the stack: the upper half in all parts of a vector, the begin of the block, the next
  // upper half, how many there are, the end of the block, begin and end of the piece.
  private static final int SAME = 0;
  private static final int BLOCK_BEGIN = 16;
  private static final int DISTANCE = 24;
  private static final int DISTANCES = 28;
  private static final int BLOCK_END = 32;
  private static final int FIRST = 40;
  private static final int AFTER = 48;

  /** Place on the stack of where opcodes are in a stretch, i16 each, before its end. */
  private static final int NOTES = 64;

  /** Bytes in which opcodes are noted before they are looked at. */
  private static final int NOTED = 1 << 10;

  /**
   * Opcodes of {@link RoutineBlock#STEP} bytes that are noted without a branch: seldom there are
   * more.
   */
  private static final int USUAL = 4;

  // A byte that is none leaves a note that the next one covers; a frame below a page needs no
  // probe.
  private static final int FRAME = NOTES + (NOTED + USUAL) * Short.BYTES;

  private static final int PART_SHIFT = 13;

  /** Bit of the first byte of unwind information that continues another one. */
  private static final int CONTINUES = UnwindInfo.CHAININFO << 3;

  private static final int VECTOR = 16;
  private static final int PAGE = 1 << 12;

  /** EXCEPTION_CONTINUE_EXECUTION. */
  private static final int CONTINUE = -1;

  /** Offset of the instruction pointer in CONTEXT. */
  private static final int CONTEXT_RIP = 0xF8;

  private final Map<Integer, Label> constants = new TreeMap<>();
  private final Assembler a = Assembler.x64();
  private final Label handler = a.label("handler");
  private final Label begin = a.label("begin");
  private final Label touch = a.label("touch");
  private final Label touched = a.label("touched");
  private final Label failed = a.label("failed");
  private final Label next = a.label("next piece");
  private final Label end = a.label("end");

  private BranchRoutine() {}

  /**
   * Machine code, which can lie at any address that is a multiple of 16.
   *
   * @param bytes the code; the routine is at its begin
   * @param touch offset of a routine that reads one byte of each page, so that they are there when
   *     they are searched, and then becomes the other one; its argument is the address of u64 begin
   *     and u64 end of a stretch, and of what follows it
   * @param handler offset of the vectored exception handler that makes both routines end where they
   *     read memory that is not there
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Code(byte[] bytes, int touch, int handler) {}

  /** Returns the code. */
  static Code code() {
    return new BranchRoutine().assemble();
  }

  private Code assemble() {
    Label distant = a.label("distant piece");
    Label table = a.label("table");
    a.bind(begin);
    a.push(RBX).push(RSI).push(RDI).push(RBP).push(R12).push(R13).push(R14).push(R15);
    a.sub(RSP, FRAME).mov(RBX, RCX);
    a.mov(R12, ptr(RBX).plus(MARKS)).mov(R13, ptr(RBX).plus(LAST_MARK));
    a.mov(R14, ptr(RBX).plus(STARTS)).mov(R15, ptr(RBX).plus(COUNT));
    a.movdqa(XMM4, constant(0x01));

    a.bind(next).mov(EAX, 1).lock().xadd(ptr(RBX).plus(NEXT), RAX);
    a.cmp(RAX, ptr(RBX).plus(PIECES)).jae(table);
    a.lea(RAX, ptr(RAX).index(RAX, 2)).lea(RAX, ptr(RBX).index(RAX, 8).plus(FIRST_PIECE));
    // RSI is where it reads, RBP the distance from there to the RVA, RDI the end.
    a.mov(RSI, ptr(RAX)).mov(RBP, ptr(RAX).plus(8)).sub(RBP, RSI);
    a.mov(RDI, ptr(RAX).plus(16)).mov(RCX, RDI).and(RCX, DISTANT).sub(RDI, RCX).add(RDI, RSI);
    a.test(RCX, RCX).jnz(distant);

    stretches();
    a.bind(distant);
    distant();
    a.bind(table);
    table();
    a.jmp(end);

    a.bind(failed).mov(ptr(RBX).plus(FAILED).as64(), 1);
    a.bind(end).xor(EAX, EAX).add(RSP, FRAME);
    a.pop(R15).pop(R14).pop(R13).pop(R12).pop(RBP).pop(RDI).pop(RSI).pop(RBX).ret();
    touch();
    handle();
    constants.forEach((value, label) -> {
      byte[] bytes = new byte[VECTOR];
      Arrays.fill(bytes, value.byteValue());
      a.align(VECTOR).bind(label).bytes(bytes);
    });
    AssembledCode code = a.assemble();
    return new Code(code.bytes(), code.offset(touch), code.offset(handler));
  }

  /** Returns a constant of 16 equal bytes, which follows the code. */
  private Mem constant(int value) {
    return ptr(constants.computeIfAbsent(value, _ -> a.label("bytes " + value)));
  }

  /** Sets those bytes of XMM2 at which one of the opcodes may begin. */
  private void opcodes(int at) {
    a.movdqu(XMM0, ptr(RSI).plus(at)).movdqu(XMM1, ptr(RSI).plus(at + 1));
    // CALL and JMP differ in one bit.
    a.movdqa(XMM2, XMM0).por(XMM2, XMM4).pcmpeqb(XMM2, constant(0xE9));
    a.movdqa(XMM3, XMM0).pcmpeqb(XMM3, constant(0x0F)).pcmpeqb(XMM0, constant(0xC7));
    a.movdqa(XMM5, XMM1).pcmpeqb(XMM5, constant(0xF8)).pand(XMM0, XMM5).por(XMM2, XMM0);
    a.pand(XMM1, constant(0xF0)).pcmpeqb(XMM1, constant(0x80));
    a.pand(XMM3, XMM1).por(XMM2, XMM3);
  }

  /**
   * Searches a piece, of which RSI is the begin and RDI the end.
   *
   * <p>Where opcodes are in a stretch is noted first, and then looked at: neither has a branch that
   * depends on how many there are, which the processor would often guess wrong.
   */
  private void stretches() {
    Label stretch = a.label("next stretch");
    Label whole = a.label("whole stretch");
    Label step = a.label("next bytes");
    Label stepped = a.label("all opcodes of the bytes noted");
    Label more = a.label("many opcodes");
    Label opcode = a.label("next opcode");
    Label near = a.label("may reach a function");
    Label far = a.label("opcode is done");
    a.align(VECTOR).bind(stretch).cmp(RSI, RDI).jae(next);
    a.lea(R9, ptr(RSI).plus(NOTED)).cmp(R9, RDI).jbe(whole).mov(R9, RDI).bind(whole);
    a.xor(R11D, R11D);
    a.align(VECTOR).bind(step);
    for (int at = 0; at < STEP; at += VECTOR) {
      opcodes(at);
      a.pmovmskb(EAX, XMM2);
      if (at == 0) {
        a.mov(R8, RAX);
      } else {
        a.shl(RAX, at).or(R8, RAX);
      }
    }
    a.mov(RDX, RSI).sub(RDX, R9);
    for (int i = 0; i < USUAL; i++) {
      note();
    }
    a.test(R8, R8).jnz(more);
    a.bind(stepped).add(RSI, STEP).cmp(RSI, R9).jb(step);
    a.xor(R8D, R8D).mov(R9, R11).test(R9, R9).jz(stretch);

    a.align(VECTOR).bind(opcode).movsx(RDX, ptr(RSP).index(R8, 2).plus(NOTES).as16());
    a.add(RDX, RSI).movzx(EAX, ptr(RDX).as8()).cmp(EAX, 0xC7).je(near);
    target();
    isMarked();
    a.jne(near);
    a.bind(far).inc(R8).cmp(R8, R9).jb(opcode).jmp(stretch);

    a.bind(more);
    note();
    a.test(R8, R8).jnz(more).jmp(stepped);
    a.bind(near);
    check();
    a.jmp(far);
  }

  /**
   * Notes the first of the bytes that are set in R8, and takes it out; RDX is the distance from the
   * end of the stretch. If none is set, nothing is noted.
   */
  private void note() {
    // Older processors execute TZCNT as BSF, whose result is the same here; newer ones take longer
    // for BSF.
    a.tzcnt(RCX, R8).add(ECX, EDX).mov(ptr(RSP).index(R11, 2).plus(NOTES).as16(), CX);
    a.cmp(R8, 1).sbb(R11, -1).lea(RAX, ptr(R8).plus(-1)).and(R8, RAX);
  }

  /** Sets R10 to the RVA that the branch at RDX, whose first byte is in EAX, reaches. */
  private void target() {
    // The distance follows two bytes if the first is 0F or C7: the ones without that bit.
    a.shr(EAX, 5).and(EAX, 1).lea(R10, ptr(RDX).plus(2)).sub(R10, RAX);
    a.movsxd(RCX, ptr(R10).as32()).lea(R10, ptr(R10).index(RCX, 1).plus(4)).add(R10, RBP);
  }

  /** Searches a distant piece, of which RSI is the begin and RDI the end. */
  private void distant() {
    Label block = a.label("next block");
    Label whole = a.label("whole block");
    Label pass = a.label("next distance");
    Label step = a.label("next bytes of the block");
    Label hit = a.label("distance found");
    Label stepped = a.label("no distance left");
    a.mov(ptr(RSP).plus(FIRST), RSI).mov(ptr(RSP).plus(AFTER), RDI);
    a.add(RSI, UPPER_HALF).add(RDI, UPPER_HALF + STEP);
    a.bind(block).cmp(RSI, RDI).jae(next).mov(ptr(RSP).plus(BLOCK_BEGIN), RSI);
    a.lea(RAX, ptr(RSI).plus(STRETCH)).cmp(RAX, RDI).jbe(whole).mov(RAX, RDI);
    a.bind(whole).mov(ptr(RSP).plus(BLOCK_END), RAX);
    // From the RVA of an upper half to that behind the distance are two bytes.
    a.lea(RDX, ptr(RSI).index(RBP, 1)).add(RDX, 2);
    a.mov(EAX, ptr(R14)).sub(EAX, EDX).sub(EAX, STRETCH).shr(EAX, 16);
    a.mov(ECX, ptr(R14).index(R15, 4).plus(-4)).add(ECX, BranchFinder.NEAR - 1).sub(ECX, EDX);
    a.shr(ECX, 16).sub(ECX, EAX).and(ECX, 0xFFFF).inc(ECX);
    a.mov(ptr(RSP).plus(DISTANCE), EAX).mov(ptr(RSP).plus(DISTANCES), ECX);

    a.bind(pass).mov(EAX, ptr(RSP).plus(DISTANCE)).and(EAX, 0xFFFF).imul(EAX, EAX, 0x1_0001);
    for (int at = 0; at < VECTOR; at += Integer.BYTES) {
      a.mov(ptr(RSP).plus(SAME + at), EAX);
    }
    a.movdqu(XMM5, ptr(RSP).plus(SAME)).mov(RSI, ptr(RSP).plus(BLOCK_BEGIN));
    a.align(VECTOR).bind(step);
    for (int at = 0; at < STEP; at += VECTOR) {
      upperHalves(at);
      a.por(XMM0, XMM1);
      if (at == 0) {
        a.movdqa(XMM2, XMM0);
      } else {
        a.por(XMM2, XMM0);
      }
    }
    a.pmovmskb(EAX, XMM2).test(EAX, EAX).jnz(hit);
    a.bind(stepped).add(RSI, STEP).cmp(RSI, ptr(RSP).plus(BLOCK_END)).jb(step);
    a.inc(ptr(RSP).plus(DISTANCE).as32()).dec(ptr(RSP).plus(DISTANCES).as32()).jnz(pass);
    a.mov(RSI, ptr(RSP).plus(BLOCK_END)).jmp(block);
    a.bind(hit);
    hit();
    a.jmp(stepped);
  }

  /**
   * Sets the words of XMM0 that are the upper half of a distance, and of XMM1 from a byte later.
   */
  private void upperHalves(int at) {
    a.movdqu(XMM0, ptr(RSI).plus(at)).movdqu(XMM1, ptr(RSI).plus(at + 1));
    a.pcmpeqw(XMM0, XMM5).pcmpeqw(XMM1, XMM5);
  }

  /** Notes the branches to functions whose upper half lies in the bytes at RSI. */
  private void hit() {
    Label candidate = a.label("next distance found");
    Label opcode = a.label("opcode in front");
    Label none = a.label("no opcode");
    a.xor(R8D, R8D);
    for (int at = 0; at < STEP; at += VECTOR) {
      upperHalves(at);
      a.pmovmskb(EAX, XMM0).pmovmskb(ECX, XMM1).and(EAX, 0x5555).and(ECX, 0x5555);
      a.lea(RAX, ptr(RAX).index(RCX, 2)).shl(RAX, at).or(R8, RAX);
    }
    a.bind(candidate).tzcnt(RCX, R8).lea(R9, ptr(R8).plus(-1)).lea(RDX, ptr(RSI).index(RCX, 1));
    a.sub(RDX, UPPER_HALF).movzx(EAX, ptr(RDX).as8()).and(EAX, 0xFE).cmp(EAX, 0xE8).je(opcode);
    a.sub(RDX, 1).cmp(RDX, ptr(RSP).plus(FIRST)).jb(none);
    a.movzx(EAX, ptr(RDX).as16()).mov(ECX, EAX).and(ECX, 0xF0FF).cmp(ECX, 0x800F).je(opcode);
    a.cmp(EAX, 0xF8C7).jne(none);
    a.bind(opcode).cmp(RDX, ptr(RSP).plus(AFTER)).jae(none);
    check();
    a.bind(none).and(R8, R9).jnz(candidate);
  }

  /** Notes the place in RDX if what may begin there reaches a function. R8 and R9 stay. */
  private void check() {
    Label found = a.label("found");
    Label missed = a.label("missed");
    Label search = a.label("search");
    Label searched = a.label("searched");
    Label upper = a.label("upper half");
    Label wide = a.label("distance of 32 bits");
    a.movzx(EAX, ptr(RDX).as8()).cmp(EAX, 0xC7).jne(wide);
    // The begin of a transaction may have a distance of 16 bits, whose mark is looked at.
    a.movsx(RCX, ptr(RDX).plus(2).as16()).lea(R10, ptr(RDX).index(RCX, 1).plus(4)).add(R10, RBP);
    isMarked();
    a.jne(found);
    a.bind(wide);
    target();
    isMarked();
    a.je(missed);
    // R11 functions start at the target or before, and less than or as many as RCX do.
    a.xor(R11D, R11D).mov(RCX, R15);
    a.bind(search).cmp(R11, RCX).jae(searched).lea(RAX, ptr(R11).index(RCX, 1)).shr(RAX, 1);
    a.cmp(ptr(R14).index(RAX, 4), R10D).ja(upper).lea(R11, ptr(RAX).plus(1)).jmp(search);
    a.bind(upper).mov(RCX, RAX).jmp(search);
    a.bind(searched).test(R11, R11).jz(missed);
    a.sub(R10D, ptr(R14).index(R11, 4).plus(-4)).cmp(R10D, BranchFinder.NEAR).jae(missed);
    // A call of a function itself is none that matters.
    a.test(R10D, R10D).jnz(found).cmp(ptr(RDX).as8(), 0xE8).je(missed);
    a.bind(found).mov(ECX, 1).lock().xadd(ptr(RBX).plus(FOUND), RCX);
    a.cmp(RCX, ptr(RBX).plus(ROOM)).jae(missed).mov(RAX, ptr(RBX).plus(PLACES));
    a.lea(R10, ptr(RDX).index(RBP, 1)).mov(ptr(RAX).index(RCX, 4), R10D);
    a.bind(missed);
  }

  /** Sets ZF if first bytes are not where the RVA in R10 is, nor where an RVA beyond all leads. */
  private void isMarked() {
    a.mov(R11, R10).shr(R11, MARK_SHIFT).and(R11, R13).cmp(ptr(R12).index(R11, 1).as8(), 0);
  }

  /** Goes through the function table, as {@link FunctionTable#continuing} does. */
  private void table() {
    Label part = a.label("next part");
    Label entry = a.label("next entry");
    Label first = a.label("first entry");
    Label usual = a.label("usual entry");
    Label unusual = a.label("unusual table");
    Label done = a.label("table is done");
    a.mov(R12, ptr(RBX).plus(UNWIND)).mov(R13, ptr(RBX).plus(UNWIND_BYTES));
    a.mov(R14, ptr(RBX).plus(UNWIND_AT)).mov(R15, ptr(RBX).plus(CONTINUING_AT));
    a.bind(part).mov(EAX, 1).lock().xadd(ptr(RBX).plus(NEXT_PART), RAX);
    a.shl(RAX, PART_SHIFT).cmp(RAX, ptr(RBX).plus(ENTRIES)).jae(done);
    // R8 is the number of an entry, RDX where it is, RDI the number at the end.
    a.mov(R8, RAX).lea(RDI, ptr(RAX).plus(PART)).cmp(RDI, ptr(RBX).plus(ENTRIES));
    Label whole = a.label("whole part");
    a.jb(whole).mov(RDI, ptr(RBX).plus(ENTRIES)).bind(whole);
    a.lea(RDX, ptr(RAX).index(RAX, 2)).shl(RDX, 2).add(RDX, ptr(RBX).plus(TABLE));
    // R9D is the end of the range before, ESI the begin of one.
    a.xor(R9D, R9D).test(RAX, RAX).jz(first).mov(R9D, ptr(RDX).plus(-8)).bind(first);
    a.bind(entry).mov(ESI, ptr(RDX)).cmp(ESI, R9D).jl(unusual);
    a.mov(R9D, ptr(RDX).plus(4)).cmp(R9D, ESI).jle(unusual);
    a.mov(ECX, ptr(RDX).plus(8)).mov(R10, RCX).sub(R10, R12).cmp(R10, R13).jae(unusual);
    a.movzx(EAX, ptr(R14).index(RCX, 1).as8()).and(EAX, CONTINUES).and(ECX, 1).or(EAX, ECX);
    a.jz(usual).mov(ECX, 1).lock().xadd(ptr(RBX).plus(CONTINUING), RCX);
    a.cmp(RCX, ptr(RBX).plus(CONTINUING_ROOM)).jae(usual).mov(ptr(R15).index(RCX, 4), R8D);
    a.bind(usual).add(RDX, RuntimeFunction.SIZE).inc(R8).cmp(R8, RDI).jb(entry).jmp(part);
    a.bind(unusual).mov(ptr(RBX).plus(UNUSUAL).as64(), 1);
    a.bind(done);
  }

  /** Touches pages until there is a block, waits for that, and goes on as the routine. */
  private void touch() {
    Label next = a.label("next page");
    a.align(VECTOR).bind(touch).mov(R8, RCX).mov(RAX, ptr(R8)).mov(RCX, ptr(R8).plus(8));
    // Once there is something to do, that brings the pages as well.
    a.bind(next).cmp(RAX, RCX).jae(touched).cmp(ptr(R8).plus(GO).as64(), 0).jne(touched);
    a.movzx(EDX, ptr(RAX).as8()).add(RAX, PAGE).jmp(next);
    a.bind(touched).push(RBX).mov(RBX, R8).sub(RSP, SHADOW);
    a.mov(RCX, ptr(RBX).plus(EVENT)).mov(EDX, PATIENCE).mov(RAX, ptr(RBX).plus(WAIT)).call(RAX);
    a.mov(RCX, ptr(RBX).plus(GO)).add(RSP, SHADOW).pop(RBX);
    a.cmp(RCX, STOP).ja(begin).xor(EAX, EAX).ret();
  }

  /** Handler of exceptions: one inside the routine, where the stack stays as it is, ends that. */
  private void handle() {
    a.align(VECTOR).bind(handler).mov(RAX, ptr(RCX).plus(8)).mov(RDX, ptr(RAX).plus(CONTEXT_RIP));
    for (Label[] routine : new Label[][] {{begin, failed}, {touch, touched}}) {
      Label isNot = a.label("not there");
      a.lea(R8, ptr(routine[0])).cmp(RDX, R8).jb(isNot);
      a.lea(R8, ptr(routine[1])).cmp(RDX, R8).jae(isNot);
      a.mov(ptr(RAX).plus(CONTEXT_RIP), R8).mov(EAX, CONTINUE).ret();
      a.bind(isNot);
    }
    a.xor(EAX, EAX).ret();
  }
}

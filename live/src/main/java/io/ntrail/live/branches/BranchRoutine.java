package io.ntrail.live.branches;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
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
 * <p>Its argument is the address of a block, laid out by the constants; the places that it finds
 * are 32-bit RVAs in no order. It reads 16 bytes at a time, with instructions that each x64
 * processor has: bytes that can begin a branch are found together, and the few that are none of a
 * marked page go on to a search by halves among the functions.
 *
 * <p>Where the functions are close together and a piece is far from them, the upper halves of all
 * distances by which a block of it reaches them are one number, or a few. It looks for these, which
 * are much rarer than opcodes, and then at what is in front of them.
 */
final class BranchRoutine {
  /** In and out, u64: number of the next piece that a thread takes; 0 at first. */
  static final int NEXT = 0;

  /** In, u64: number of pieces. */
  static final int PIECES = 8;

  /** Out, u64: number of places; more than there is room for is too many. */
  static final int FOUND = 16;

  /** In, u64: room for places. */
  static final int ROOM = 24;

  /** Out, u64: 1 if memory could not be read. */
  static final int FAILED = 32;

  /** In, u64: address of a bit for each page of the image, set where first bytes lie. */
  static final int MARKS = 40;

  /** In, u64: number of these bits, a multiple of 32. */
  static final int PAGES = 48;

  /** In, u64: address of the RVAs of the functions, u32 each, ascending. */
  static final int STARTS = 56;

  /** In, u64: number of functions. */
  static final int COUNT = 64;

  /** In, u64: address of the places. */
  static final int PLACES = 72;

  /** In and out, u64: number of the next part of the function table that a thread takes. */
  static final int NEXT_PART = 80;

  /** In, u64: address of the function table. */
  static final int TABLE = 88;

  /** In, u64: number of its entries; 0: it is not looked at. */
  static final int ENTRIES = 96;

  /** In, u64: RVA from which on the unwind information lies. */
  static final int UNWIND = 104;

  /** In, u64: number of bytes there. */
  static final int UNWIND_BYTES = 112;

  /** In, u64: distance from an RVA there to its address. */
  static final int UNWIND_AT = 120;

  /** Out, u64: 1 if the table is not plain, or has unwind information elsewhere. */
  static final int UNUSUAL = 128;

  /** Out, u64: number of entries that continue a function. */
  static final int CONTINUING = 136;

  /** In, u64: room for the numbers of these. */
  static final int CONTINUING_ROOM = 144;

  /** In, u64: address of these numbers, u32 each, in no order. */
  static final int CONTINUING_AT = 152;

  /** Entries of a part of the function table. */
  static final int PART = 1 << 13;

  /**
   * In: pieces, each u64 address, u64 RVA, u64 number of bytes where a branch may begin, a multiple
   * of {@link #STEP}, or that and {@link #DISTANT}; {@link #BEHIND} more are read.
   */
  static final int FIRST_PIECE = 160;

  /**
   * In, u64, behind a stretch: address of the block, there when the event is set; {@link #STOP} or
   * less if none comes.
   */
  static final int GO = 16;

  static final int STOP = 1;

  /** In, u64, behind that: handle of the event. */
  static final int EVENT = 24;

  /** In, u64, behind that: address of WaitForSingleObject. */
  static final int WAIT = 32;

  /** Milliseconds for which the event is waited for. */
  private static final int PATIENCE = 5_000;

  /** Bytes of stack that a called function may use. */
  private static final int SHADOW = 32;

  /** Bytes that describe a piece. */
  static final int PIECE = 24;

  /** Bytes that are looked at together. */
  static final int STEP = 64;

  /** Bytes behind a piece that are read. */
  static final int BEHIND = 96;

  /**
   * Bit of a piece that is further from all functions than 16 bits reach; then these have to be
   * near one another, or it takes long.
   */
  static final int DISTANT = 1;

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
  private static final int FRAME = 56;

  /** Shift of an RVA to the number of its page. */
  static final int PAGE_SHIFT = 12;

  private static final int PART_SHIFT = 13;

  /** Bit of the first byte of unwind information that continues another one. */
  private static final int CONTINUES = UnwindInfo.CHAININFO << 3;

  private static final int VECTOR = 16;
  private static final int PAGE = 1 << PAGE_SHIFT;

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
    Label step = a.label("next bytes");
    Label candidate = a.label("next candidate");
    Label stepped = a.label("no candidate left");
    a.bind(begin);
    a.push(RBX).push(RSI).push(RDI).push(RBP).push(R12).push(R13).push(R14).push(R15);
    a.sub(RSP, FRAME).mov(RBX, RCX);
    a.mov(R12, ptr(RBX).plus(MARKS)).mov(R13, ptr(RBX).plus(PAGES));
    a.mov(R14, ptr(RBX).plus(STARTS)).mov(R15, ptr(RBX).plus(COUNT));
    a.movdqa(XMM4, constant(0x01));

    a.bind(next).mov(EAX, 1).lock().xadd(ptr(RBX).plus(NEXT), RAX);
    a.cmp(RAX, ptr(RBX).plus(PIECES)).jae(table);
    a.lea(RAX, ptr(RAX).index(RAX, 2)).lea(RAX, ptr(RBX).index(RAX, 8).plus(FIRST_PIECE));
    // RSI is where it reads, RBP the distance from there to the RVA, RDI the end.
    a.mov(RSI, ptr(RAX)).mov(RBP, ptr(RAX).plus(8)).sub(RBP, RSI);
    a.mov(RDI, ptr(RAX).plus(16)).mov(RCX, RDI).and(RCX, DISTANT).sub(RDI, RCX).add(RDI, RSI);
    a.test(RCX, RCX).jnz(distant);

    a.align(VECTOR).bind(step).cmp(RSI, RDI).jae(next);
    for (int at = 0; at < STEP; at += VECTOR) {
      opcodes(at);
      a.pmovmskb(EAX, XMM2);
      if (at == 0) {
        a.mov(R8, RAX);
      } else {
        a.shl(RAX, at).or(R8, RAX);
      }
    }
    a.test(R8, R8).jz(stepped);
    // Older processors execute TZCNT as BSF, whose result is the same here; newer ones take longer
    // for BSF.
    a.bind(candidate).tzcnt(RCX, R8).lea(R9, ptr(R8).plus(-1)).lea(RDX, ptr(RSI).index(RCX, 1));
    check();
    a.and(R8, R9).jnz(candidate);
    a.bind(stepped).add(RSI, STEP).jmp(step);

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
    // The begin of a transaction may have a distance of 16 bits, whose page is looked at.
    a.movsx(RCX, ptr(RDX).plus(2).as16()).lea(R10, ptr(RDX).index(RCX, 1).plus(4)).add(R10, RBP);
    Label unmarked = a.label("not so near");
    marked(unmarked);
    a.jmp(found).bind(unmarked);
    // The distance follows two bytes if the first is 0F or C7: the ones without that bit.
    a.bind(wide).mov(ECX, EAX).shr(ECX, 5).and(ECX, 1).lea(R10, ptr(RDX).plus(2)).sub(R10, RCX);
    a.movsxd(RCX, ptr(R10).as32()).lea(R10, ptr(R10).index(RCX, 1).plus(4)).add(R10, RBP);
    marked(missed);
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

  /** Goes on if the page of the RVA in R10 is marked. */
  private void marked(Label isNot) {
    a.mov(R11, R10).shr(R11, PAGE_SHIFT).cmp(R11, R13).jae(isNot);
    a.mov(RCX, R11).shr(R11, 5).mov(R11D, ptr(R12).index(R11, 4)).bt(R11D, ECX).jae(isNot);
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

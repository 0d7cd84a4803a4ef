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
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;

/** Routines that give a thread its chunks: the first one, and the next when one is full. */
final class ChunkRoutines32 extends RuntimeRoutines32 {
  final Label full = a.label("full");
  final Label firstChunk = a.label("first chunk");

  /**
   * Low half of the system's time without interruptions, in units of 100 ns, where every process
   * can read it. It comes round every seven minutes; differences are of seconds.
   */
  private static final int INTERRUPT_TIME = 0x7FFE_0008;

  /** Time after the recorder's last look for full chunks from which on nobody waits for it. */
  private static final int LIFE = 20_000_000;

  /** Limit of pauses, for the case that the clock stops: half a minute or so. */
  private static final int MAX_PAUSES = 1 << 29;

  // On the stack, above the stack pointer; 64 bits each, except for the pauses.
  private static final int NUMBER = 0;
  private static final int BEGAN = 8;
  private static final int LOST = 16;
  private static final int WAIT_BEGAN = 24;
  private static final int PAUSES = 32;
  private static final int LOCALS = 36;

  private final int chunks;

  ChunkRoutines32(RoutineContext32 parts) {
    super(parts);
    this.chunks = parts.addresses().chunks();
  }

  private static Mem local(int at) {
    return ptr(ESP).plus(at);
  }

  /** Copies 64 bits through eax. */
  private void move(Mem to, Mem from) {
    a.mov(EAX, from).mov(to, EAX).mov(EAX, from.plus(4)).mov(to.plus(4), EAX);
  }

  private void zero(int at) {
    a.mov(local(at).as32(), 0).mov(local(at + 4).as32(), 0);
  }

  /** Hands a full chunk over and takes another, or spills. eax, ecx, edx need not be preserved. */
  void write(Label untraced) {
    Label spilled = a.label("spilled");
    Label take = a.label("take chunk");
    Label again = a.label("again");
    Label spill = a.label("spill");
    Label set = a.label("set");
    Label anew = a.label("anew");
    Label notFull = a.label("not full");
    enterFull(full);
    // Whatever interrupts us is not traced: it would find a chunk that is no longer its own.
    a.mov(EBP, fs(words.slot()))
        .mov(fs(words.slot()).as32(), Imm.address(untraced))
        .xor(ECX, ECX)
        .xchg(fs(words.record()).as32(), ECX)
        // The cursor is still at the last record, unless who interrupted us was here before us.
        .add(ECX, record)
        .test(Reg16.CX, Reg16.CX)
        .jnz(notFull);
    loadControl(EBX);
    a.mov(EAX, ECX)
        .sub(EAX, EBX)
        .shr(EAX, 16)
        // In units of chunks from the control block: the end of a chunk is where the next begins.
        .cmp(EAX, SessionLayout.FIRST_CHUNK + 1)
        .jb(spilled)
        .cmp(EAX, SessionLayout.FIRST_CHUNK + chunks)
        .ja(spilled)
        .sub(ECX, SessionLayout.CHUNK_BYTES);
    move(local(NUMBER), ptr(ECX).plus(SessionLayout.CHUNK_NUMBER));
    a.add(local(NUMBER).as32(), 1).adc(local(NUMBER + 4).as32(), 0);
    move(local(BEGAN), ptr(ECX).plus(SessionLayout.CHUNK_BEGAN));
    // Counted first: else it may be read and counted as read while another full one is not.
    count(EBX, SessionLayout.AT_FULL);
    a.mov(ptr(ECX).as32(), SessionLayout.FULL);
    zero(LOST);
    a.bind(take)
        .mov(EAX, control(SessionLayout.AT_CHUNKS_TAKEN))
        .bind(again)
        .cmp(EAX, control(SessionLayout.AT_CHUNKS_OFFERED))
        .je(spill)
        .mov(EDX, EAX)
        .and(EDX, SessionLayout.CHUNK_MASK)
        .mov(ECX, ptr(EBX).index(EDX, 4).plus(SessionLayout.AT_CHUNK_RING))
        .lea(EDX, ptr(EAX).plus(1));
    a.lock()
        .cmpxchg(control(SessionLayout.AT_CHUNKS_TAKEN), EDX)
        .jne(again)
        .shl(ECX, 16)
        .lea(
            ECX,
            ptr(EBX).index(ECX, 1).plus(SessionLayout.FIRST_CHUNK * SessionLayout.CHUNK_BYTES));
    move(ptr(ECX).plus(SessionLayout.CHUNK_NUMBER), local(NUMBER));
    move(ptr(ECX).plus(SessionLayout.CHUNK_BEGAN), local(BEGAN));
    move(ptr(ECX).plus(SessionLayout.CHUNK_LOST), local(LOST));
    a.mov(EAX, fs(TlsOffsets32.THREAD_ID))
        .mov(ptr(ECX).plus(SessionLayout.CHUNK_THREAD), EAX)
        .mov(ptr(ECX).as32(), SessionLayout.IN_USE)
        .add(ECX, record)
        .jmp(set)
        .bind(spilled);
    writeSpilled(take, anew);
    a.bind(spill);
    await(take);
    writeSpill(untraced, set);
    a.bind(notFull)
        .sub(ECX, record)
        .bind(set)
        .mov(fs(words.record()), ECX)
        .mov(fs(words.slot()), EBP);
    leaveFull();
    enterFull(firstChunk);
    // The thread's word still says that it is not traced.
    a.mov(EBP, EDI);
    loadControl(EBX);
    a.bind(anew);
    count(EBX, SessionLayout.AT_THREADS);
    a.rdtsc().mov(local(BEGAN), EAX).mov(local(BEGAN + 4), EDX);
    zero(NUMBER);
    zero(LOST);
    a.jmp(take);
  }

  /** Goes on from the end of a spill, which ecx is: where the code of its area begins. */
  private void writeSpilled(Label take, Label anew) {
    Label seek = a.label("seek what was kept");
    Label mine = a.label("mine");
    a.lea(EDX, ptr(ECX).plus(AreaLayout32.SPILLS - AreaLayout32.CODE))
        .lea(ECX, ptr(ECX).plus(AreaLayout32.SPILL - AreaLayout32.CODE))
        .mov(EAX, fs(TlsOffsets32.THREAD_BLOCK))
        .bind(seek)
        .cmp(ptr(EDX).plus(AreaLayout32.SPILL_OWNER), EAX)
        .je(mine)
        .add(EDX, AreaLayout32.SPILL_KEPT)
        .cmp(EDX, ECX)
        .jb(seek)
        // Nothing could be kept: from here on it is a thread that begins.
        .jmp(anew)
        .bind(mine);
    move(local(NUMBER), ptr(EDX).plus(AreaLayout32.SPILL_SEQUENCE));
    move(local(BEGAN), ptr(EDX).plus(AreaLayout32.SPILL_BEGAN));
    move(local(LOST), ptr(EDX).plus(AreaLayout32.SPILL_LOST));
    a.mov(ptr(EDX).plus(AreaLayout32.SPILL_OWNER).as32(), 0).jmp(take);
  }

  /** Begins a spill: ebp = the thread's slot. */
  private void writeSpill(Label untraced, Label set) {
    Label area = a.label("area");
    Label claim = a.label("claim a place");
    Label keep = a.label("keep");
    int perSpill = AreaLayout32.SPILL_BYTES / record;
    // Of a thread without an area, the spill of this block is used.
    a.mov(ECX, EBP)
        .test(ECX, ECX)
        .jnz(area)
        .mov(ECX, Imm.address(untraced))
        .bind(area)
        .and(ECX, -AreaLayout32.ALIGNMENT)
        .add(local(LOST).as32(), perSpill)
        .adc(local(LOST + 4).as32(), 0);
    a.lock().add(control(SessionLayout.AT_LOST).as32(), perSpill);
    a.lock().adc(control(SessionLayout.AT_LOST + 4).as32(), 0);
    // Records of other stacks may go there too, as they are never read; but not the ones to keep.
    a.lea(EDX, ptr(ECX).plus(AreaLayout32.SPILLS))
        .add(ECX, AreaLayout32.SPILL)
        .mov(ESI, fs(TlsOffsets32.THREAD_BLOCK))
        .bind(claim)
        .xor(EAX, EAX);
    a.lock()
        .cmpxchg(ptr(EDX).plus(AreaLayout32.SPILL_OWNER), ESI)
        .je(keep)
        // What a thread left that ended and had the same block.
        .cmp(EAX, ESI)
        .je(keep)
        .add(EDX, AreaLayout32.SPILL_KEPT)
        .cmp(EDX, ECX)
        .jb(claim)
        .jmp(set)
        .bind(keep);
    move(ptr(EDX).plus(AreaLayout32.SPILL_SEQUENCE), local(NUMBER));
    move(ptr(EDX).plus(AreaLayout32.SPILL_BEGAN), local(BEGAN));
    move(ptr(EDX).plus(AreaLayout32.SPILL_LOST), local(LOST));
    a.jmp(set);
  }

  /**
   * Waits until a chunk is free, or until no full chunk is left that would become free. ebx is the
   * control block; all but ebp need not be preserved.
   *
   * <p>The thread may hold any lock of the program or the system, so it makes no call, and the
   * recorder needs nothing of it meanwhile.
   */
  private void await(Label take) {
    Label look = a.label("look for a chunk");
    Label silent = a.label("the recorder is silent");
    Label hope = a.label("a chunk will be free");
    Label next = a.label("look again");
    Label over = a.label("no more waiting");
    Label found = a.label("a chunk is free");
    Label account = a.label("account");
    Label out = a.label("no waiting");
    Reg32 drains = ESI;
    Reg32 time = EDI;
    a.cmp(control(SessionLayout.AT_WHEN_FULL).as32(), 0)
        .je(out)
        .mov(drains, control(SessionLayout.AT_DRAINS))
        .cmp(drains, control(SessionLayout.AT_DRAINS_GIVEN_UP))
        .je(out)
        .rdtsc()
        .mov(local(WAIT_BEGAN), EAX)
        .mov(local(WAIT_BEGAN + 4), EDX)
        .mov(time, absolute(INTERRUPT_TIME))
        .mov(local(PAUSES).as32(), MAX_PAUSES)
        .bind(look)
        .pause()
        .mov(EAX, control(SessionLayout.AT_CHUNKS_TAKEN))
        .cmp(EAX, control(SessionLayout.AT_CHUNKS_OFFERED))
        .jne(found)
        .cmp(control(SessionLayout.AT_WHEN_FULL).as32(), 0)
        .je(over)
        .cmp(control(SessionLayout.AT_GROWS).as32(), 0)
        .jne(hope)
        // Chunks that threads write into may never be handed over: who has them may be waiting for
        // a lock of this thread. Both counts have far less than 32 bits in a 32-bit process' time
        // between two looks, so their low halves tell.
        .mov(EAX, control(SessionLayout.AT_FULL))
        .cmp(EAX, control(SessionLayout.AT_FULL_READ))
        .jne(hope)
        // A chunk is offered before it counts as read.
        .mov(EAX, control(SessionLayout.AT_CHUNKS_TAKEN))
        .cmp(EAX, control(SessionLayout.AT_CHUNKS_OFFERED))
        .je(over)
        .bind(hope)
        .mov(EAX, absolute(INTERRUPT_TIME))
        .mov(ECX, control(SessionLayout.AT_DRAINS))
        .cmp(ECX, drains)
        .je(silent)
        .mov(drains, ECX)
        .mov(time, EAX)
        .jmp(next)
        .bind(silent)
        .sub(EAX, time)
        .cmp(EAX, LIFE)
        .jb(next)
        .mov(control(SessionLayout.AT_DRAINS_GIVEN_UP), drains)
        .jmp(over)
        .bind(next)
        .dec(local(PAUSES).as32())
        .jnz(look)
        .bind(over)
        // Whoever is done at the first look has not waited.
        .cmp(local(PAUSES).as32(), MAX_PAUSES)
        .je(out)
        .mov(local(PAUSES).as32(), 0)
        .jmp(account)
        .bind(found)
        .cmp(local(PAUSES).as32(), MAX_PAUSES)
        .je(take)
        .bind(account);
    accountWait();
    a.cmp(local(PAUSES).as32(), 0).jne(take).bind(out);
  }

  /** Adds a wait to the counts of the control block. */
  private void accountWait() {
    Label longest = a.label("longest");
    Label longer = a.label("longer");
    Label told = a.label("told");
    a.rdtsc().sub(EAX, local(WAIT_BEGAN)).sbb(EDX, local(WAIT_BEGAN + 4));
    count(EBX, SessionLayout.AT_WAIT_TICKS, EAX, EDX);
    count(EBX, SessionLayout.AT_WAITS);
    a.mov(ESI, EBX)
        .mov(EBX, EAX)
        .mov(ECX, EDX)
        .mov(EAX, ptr(ESI).plus(SessionLayout.AT_LONGEST_WAIT))
        .mov(EDX, ptr(ESI).plus(SessionLayout.AT_LONGEST_WAIT + 4))
        .bind(longest)
        .cmp(ECX, EDX)
        .jb(told)
        .ja(longer)
        .cmp(EBX, EAX)
        .jbe(told)
        .bind(longer);
    a.lock()
        .cmpxchg8b(ptr(ESI).plus(SessionLayout.AT_LONGEST_WAIT).as64())
        .jne(longest)
        .bind(told)
        .mov(EBX, ESI);
  }

  /** Frame of routines that are called in the middle: flags, four registers, what is kept. */
  private void enterFull(Label begin) {
    a.bind(begin).pushfd().push(EBX).push(ESI).push(EDI).push(EBP).lea(ESP, ptr(ESP).plus(-LOCALS));
  }

  private void leaveFull() {
    a.lea(ESP, ptr(ESP).plus(LOCALS)).pop(EBP).pop(EDI).pop(ESI).pop(EBX).popfd().ret();
  }
}

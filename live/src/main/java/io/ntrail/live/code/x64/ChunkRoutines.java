package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.R10D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R13D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R13;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;

/** Routines that give a thread its chunks: the first one, and the next when one is full. */
final class ChunkRoutines extends RuntimeRoutines {
  final Label full = a.label("full");
  final Label firstChunk = a.label("first chunk");
  private static final int THREAD_BLOCK = 0x30;

  /** The system's time without interruptions, in units of 100 ns, where every process can read. */
  private static final int INTERRUPT_TIME = 0x7FFE_0008;

  /** Time after the recorder's last look for full chunks from which on nobody waits for it. */
  private static final int LIFE = 20_000_000;

  /** Limit of pauses, for the case that the clock stops: half a minute or so. */
  private static final int MAX_PAUSES = 1 << 29;

  private final int chunks;

  ChunkRoutines(RoutineContext parts) {
    super(parts);
    this.chunks = parts.chunks();
  }

  /** Hands a full chunk over and takes another, or spills. rax, rcx, rdx need not be preserved. */
  void write(Label untraced) {
    Label spilled = a.label("spilled");
    Label take = a.label("take chunk");
    Label again = a.label("again");
    Label spill = a.label("spill");
    Label area = a.label("area");
    Label set = a.label("set");
    Label seek = a.label("seek what was kept");
    Label mine = a.label("mine");
    Label claim = a.label("claim a place");
    Label keep = a.label("keep");
    Label anew = a.label("anew");
    int perSpill = AreaLayout.SPILL_BYTES / record;
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
        .shr(RAX, 16)
        // In units of chunks from the control block: the end of a chunk is where the next begins.
        .cmp(RAX, SessionLayout.FIRST_CHUNK + 1)
        .jb(spilled)
        .cmp(RAX, SessionLayout.FIRST_CHUNK + chunks)
        .ja(spilled)
        .sub(RCX, SessionLayout.CHUNK_BYTES)
        .mov(R10, ptr(RCX).plus(SessionLayout.CHUNK_NUMBER))
        .inc(R10)
        .mov(R11, ptr(RCX).plus(SessionLayout.CHUNK_BEGAN))
        // Counted first: else it may be read and counted as read while another full one is not.
        .lock()
        .inc(ptr(R8).plus(SessionLayout.AT_FULL).as64())
        .mov(ptr(RCX).as32(), SessionLayout.FULL)
        .xor(R9D, R9D)
        .bind(take)
        .mov(EAX, ptr(R8).plus(SessionLayout.AT_CHUNKS_TAKEN))
        .bind(again)
        .cmp(EAX, ptr(R8).plus(SessionLayout.AT_CHUNKS_OFFERED))
        .je(spill)
        .mov(EDX, EAX)
        .and(EDX, SessionLayout.CHUNK_MASK)
        .mov(ECX, ptr(R8).index(RDX, 4).plus(SessionLayout.AT_CHUNK_RING))
        .lea(EDX, ptr(RAX).plus(1))
        .lock()
        .cmpxchg(ptr(R8).plus(SessionLayout.AT_CHUNKS_TAKEN), EDX)
        .jne(again)
        .shl(RCX, 16)
        .lea(RCX, ptr(R8).index(RCX, 1).plus(SessionLayout.FIRST_CHUNK * SessionLayout.CHUNK_BYTES))
        .mov(ptr(RCX).plus(SessionLayout.CHUNK_NUMBER), R10)
        .mov(ptr(RCX).plus(SessionLayout.CHUNK_BEGAN), R11)
        .mov(ptr(RCX).plus(SessionLayout.CHUNK_LOST), R9)
        .mov(EAX, gs(0x48))
        .mov(ptr(RCX).plus(SessionLayout.CHUNK_THREAD), EAX)
        .mov(ptr(RCX).as32(), SessionLayout.IN_USE)
        .add(RCX, record)
        .jmp(set)
        .bind(spilled)
        // The end of a spill is where the code of its area begins.
        .lea(RDX, ptr(RCX).plus(AreaLayout.SPILLS - AreaLayout.CODE))
        .lea(RCX, ptr(RCX).plus(AreaLayout.SPILL - AreaLayout.CODE))
        .mov(RAX, gs(THREAD_BLOCK))
        .bind(seek)
        .cmp(ptr(RDX).plus(AreaLayout.SPILL_OWNER), RAX)
        .je(mine)
        .add(RDX, AreaLayout.SPILL_KEPT)
        .cmp(RDX, RCX)
        .jb(seek)
        // Nothing could be kept: from here on it is a thread that begins.
        .jmp(anew)
        .bind(mine)
        .mov(R10, ptr(RDX).plus(AreaLayout.SPILL_SEQUENCE))
        .mov(R11, ptr(RDX).plus(AreaLayout.SPILL_BEGAN))
        .mov(R9, ptr(RDX).plus(AreaLayout.SPILL_LOST))
        .mov(ptr(RDX).plus(AreaLayout.SPILL_OWNER).as64(), 0)
        .jmp(take)
        .bind(spill);
    await(take);
    // Of a thread without an area, the spill of this block is used.
    a.mov(RCX, RBX)
        .test(RCX, RCX)
        .jnz(area)
        .lea(RCX, ptr(untraced))
        .bind(area)
        .and(RCX, -AreaLayout.ALIGNMENT)
        .add(R9, perSpill)
        .lock()
        .add(ptr(R8).plus(SessionLayout.AT_LOST).as64(), perSpill)
        // Records of other stacks may go there too, as they are never read; but not the ones to
        // keep.
        .lea(RDX, ptr(RCX).plus(AreaLayout.SPILLS))
        .add(RCX, AreaLayout.SPILL)
        .mov(R8, gs(THREAD_BLOCK))
        .bind(claim)
        .xor(EAX, EAX)
        .lock()
        .cmpxchg(ptr(RDX).plus(AreaLayout.SPILL_OWNER), R8)
        .je(keep)
        // What a thread left that ended and had the same block.
        .cmp(RAX, R8)
        .je(keep)
        .add(RDX, AreaLayout.SPILL_KEPT)
        .cmp(RDX, RCX)
        .jb(claim)
        .jmp(set)
        .bind(keep)
        .mov(ptr(RDX).plus(AreaLayout.SPILL_SEQUENCE), R10)
        .mov(ptr(RDX).plus(AreaLayout.SPILL_BEGAN), R11)
        .mov(ptr(RDX).plus(AreaLayout.SPILL_LOST), R9)
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
        .bind(anew)
        .lock()
        .inc(ptr(R8).plus(SessionLayout.AT_THREADS).as64())
        .rdtsc()
        .shl(RDX, 32)
        .lea(R11, ptr(RAX).index(RDX, 1))
        .xor(R10D, R10D)
        .xor(R9D, R9D)
        .jmp(take)
        .bind(firstEnd);
  }

  /**
   * Waits until a chunk is free, or until no full chunk is left that would become free. r8 is the
   * control block; rax, rcx, rdx and the last four registers of the frame need not be preserved.
   *
   * <p>The thread may hold any lock of the program or the system, so it makes no call, and the
   * recorder needs nothing of it meanwhile. Nothing is pushed, either: what a stack keeps of
   * addresses of this code makes detaching leave it where it is.
   */
  private void await(Label take) {
    Label look = a.label("look for a chunk");
    Label silent = a.label("the recorder is silent");
    Label hope = a.label("a chunk will be free");
    Label next = a.label("look again");
    Label over = a.label("no more waiting");
    Label found = a.label("a chunk is free");
    Label account = a.label("account");
    Label longest = a.label("longest");
    Label told = a.label("told");
    Label out = a.label("no waiting");
    a.cmp(ptr(R8).plus(SessionLayout.AT_WHEN_FULL).as32(), 0)
        .je(out)
        .mov(ESI, ptr(R8).plus(SessionLayout.AT_DRAINS))
        .cmp(ESI, ptr(R8).plus(SessionLayout.AT_DRAINS_GIVEN_UP))
        .je(out)
        .rdtsc()
        .shl(RDX, 32)
        .lea(R12, ptr(RAX).index(RDX, 1))
        .mov(EAX, INTERRUPT_TIME)
        .mov(RDI, ptr(RAX))
        .mov(R13D, MAX_PAUSES)
        .bind(look)
        .pause()
        .mov(EAX, ptr(R8).plus(SessionLayout.AT_CHUNKS_TAKEN))
        .cmp(EAX, ptr(R8).plus(SessionLayout.AT_CHUNKS_OFFERED))
        .jne(found)
        .cmp(ptr(R8).plus(SessionLayout.AT_WHEN_FULL).as32(), 0)
        .je(over)
        .cmp(ptr(R8).plus(SessionLayout.AT_GROWS).as32(), 0)
        .jne(hope)
        // Chunks that threads write into may never be handed over: who has them may be waiting for
        // a lock of this thread.
        .mov(RAX, ptr(R8).plus(SessionLayout.AT_FULL))
        .cmp(RAX, ptr(R8).plus(SessionLayout.AT_FULL_READ))
        .jne(hope)
        // A chunk is offered before it counts as read.
        .mov(EAX, ptr(R8).plus(SessionLayout.AT_CHUNKS_TAKEN))
        .cmp(EAX, ptr(R8).plus(SessionLayout.AT_CHUNKS_OFFERED))
        .je(over)
        .bind(hope)
        .mov(EAX, INTERRUPT_TIME)
        .mov(RAX, ptr(RAX))
        .mov(ECX, ptr(R8).plus(SessionLayout.AT_DRAINS))
        .cmp(ECX, ESI)
        .je(silent)
        .mov(ESI, ECX)
        .mov(RDI, RAX)
        .jmp(next)
        .bind(silent)
        .sub(RAX, RDI)
        .cmp(RAX, LIFE)
        .jb(next)
        .mov(ptr(R8).plus(SessionLayout.AT_DRAINS_GIVEN_UP), ESI)
        .jmp(over)
        .bind(next)
        .dec(R13D)
        .jnz(look)
        .bind(over)
        // Whoever is done at the first look has not waited.
        .cmp(R13D, MAX_PAUSES)
        .je(out)
        .xor(R13D, R13D)
        .jmp(account)
        .bind(found)
        .cmp(R13D, MAX_PAUSES)
        .je(take)
        .bind(account)
        .rdtsc()
        .shl(RDX, 32)
        .lea(RCX, ptr(RAX).index(RDX, 1))
        .sub(RCX, R12)
        .lock()
        .inc(ptr(R8).plus(SessionLayout.AT_WAITS).as64())
        .lock()
        .add(ptr(R8).plus(SessionLayout.AT_WAIT_TICKS), RCX)
        .mov(RAX, ptr(R8).plus(SessionLayout.AT_LONGEST_WAIT))
        .bind(longest)
        .cmp(RCX, RAX)
        .jbe(told)
        .lock()
        .cmpxchg(ptr(R8).plus(SessionLayout.AT_LONGEST_WAIT), RCX)
        .jne(longest)
        .bind(told)
        .test(R13D, R13D)
        .jnz(take)
        .bind(out);
  }

  /** Frame of routines that are called in the middle: flags and nine registers. */
  private Label enterFull(Label begin) {
    a.bind(begin)
        .pushfq()
        .push(R8)
        .push(R9)
        .push(R10)
        .push(R11)
        .push(RBX)
        .push(RSI)
        .push(RDI)
        .push(R12)
        .push(R13);
    Label end = a.label();
    parts.add(begin, end, UnwindBytes.prologue(0, 1, 3, 5, 7, 9, 10, 11, 12, 14, 16));
    return end;
  }

  private void leaveFull(Label end) {
    a.mov(R13, ptr(RSP))
        .mov(R12, ptr(RSP).plus(8))
        .mov(RDI, ptr(RSP).plus(16))
        .mov(RSI, ptr(RSP).plus(24))
        .mov(RBX, ptr(RSP).plus(32))
        .mov(R11, ptr(RSP).plus(40))
        .mov(R10, ptr(RSP).plus(48))
        .mov(R9, ptr(RSP).plus(56))
        .mov(R8, ptr(RSP).plus(64))
        .lea(RSP, ptr(RSP).plus(72))
        .bind(end);
    range(1, () -> a.popfq());
    range(0, () -> a.ret());
  }
}

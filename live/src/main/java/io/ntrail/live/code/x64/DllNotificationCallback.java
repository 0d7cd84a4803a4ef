package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.R14D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R15D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R13;
import static io.ntrail.programs.x86.asm.operands.Reg64.R14;
import static io.ntrail.programs.x86.asm.operands.Reg64.R15;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBP;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static io.ntrail.programs.x86.asm.operands.Reg8.AL;

import io.ntrail.live.code.CallbackCode;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg64;
import java.util.List;

/**
 * Callback that the target's loader calls when a module was loaded, before its entry point runs,
 * and when one is unloaded: it notifies the controller through the control block and waits for the
 * answer.
 *
 * <p>The loader's lock is held meanwhile, so that no thread waits for a controller that is gone:
 * not when nothing is recorded, no longer than two seconds after its last heartbeat, and from then
 * on not at all until it gives another one; never longer than a minute for a module that was loaded
 * (as long as it may take to plan and patch it), and than two seconds for one that is unloaded.
 * Time is the system's interrupt time, which needs no call.
 */
final class DllNotificationCallback implements CallbackCode {
  private static final int INTERRUPT_TIME = 0x7FFE_0008;

  /** Life of a heartbeat, in units of 100 ns as all times here. */
  private static final int LIFE = 20_000_000;

  private static final int LONGEST_FOR_LOADED = 600_000_000;

  private static final int LONGEST_FOR_UNLOADED = 20_000_000;

  /** Limit of pauses, for the case that the clock stops. */
  private static final int MAX_PAUSES = 960_000;

  private static final int FIRST_PAUSE = -500;

  /** Pauses become longer until one is at least so long: the answer is seen late by half of it. */
  private static final int LONGEST_PAUSE = -1_500;

  // Of the loader's structure.
  private static final int NAME = 8;
  private static final int BASE = 24;
  private static final int SIZE = 32;
  private static final int LOADED = 1;
  private static final int UNLOADED = 2;

  private static final List<Reg64> SAVED = List.of(RBX, RBP, RSI, RDI, R12, R13, R14, R15);

  /**
   * Size of the frame after the saved registers: arguments of calls, and the length of the next
   * pause.
   */
  private static final int FRAME = 0x48;

  private static final int PAUSE = 0x30;

  private final Assembler a = Assembler.x64();
  private final FunctionTableBuilder functions = new FunctionTableBuilder();
  private final LoaderCalls system;
  private final byte[] code;

  /**
   * Assembles the callback; it can lie anywhere.
   *
   * @param control where the target has the session file mapped
   */
  DllNotificationCallback(long control, LoaderCalls system) {
    this.system = system;
    Label begin = a.here("begin");
    Label[] ends = new Label[SAVED.size()];
    for (int i = 0; i < ends.length; i++) {
      a.push(SAVED.get(i));
      ends[i] = a.here("saved");
    }
    a.sub(RSP, FRAME);
    Label framed = a.here("framed");
    a.mov(RBX, control).mov(EDI, ECX).mov(RSI, RDX);
    write();
    Label end = a.here("end");
    AssembledCode assembled = a.assemble();
    code = assembled.bytes();
    int[] codes = new int[1 + ends.length];
    codes[0] = UnwindBytes.allocation(assembled.offset(framed), FRAME / 8);
    for (int i = 0; i < ends.length; i++) {
      codes[codes.length - 1 - i] = assembled.offset(ends[i]) | SAVED.get(i).number() << 12;
    }
    functions.add(
        assembled.offset(begin),
        assembled.offset(end),
        new UnwindBytes(1, assembled.offset(framed), 0, codes));
  }

  private static Mem control(int field) {
    return ptr(RBX).plus(field);
  }

  private void write() {
    Label known = a.label("a reason that is known");
    Label room = a.label("room");
    Label tell = a.label("tell");
    Label noRoom = a.label("no room");
    Label missed = a.label("missed");
    Label done = a.label("done");
    Label out = a.label("out");
    a.cmp(EDI, LOADED).jz(known).cmp(EDI, UNLOADED).jnz(out);
    if (system.ending() != 0) {
      // What is unloaded at process exit need not be reported.
      a.mov(RAX, system.ending()).call(RAX).test(AL, AL).jnz(out);
    }
    a.bind(known).xor(EAX, EAX).mov(ECX, 1);
    a.lock().cmpxchg(control(SessionLayout.AT_NOTICE_BUSY), ECX).jnz(missed);
    a.mov(R14D, MAX_PAUSES).mov(ptr(RSP).plus(PAUSE).as64(), FIRST_PAUSE);
    a.mov(EBP, control(SessionLayout.AT_HEARTBEAT)).mov(EAX, INTERRUPT_TIME).mov(R13, ptr(RAX));
    a.mov(R12, R13);
    a.bind(room).mov(EAX, control(SessionLayout.AT_NOTICES)).mov(ECX, EAX);
    a.sub(ECX, control(SessionLayout.AT_ANSWERED)).cmp(ECX, SessionLayout.NOTICE_PLACES).jb(tell);
    pause(noRoom, true);
    a.jmp(room);
    a.bind(noRoom).mov(control(SessionLayout.AT_NOTICE_BUSY).as32(), 0);
    a.bind(missed).lock().inc(control(SessionLayout.AT_NOTICES_MISSED).as32()).jmp(out);
    a.bind(tell);
    tell();
    Label goes = a.label("goes");
    a.cmp(EDI, UNLOADED).jz(goes);
    awaitAnswer(done);
    a.bind(goes).cmp(control(SessionLayout.AT_HOLD).as32(), 0).jz(done);
    pause(done, false);
    a.jmp(goes);
    a.bind(done).mov(control(SessionLayout.AT_NOTICE_STATE).as32(), 0);
    a.mov(control(SessionLayout.AT_NOTICE_BUSY).as32(), 0).bind(out).add(RSP, FRAME);
    SAVED.reversed().forEach(a::pop);
    a.ret();
  }

  /** Publishes the notification whose index is eax; r15d becomes their number. */
  private void tell() {
    Label publish = a.label("publish");
    a.mov(R15D, EAX).and(EAX, SessionLayout.NOTICE_PLACES - 1);
    a.imul(EAX, EAX, SessionLayout.NOTICE_BYTES);
    a.lea(R8, ptr(RBX).index(RAX, 1).plus(SessionLayout.AT_NOTICE_RING));
    a.mov(ptr(R8).plus(SessionLayout.NOTICE_REASON), EDI);
    a.mov(ECX, ptr(RSI).plus(SIZE)).mov(ptr(R8).plus(SessionLayout.NOTICE_SIZE), ECX);
    a.mov(RCX, ptr(RSI).plus(BASE)).mov(ptr(R8).plus(SessionLayout.NOTICE_BASE), RCX);
    a.mov(RCX, ptr(RSI).plus(NAME)).mov(ptr(R8).plus(SessionLayout.NOTICE_NAME), RCX);
    a.rdtsc().shl(RDX, 32).or(RAX, RDX).mov(ptr(R8).plus(SessionLayout.NOTICE_TICKS), RAX);
    a.inc(R15D).xor(ECX, ECX).cmp(EDI, LOADED).jnz(publish);
    a.cmp(control(SessionLayout.AT_ENABLED).as32(), 0).jz(publish);
    a.cmp(EBP, control(SessionLayout.AT_NOTICES_GIVEN_UP)).jz(publish);
    state(SessionLayout.NOTICE_WAITS);
    a.bind(publish).mov(control(SessionLayout.AT_NOTICE_STATE), ECX);
    // Behind this, whether modules are held is read as it is now.
    a.mov(EAX, R15D).xchg(control(SessionLayout.AT_NOTICES), EAX);
  }

  /** Puts the state while this notification waits into ecx. */
  private void state(int what) {
    a.lea(ECX, Mem.scaled(R15, 4).plus(what));
  }

  private void awaitAnswer(Label done) {
    Label next = a.label("not answered");
    Label look = a.label("look");
    a.cmp(control(SessionLayout.AT_NOTICE_STATE).as32(), 0).jz(done);
    a.bind(next);
    state(SessionLayout.TABLE_OFFERED);
    a.cmp(ECX, control(SessionLayout.AT_NOTICE_STATE)).jnz(look);
    takeTable();
    a.bind(look).mov(EAX, control(SessionLayout.AT_ANSWERED)).sub(EAX, R15D).jns(done);
    pause(done, true);
    a.jmp(next);
  }

  private void takeTable() {
    a.lea(RCX, control(SessionLayout.AT_OFFERED_HANDLE))
        .mov(RDX, control(SessionLayout.AT_OFFERED));
    a.mov(R8D, control(SessionLayout.AT_OFFERED_ENTRIES)).mov(R9D, R8D);
    a.mov(RAX, control(SessionLayout.AT_OFFERED_BASE)).mov(ptr(RSP).plus(32), RAX);
    a.mov(RAX, control(SessionLayout.AT_OFFERED_END)).mov(ptr(RSP).plus(40), RAX);
    a.mov(RAX, system.addTable()).call(RAX).mov(control(SessionLayout.AT_OFFERED_STATUS), EAX);
    state(SessionLayout.TABLE_TAKEN);
    a.mov(control(SessionLayout.AT_NOTICE_STATE), ECX);
  }

  /**
   * Pauses for a moment.
   *
   * @param giveUp where it continues when there is no more to wait for
   * @param loaded whether an answer about a loaded module is awaited: not when nothing is recorded
   */
  private void pause(Label giveUp, boolean loaded) {
    Label silent = a.label("silent");
    Label longest = a.label("longest");
    Label known = a.label("known");
    if (loaded) {
      a.cmp(control(SessionLayout.AT_ENABLED).as32(), 0).jz(giveUp);
    }
    a.cmp(EBP, control(SessionLayout.AT_NOTICES_GIVEN_UP)).jz(giveUp);
    a.mov(EAX, INTERRUPT_TIME).mov(RAX, ptr(RAX)).mov(ECX, control(SessionLayout.AT_HEARTBEAT));
    a.cmp(ECX, EBP).jz(silent).mov(EBP, ECX).mov(R12, RAX).jmp(known);
    a.bind(silent).mov(RCX, RAX).sub(RCX, R12).cmp(RCX, LIFE).jb(known);
    a.mov(control(SessionLayout.AT_NOTICES_GIVEN_UP), EBP).jmp(giveUp);
    a.bind(known).sub(RAX, R13);
    a.cmp(RAX, loaded ? LONGEST_FOR_LOADED : LONGEST_FOR_UNLOADED).jae(giveUp);
    a.dec(R14D).jz(giveUp);
    a.xor(ECX, ECX).lea(RDX, ptr(RSP).plus(PAUSE)).mov(RAX, system.delay()).call(RAX);
    a.mov(RAX, ptr(RSP).plus(PAUSE)).cmp(RAX, LONGEST_PAUSE).jle(longest);
    a.add(ptr(RSP).plus(PAUSE).as64(), RAX).bind(longest);
  }

  @Override
  public byte[] code() {
    return code.clone();
  }

  @Override
  public byte[] table(int at) {
    return functions.bytes(at);
  }

  @Override
  public int entries() {
    return functions.count();
  }
}

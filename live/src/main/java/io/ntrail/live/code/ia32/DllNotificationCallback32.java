package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static io.ntrail.programs.x86.asm.operands.Reg8.AL;

import io.ntrail.live.code.CallbackCode;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;

/**
 * Callback that the target's loader calls when a module was loaded, before its entry point runs,
 * and when one is unloaded: it notifies the controller through the control block and waits for the
 * answer. It gives up as that for x64 does; there are no function tables that it could register.
 *
 * <p>Of the interrupt time the low half is enough: no wait is as long as that takes to begin anew.
 */
final class DllNotificationCallback32 implements CallbackCode {
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

  // Of LDR_DLL_NOTIFICATION_DATA.
  private static final int NAME = 4;
  private static final int BASE = 12;
  private static final int SIZE = 16;
  private static final int LOADED = 1;
  private static final int UNLOADED = 2;

  /** Bytes of the three arguments, which it removes. */
  private static final int ARGUMENTS = 12;

  // The frame, above which are four registers and the return address.
  private static final int PAUSE = 0;
  private static final int BEGAN = 8;
  private static final int ALIVE = 12;
  private static final int LEFT = 16;
  private static final int COUNT = 20;
  private static final int FRAME = 24;
  private static final int FIRST_ARGUMENT = FRAME + 4 * 4 + 4;

  private final Assembler a = Assembler.ia32();
  private final LoaderCalls system;
  private final byte[] code;

  /**
   * Assembles the callback; it can lie anywhere.
   *
   * @param control where the target has the session file mapped
   */
  DllNotificationCallback32(long control, LoaderCalls system) {
    this.system = system;
    a.push(EBX).push(EBP).push(ESI).push(EDI).sub(ESP, FRAME).cld();
    a.mov(EBX, control);
    a.mov(EDI, ptr(ESP).plus(FIRST_ARGUMENT)).mov(ESI, ptr(ESP).plus(FIRST_ARGUMENT + 4));
    write();
    a.add(ESP, FRAME).pop(EDI).pop(ESI).pop(EBP).pop(EBX).ret(ARGUMENTS);
    code = a.assemble().bytes();
  }

  private static Mem control(int field) {
    return ptr(EBX).plus(field).as32();
  }

  private static Mem frame(int place) {
    return ptr(ESP).plus(place).as32();
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
      a.mov(EAX, system.ending()).call(EAX).test(AL, AL).jnz(out);
    }
    a.bind(known).xor(EAX, EAX).mov(ECX, 1);
    a.lock().cmpxchg(control(SessionLayout.AT_NOTICE_BUSY), ECX).jnz(missed);
    a.mov(frame(LEFT), MAX_PAUSES).mov(frame(PAUSE), FIRST_PAUSE).mov(frame(PAUSE + 4), -1);
    a.mov(EBP, control(SessionLayout.AT_HEARTBEAT)).mov(EAX, absolute(INTERRUPT_TIME));
    a.mov(frame(BEGAN), EAX).mov(frame(ALIVE), EAX);
    a.bind(room).mov(EAX, control(SessionLayout.AT_NOTICES)).mov(ECX, EAX);
    a.sub(ECX, control(SessionLayout.AT_ANSWERED)).cmp(ECX, SessionLayout.NOTICE_PLACES).jb(tell);
    pause(noRoom, true);
    a.jmp(room);
    a.bind(noRoom).mov(control(SessionLayout.AT_NOTICE_BUSY), 0);
    a.bind(missed).lock().inc(control(SessionLayout.AT_NOTICES_MISSED)).jmp(out);
    a.bind(tell);
    tell();
    Label goes = a.label("goes");
    a.cmp(EDI, UNLOADED).jz(goes);
    awaitAnswer(done);
    a.bind(goes).cmp(control(SessionLayout.AT_HOLD), 0).jz(done);
    pause(done, false);
    a.jmp(goes);
    a.bind(done).mov(control(SessionLayout.AT_NOTICE_STATE), 0);
    a.mov(control(SessionLayout.AT_NOTICE_BUSY), 0).bind(out);
  }

  /** Publishes the notification whose index is eax; its number is kept. */
  private void tell() {
    Label publish = a.label("publish");
    a.lea(ECX, ptr(EAX).plus(1)).mov(frame(COUNT), ECX).and(EAX, SessionLayout.NOTICE_PLACES - 1);
    a.imul(EAX, EAX, SessionLayout.NOTICE_BYTES);
    a.lea(ECX, ptr(EBX).index(EAX, 1).plus(SessionLayout.AT_NOTICE_RING));
    a.mov(ptr(ECX).plus(SessionLayout.NOTICE_REASON), EDI);
    a.mov(EAX, ptr(ESI).plus(SIZE)).mov(ptr(ECX).plus(SessionLayout.NOTICE_SIZE), EAX);
    a.mov(EAX, ptr(ESI).plus(BASE)).mov(ptr(ECX).plus(SessionLayout.NOTICE_BASE), EAX);
    a.mov(EAX, ptr(ESI).plus(NAME)).mov(ptr(ECX).plus(SessionLayout.NOTICE_NAME), EAX);
    a.xor(EAX, EAX).mov(ptr(ECX).plus(SessionLayout.NOTICE_BASE + 4), EAX);
    a.mov(ptr(ECX).plus(SessionLayout.NOTICE_NAME + 4), EAX);
    a.rdtsc().mov(ptr(ECX).plus(SessionLayout.NOTICE_TICKS), EAX);
    a.mov(ptr(ECX).plus(SessionLayout.NOTICE_TICKS + 4), EDX);
    a.xor(ECX, ECX).cmp(EDI, LOADED).jnz(publish);
    a.cmp(control(SessionLayout.AT_ENABLED), 0).jz(publish);
    a.cmp(EBP, control(SessionLayout.AT_NOTICES_GIVEN_UP)).jz(publish);
    a.mov(EAX, frame(COUNT)).lea(ECX, Mem.scaled(EAX, 4).plus(SessionLayout.NOTICE_WAITS));
    a.bind(publish).mov(control(SessionLayout.AT_NOTICE_STATE), ECX);
    // Behind this, whether modules are held is read as it is now.
    a.mov(EAX, frame(COUNT)).xchg(control(SessionLayout.AT_NOTICES), EAX);
  }

  private void awaitAnswer(Label done) {
    Label next = a.label("not answered");
    a.cmp(control(SessionLayout.AT_NOTICE_STATE), 0).jz(done);
    a.bind(next).mov(EAX, control(SessionLayout.AT_ANSWERED)).sub(EAX, frame(COUNT)).jns(done);
    pause(done, true);
    a.jmp(next);
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
      a.cmp(control(SessionLayout.AT_ENABLED), 0).jz(giveUp);
    }
    a.cmp(EBP, control(SessionLayout.AT_NOTICES_GIVEN_UP)).jz(giveUp);
    a.mov(EAX, absolute(INTERRUPT_TIME)).mov(ECX, control(SessionLayout.AT_HEARTBEAT));
    a.cmp(ECX, EBP).jz(silent).mov(EBP, ECX).mov(frame(ALIVE), EAX).jmp(known);
    a.bind(silent).mov(ECX, EAX).sub(ECX, frame(ALIVE)).cmp(ECX, LIFE).jb(known);
    a.mov(control(SessionLayout.AT_NOTICES_GIVEN_UP), EBP).jmp(giveUp);
    a.bind(known).sub(EAX, frame(BEGAN));
    a.cmp(EAX, loaded ? LONGEST_FOR_LOADED : LONGEST_FOR_UNLOADED).jae(giveUp);
    a.dec(frame(LEFT)).jz(giveUp);
    a.mov(EAX, ESP).push(EAX).push(0).mov(EAX, system.delay()).call(EAX);
    a.mov(EAX, frame(PAUSE)).cmp(EAX, LONGEST_PAUSE).jle(longest);
    a.add(frame(PAUSE), EAX).bind(longest);
  }

  @Override
  public byte[] code() {
    return code.clone();
  }

  /** There is no function table. */
  @Override
  public byte[] table(int at) {
    return new byte[0];
  }

  @Override
  public int entries() {
    return 0;
  }
}

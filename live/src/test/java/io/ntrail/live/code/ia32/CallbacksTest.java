package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.code.ResumeCalls;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Code that the loader and NtResumeThread run in a target, run by Unicorn. The system's functions
 * are played: a pause lets the interrupt time go on, and the controller answers during one.
 */
class CallbacksTest {
  private static final long CODE = TracedMachine.PROGRAM + 0x2000;
  private static final long DELAY = TracedMachine.PROGRAM + 0x4000;
  private static final long ENDING = TracedMachine.PROGRAM + 0x4100;
  private static final long QUERY = TracedMachine.PROGRAM + 0x4200;
  private static final long TIME = 0x7FFE_0008L;
  private static final long PAUSES = TracedMachine.CELLS;
  private static final long DATA = TracedMachine.CELLS + 0x100;
  private static final int LOADED = 1;
  private static final int UNLOADED = 2;
  private static final int OWN_PROCESS = 0x44;
  private static final int HEARTBEAT = 7;

  /** A tenth of a second. */
  private static final int STEP = 1_000_000;

  private static final int[] KEPT = {3, 5, 6, 7};

  @TempDir Path folder;

  private UnicornMachine machine;
  private TracedMachine its;

  @BeforeEach
  void start() throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    machine = made.get();
    its = new TracedMachine(machine, Settings.records(32), Assembler.ia32().ret().assemble());
    control(SessionLayout.AT_HEARTBEAT, HEARTBEAT);
    its.u32(TracedMachine.TEB + 0x20, OWN_PROCESS);
    its.u32(DATA + 4, 0x1234_0000);
    its.u32(DATA + 12, 0x1000_0000);
    its.u32(DATA + 16, 0x3_2000);
    // Near the end of the low half: it begins anew while a thread waits.
    its.u32(TIME, 0xFFFF_FF00L);
  }

  @AfterEach
  void end() throws IOException {
    if (machine != null) {
      machine.close();
    }
  }

  private void control(int field, long value) throws IOException {
    its.u32(TracedMachine.CONTROL + field, value);
  }

  /** Plays NtDelayExecution; in the n-th pause a word becomes what the controller writes. */
  private void pauses(int answeredIn, long place, int answer) throws IOException {
    Assembler a = Assembler.ia32();
    Label out = a.label("out");
    a.inc(absolute(PAUSES).as32()).add(absolute(TIME).as32(), STEP);
    // Below zero: from now on.
    a.mov(EAX, ptr(ESP).plus(8)).test(ptr(EAX).plus(4).as32(), -1).jns(out);
    a.cmp(absolute(PAUSES).as32(), answeredIn).jne(out);
    a.mov(absolute(place).as32(), answer);
    a.bind(out).mov(ECX, -1).mov(EDX, -1).xor(EAX, EAX).ret(8);
    machine.write(DELAY, a.assemble().bytesAt(DELAY));
  }

  private void ending(int answer) throws IOException {
    machine.write(ENDING, Assembler.ia32().mov(EAX, answer).ret().assemble().bytes());
  }

  /** Runs code to its end; returns the distance of the stack pointer from the return address. */
  private long run(long... arguments) throws IOException {
    long stack = TracedMachine.STACK_BASE - 0x100;
    its.u32(stack, TracedMachine.END);
    for (int i = 0; i < arguments.length; i++) {
      its.u32(stack + 4 + 4L * i, arguments[i]);
    }
    machine.setRegister(UnicornMachine.SP, stack);
    for (int register : KEPT) {
      machine.setRegister(register, 0x100 + register);
    }
    UnicornRun.End end =
        machine.run(
            new UnicornRun(CODE, TracedMachine.END, 0, 0, 5_000_000, 0, 0),
            new UnicornRun.Listener() {});
    assertEquals(UnicornRun.Reason.UNTIL, end.reason(), end::toString);
    for (int register : KEPT) {
      assertEquals(0x100 + register, machine.register(register), "register " + register);
    }
    return machine.register(UnicornMachine.SP) - stack - 4;
  }

  private void notify(int reason) throws IOException {
    DllNotificationCallback32 callback =
        new DllNotificationCallback32(TracedMachine.CONTROL, new LoaderCalls(DELAY, 0, ENDING));
    machine.write(CODE, callback.code());
    assertEquals(12, run(reason, DATA, 0), "bytes of arguments");
    assertEquals(0, its.control(SessionLayout.AT_NOTICE_BUSY));
    assertEquals(0, its.control(SessionLayout.AT_NOTICE_STATE));
  }

  @Test
  void threadThatLoadsAModuleWaitsForTheAnswer() throws IOException {
    pauses(9, TracedMachine.CONTROL + SessionLayout.AT_ANSWERED, 1);
    notify(LOADED);
    assertEquals(9, its.u32(PAUSES));
    assertEquals(1, its.control(SessionLayout.AT_NOTICES));
    Bytes notice =
        Bytes.copyOf(
            machine.read(TracedMachine.CONTROL + SessionLayout.AT_NOTICE_RING, 32), "notice");
    assertEquals(LOADED, notice.u32(SessionLayout.NOTICE_REASON));
    assertEquals(0x3_2000, notice.u32(SessionLayout.NOTICE_SIZE));
    assertEquals(0x1000_0000, notice.i64(SessionLayout.NOTICE_BASE));
    assertEquals(0x1234_0000, notice.i64(SessionLayout.NOTICE_NAME));
    assertNotEquals(0, notice.i64(SessionLayout.NOTICE_TICKS));
  }

  @Test
  void noThreadWaitsForAControllerThatIsGone() throws IOException {
    pauses(-1, PAUSES, 0);
    notify(LOADED);
    assertEquals(20, its.u32(PAUSES), "two seconds");
    assertEquals(HEARTBEAT, its.control(SessionLayout.AT_NOTICES_GIVEN_UP));
    notify(LOADED);
    assertEquals(20, its.u32(PAUSES), "none of them for another module");
    assertEquals(2, its.control(SessionLayout.AT_NOTICES));
  }

  @Test
  void unloadedModuleIsReportedAndWaitsOnlyWhereModulesAreHeld() throws IOException {
    pauses(5, TracedMachine.CONTROL + SessionLayout.AT_HOLD, 0);
    ending(0);
    notify(UNLOADED);
    assertEquals(0, its.u32(PAUSES));
    control(SessionLayout.AT_HOLD, 1);
    notify(UNLOADED);
    assertEquals(5, its.u32(PAUSES));
    assertEquals(2, its.control(SessionLayout.AT_NOTICES));
  }

  @Test
  void nothingIsReportedWhenTheProcessEnds() throws IOException {
    ending(1);
    notify(UNLOADED);
    assertEquals(0, its.control(SessionLayout.AT_NOTICES));
  }

  @Test
  void fullRingCountsAsMissedWhenNobodyAnswers() throws IOException {
    pauses(-1, PAUSES, 0);
    control(SessionLayout.AT_NOTICES, SessionLayout.NOTICE_PLACES);
    notify(LOADED);
    assertEquals(1, its.control(SessionLayout.AT_NOTICES_MISSED));
    assertEquals(SessionLayout.NOTICE_PLACES, its.control(SessionLayout.AT_NOTICES));
  }

  /** Runs the hook in front of a function that returns. */
  private void resume(int process) throws IOException {
    Assembler a = Assembler.ia32();
    a.mov(EAX, ptr(ESP).plus(12)).mov(ptr(EAX).plus(8).as32(), process);
    a.mov(ptr(EAX).plus(12).as32(), 0x99).xor(EAX, EAX).ret(20);
    machine.write(QUERY, a.assemble().bytes());
    ResumeThreadHook32 hook =
        new ResumeThreadHook32(TracedMachine.CONTROL, new ResumeCalls(DELAY, QUERY));
    machine.write(CODE, hook.code());
    machine.write(CODE + hook.code().length, Assembler.ia32().ret(8).assemble().bytes());
    assertEquals(8, run(0x50, 0), "the function has the stack of its caller");
  }

  private long request(int field) throws IOException {
    return its.control(SessionLayout.AT_RESUME_RING + field);
  }

  @Test
  void threadOfAnotherProcessIsResumedWhenTheControllerLetsItGo() throws IOException {
    long state = TracedMachine.CONTROL + SessionLayout.AT_RESUME_RING;
    pauses(3, state, 4 | SessionLayout.RESUME_LET_GO);
    resume(0x88);
    assertEquals(3, its.u32(PAUSES));
    assertEquals(1, its.control(SessionLayout.AT_RESUMES));
    assertEquals(0x88, request(SessionLayout.RESUME_PROCESS));
    assertEquals(0x99, request(SessionLayout.RESUME_THREAD));
    assertEquals(0, request(SessionLayout.RESUME_STATE), "the place is free again");
  }

  @Test
  void threadOfTheOwnProcessIsResumedAtOnce() throws IOException {
    pauses(-1, PAUSES, 0);
    resume(OWN_PROCESS);
    assertEquals(0, its.u32(PAUSES));
    assertEquals(0, its.control(SessionLayout.AT_RESUMES));
  }

  @Test
  void threadIsResumedWithoutAController() throws IOException {
    pauses(-1, PAUSES, 0);
    resume(0x88);
    assertEquals(50, its.u32(PAUSES), "five seconds");
    assertEquals(HEARTBEAT, its.control(SessionLayout.AT_RESUMES_GIVEN_UP));
    assertEquals(0, request(SessionLayout.RESUME_STATE));
  }
}

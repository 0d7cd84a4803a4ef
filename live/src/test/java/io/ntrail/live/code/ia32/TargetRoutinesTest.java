package io.ntrail.live.code.ia32;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.MemoryWrite;
import io.ntrail.live.code.OverheadTest;
import io.ntrail.live.code.SlotOverheadTest;
import io.ntrail.live.code.StoreCode.Store;
import io.ntrail.live.code.UnwindTest;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Routines that threads of their own run in a target, run by Unicorn. */
class TargetRoutinesTest {
  private static final long PARAMETERS = TracedMachine.PROGRAM + 0x4000;
  private static final long CODE = TracedMachine.PROGRAM + 0x2000;
  private static final long BUFFER = TracedMachine.CELLS;
  private static final int[] KEPT = {3, 5, 6, 7};

  @TempDir Path folder;

  private UnicornMachine machine;
  private TracedMachine its;

  @BeforeEach
  void start() throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    machine = made.get();
    AssembledCode nothing = Assembler.ia32().ret().assemble();
    its = new TracedMachine(machine, Settings.records(32).areas(3), nothing);
  }

  @AfterEach
  void end() throws IOException {
    if (machine != null) {
      machine.close();
    }
  }

  /** Runs a routine as a thread does; returns its result. */
  private long run(long routine, long parameters) throws IOException {
    long stack = TracedMachine.STACK_BASE - 0x100;
    its.u32(stack, TracedMachine.END);
    its.u32(stack + 4, parameters);
    machine.setRegister(UnicornMachine.SP, stack);
    for (int register : KEPT) {
      machine.setRegister(register, 0x100 + register);
    }
    UnicornRun.End end =
        machine.run(
            new UnicornRun(routine, TracedMachine.END, 0, 0, 5_000_000, 0, 0),
            new UnicornRun.Listener() {});
    assertEquals(UnicornRun.Reason.UNTIL, end.reason(), end::toString);
    assertEquals(stack + 8, machine.register(UnicornMachine.SP), "the parameter is removed");
    for (int register : KEPT) {
      assertEquals(0x100 + register, machine.register(register), "register " + register);
    }
    return machine.register(0) & 0xFFFF_FFFFL;
  }

  private long routine(int at) {
    return TracedMachine.BLOCK + at;
  }

  @Test
  void copiedAreasAreThoseThatWouldHaveBeenWritten() throws IOException {
    for (int area = 1; area < 3; area++) {
      machine.write(
          TracedMachine.area(area) + AreaLayout32.CODE,
          new byte[AreaLayout32.TABLE - AreaLayout32.CODE]);
    }
    machine.write(PARAMETERS, new BytesBuilder(16).u64(TracedMachine.area(0)).u64(2).toArray());
    run(routine(its.session().runtime().routines().copyAreas()), PARAMETERS);
    for (int area = 1; area < 3; area++) {
      long at = TracedMachine.area(area);
      byte[] code = machine.read(at + AreaLayout32.CODE, AreaLayout32.DELTA);
      byte[] expected = its.session().areas().template(at);
      assertArrayEquals(java.util.Arrays.copyOf(expected, code.length), code);
      byte[] data = its.session().areas().data(area);
      assertArrayEquals(data, machine.read(at + AreaLayout32.DATA, data.length));
    }
  }

  @Test
  void callThroughASlotPassesItsTest() throws IOException {
    long area = TracedMachine.area(0);
    UnwindTest test = its.session().unwindTest(area, _ -> 0);
    MemoryWrite frame = test.frame();
    machine.write(frame.address(), frame.bytes());
    machine.write(PARAMETERS, test.parameters());
    run(routine(its.session().runtime().routines().selfTest()), PARAMETERS);
    byte[] results = machine.read(PARAMETERS, TargetRoutines32.TEST_SIZE);
    assertEquals("", test.failure(Bytes.copyOf(results, "results")));
    assertEquals(0, its.u32(area + AreaLayout32.STACK_BASE), "the area is free again");
    assertNotEquals("", test.failure(Bytes.copyOf(test.parameters(), "results")));
  }

  @Test
  void overheadIsMeasuredWithTheRecordsOfAllCalls() throws IOException {
    OverheadTest test = its.session().overheadTest(TracedMachine.area(0));
    machine.write(PARAMETERS, test.parameters(BUFFER));
    run(routine(its.session().runtime().routines().overhead()), PARAMETERS);
    OverheadTest.Ticks ticks =
        test.ticks(Bytes.copyOf(machine.read(PARAMETERS, SlotOverheadTest.SIZE), "results"));
    assertEquals(250, ticks.calls());
    assertTrue(ticks.traced() > 0 && ticks.plain() > 0 && ticks.clock() > 0, ticks::toString);
    byte[] last = machine.read(BUFFER + 32L * 500, 32);
    assertEquals(3, Bytes.copyOf(last, "record").u32(12) & 0xFF, "the last exit");
  }

  @Test
  void functionsOfBothConventionsAreCalledWithFourArguments() throws IOException {
    byte[] call = new Ia32Architecture().callRoutine();
    machine.write(CODE, call);
    for (int removed : new int[] {0, 16}) {
      Assembler a = Assembler.ia32();
      a.mov(Reg32.EAX, io.ntrail.programs.x86.asm.operands.Mem.ptr(Reg32.ESP).plus(16));
      if (removed == 0) {
        a.ret();
      } else {
        a.ret(removed);
      }
      machine.write(CODE + 0x100, a.assemble().bytes());
      machine.write(
          PARAMETERS,
          new BytesBuilder(40).u64(CODE + 0x100).u64(1).u64(2).u64(3).u64(0xF00D).toArray());
      assertEquals(0xF00D, run(CODE, PARAMETERS));
    }
  }

  @Test
  void storesAreMadeWhereTheExpectedValueIs() throws IOException {
    StoreRoutine32 routine = new StoreRoutine32();
    machine.write(CODE, routine.bytes());
    List<Store> stores =
        List.of(new Store(BUFFER, 0x1234, 0xABCD), new Store(BUFFER + 8, 0x5678, 0xABCD));
    its.u32(BUFFER, 0x1234);
    its.u32(BUFFER + 8, 0x5679);
    its.u32(TracedMachine.TEB, 0x77);
    byte[] parameters = routine.parameters(stores);
    machine.write(PARAMETERS, parameters);
    run(CODE, PARAMETERS);
    assertEquals(0xABCD, its.u32(BUFFER));
    assertEquals(0x5679, its.u32(BUFFER + 8));
    assertEquals(0x77, its.u32(TracedMachine.TEB), "the list of registrations is as before");
    assertEquals(
        stores.subList(0, 1),
        routine.made(
            Bytes.copyOf(machine.read(PARAMETERS, parameters.length), "parameters"), stores));
  }

  @Test
  void storeThatFaultsIsSkippedByItsHandler() throws IOException {
    StoreRoutine32 routine = new StoreRoutine32();
    machine.write(CODE, routine.bytes());
    its.u32(BUFFER, 0x1234);
    byte[] parameters =
        routine.parameters(
            List.of(new Store(0x1_0000_0000L - 0x1000, 1, 2), new Store(BUFFER, 0x1234, 0xABCD)));
    machine.write(PARAMETERS, parameters);
    long stack = TracedMachine.STACK_BASE - 0x100;
    its.u32(stack, TracedMachine.END);
    its.u32(stack + 4, PARAMETERS);
    machine.setRegister(UnicornMachine.SP, stack);
    UnicornRun.Listener listener = new UnicornRun.Listener() {};
    UnicornRun.End end =
        machine.run(new UnicornRun(CODE, TracedMachine.END, 0, 0, 1000, 0, 0), listener);
    assertEquals(UnicornRun.Reason.MISSING, end.reason());
    long[] registers = new long[8];
    for (int i = 0; i < registers.length; i++) {
      registers[i] = machine.register(i);
    }
    // What the system does: the handler of the first registration, with record, frame, context.
    long frame = its.u32(TracedMachine.TEB);
    long handler = its.u32(frame + 4);
    long record = TracedMachine.OTHER_STACK;
    long context = record + 0x100;
    long below = TracedMachine.OTHER_BASE - 0x100;
    its.u32(record, 0xC000_0005L);
    its.u32(below, TracedMachine.END);
    its.u32(below + 4, record);
    its.u32(below + 8, frame);
    its.u32(below + 12, context);
    machine.setRegister(UnicornMachine.SP, below);
    machine.run(new UnicornRun(handler, TracedMachine.END, 0, 0, 1000, 0, 0), listener);
    assertEquals(0, machine.register(0), "ExceptionContinueExecution");
    machine.setRegisters(registers, new long[0]);
    end =
        machine.run(
            new UnicornRun(its.u32(context + 0xB8), TracedMachine.END, 0, 0, 1000, 0, 0), listener);
    assertEquals(UnicornRun.Reason.UNTIL, end.reason());
    assertEquals(0xABCD, its.u32(BUFFER));
  }
}

package io.ntrail.testkit.unicorn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnicornMachineTest {
  private static final long CODE = 0x10_0000;
  private static final long STACK = 0x20_0000;
  private static final int ALL =
      UnicornRun.ADDRESSES | UnicornRun.REGISTERS | UnicornRun.VECTORS | UnicornRun.WRITES;

  @TempDir Path folder;

  private UnicornMachine machine(int bits, String code) throws IOException {
    Optional<UnicornMachine> machine = UnicornMachine.in(folder, bits);
    assumeTrue(machine.isPresent(), UnicornMachine.MISSING);
    machine.get().map(CODE, 0x1000);
    machine.get().map(STACK, 0x1000);
    machine.get().write(CODE, HexFormat.of().parseHex(code.replace(" ", "")));
    machine.get().setRegister(UnicornMachine.SP, STACK + 0x800);
    return machine.get();
  }

  private static UnicornRun run(long until, int options) {
    return new UnicornRun(CODE, CODE + until, CODE, CODE + 0x1000, 100, 4, options);
  }

  private static List<String> told(UnicornMachine machine, UnicornRun run) throws IOException {
    List<String> events = new ArrayList<>();
    UnicornRun.End end =
        machine.run(
            run,
            new UnicornRun.Listener() {
              @Override
              public void instruction(long address, long[] general, long[] vectors) {
                events.add(
                    "%x ax %x sp %x xmm6 %x"
                        .formatted(address, general[0], general[4], vectors[12]));
              }

              @Override
              public void write(long address, int bytes, long value) {
                events.add("%x %d %x".formatted(address, bytes, value));
              }
            });
    events.add("%s at %x after %d".formatted(end.reason(), end.ip(), end.executed()));
    return events;
  }

  @Test
  void everyInstructionIsToldWithRegistersAndWrites() throws IOException {
    // mov eax, 5; push rax; movq xmm6, rax; nop
    try (UnicornMachine machine = machine(64, "b805000000 50 66480f6ef0 90")) {
      assertEquals(
          List.of(
              "100000 ax 0 sp 200800 xmm6 0",
              "100005 ax 5 sp 200800 xmm6 0",
              "2007f8 8 5",
              "100006 ax 5 sp 2007f8 xmm6 0",
              "UNTIL at 10000b after 3"),
          told(machine, run(11, ALL)));
      assertEquals(5, machine.register(UnicornMachine.XMM + 6));
    }
  }

  @Test
  void codeOf32BitsPushesFourBytes() throws IOException {
    // push 7; inc eax; ret
    try (UnicornMachine machine = machine(32, "6a07 40 90")) {
      assertEquals(
          List.of(
              "100000 ax 0 sp 200800 xmm6 0",
              "2007fc 4 7",
              "100002 ax 0 sp 2007fc xmm6 0",
              "UNTIL at 100003 after 2"),
          told(machine, run(3, ALL)));
    }
  }

  @Test
  void callsCanBeSteppedOver() throws IOException {
    // mov eax, 20h; call; call [rip]; call r9; nop
    try (UnicornMachine machine = machine(64, "b820000000 e800000000 ff1500000000 41ffd1 90")) {
      machine.remember();
      assertEquals(
          List.of("UNTIL at 100013 after 4"), told(machine, run(0x13, UnicornRun.SKIP_CALLS)));
      assertEquals(0x20, machine.register(0));
      machine.goBack();
      told(machine, run(0xA, UnicornRun.ZERO_RESULT));
      assertEquals(0x20, machine.register(0));
      machine.goBack();
      told(machine, run(0x13, UnicornRun.ZERO_RESULT));
      assertEquals(0, machine.register(0));
      assertEquals(STACK + 0x800, machine.register(UnicornMachine.SP));
    }
  }

  @Test
  void whatARunDidCanBeUndone() throws IOException {
    // push rsp; mov [200000h], eax; mov [300000h], eax
    try (UnicornMachine machine = machine(64, "54 890425 00002000 890425 00003000 90")) {
      machine.setRegister(0, 0x1234_5678);
      machine.remember();
      assertEquals(List.of("UNTIL at 10000f after 3"), told(machine, run(15, 0)));
      assertArrayEquals(new byte[] {0x78, 0x56, 0x34, 0x12}, machine.read(STACK, 4));
      machine.goBack();
      assertArrayEquals(new byte[4], machine.read(STACK, 4));
      assertEquals(STACK + 0x800, machine.register(UnicornMachine.SP));
    }
  }

  @Test
  void whatIsRememberedLiesOnTopOfEachOther() throws IOException {
    // push rax; push rcx; movups [rsp - 16], xmm6
    try (UnicornMachine machine = machine(64, "50 51 0f117424f0 90")) {
      machine.setRegisters(
          new long[] {7, 8, 0, 0, STACK + 0x800},
          new long[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6});
      machine.remember();
      told(machine, run(1, 0));
      machine.remember();
      assertEquals(
          List.of(
              "100000 ax 7 sp 2007f8 xmm6 5",
              "2007f0 8 7",
              "100001 ax 7 sp 2007f0 xmm6 5",
              "2007e8 8 8",
              "100002 ax 7 sp 2007e8 xmm6 5",
              "2007d8 8 5",
              "2007e0 8 6",
              "UNTIL at 100007 after 3"),
          told(machine, run(7, ALL)));
      machine.goBack();
      assertEquals(7, machine.read(STACK + 0x7F8, 1)[0]);
      assertEquals(STACK + 0x7F8, machine.register(UnicornMachine.SP));
      machine.forget();
      machine.goBack();
      assertEquals(0, machine.read(STACK + 0x7F8, 1)[0]);
      assertEquals(STACK + 0x800, machine.register(UnicornMachine.SP));
    }
  }

  @Test
  void runsEndWhereTheyHaveTo() throws IOException {
    // jmp self
    try (UnicornMachine machine = machine(64, "ebfe")) {
      assertEquals(List.of("MOST at 100000 after 100"), told(machine, run(9, 0)));
    }
    // jmp far away
    try (UnicornMachine machine = machine(64, "e900000100")) {
      assertEquals(UnicornRun.Reason.MISSING, machine.run(run(9, 0), listener()).reason());
    }
    // jmp back by 16
    try (UnicornMachine machine = machine(64, "90ebee")) {
      UnicornRun run = new UnicornRun(CODE, 0, CODE, CODE + 3, 100, 0, 0);
      machine.map(CODE - 0x1000, 0x1000);
      assertEquals(List.of("OUTSIDE at ffff1 after 2"), told(machine, run));
    }
    // mov eax, [300000h] without pages
    try (UnicornMachine machine = machine(64, "8b042500003000")) {
      UnicornRun run = new UnicornRun(CODE, 0, CODE, 0, 100, 0, 0);
      assertEquals(List.of("MISSING at 100000 after 1"), told(machine, run));
    }
    // ud2
    try (UnicornMachine machine = machine(64, "0f0b")) {
      assertEquals(UnicornRun.Reason.UNKNOWN, machine.run(run(9, 0), listener()).reason());
    }
  }

  private static UnicornRun.Listener listener() {
    return new UnicornRun.Listener() {};
  }
}

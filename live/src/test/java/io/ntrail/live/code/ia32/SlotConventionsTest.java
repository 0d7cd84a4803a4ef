package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.ia32.TracedMachine.Record;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls through slots, whatever the function's convention, run by Unicorn. */
class SlotConventionsTest {
  @TempDir Path folder;

  private final Assembler a = Assembler.ia32();
  private final Label function = a.label("function");
  private final Label begin = a.label("begin");

  private UnicornMachine machine() throws IOException {
    Optional<UnicornMachine> machine = UnicornMachine.in(folder, 32);
    assumeTrue(machine.isPresent(), UnicornMachine.MISSING);
    return machine.get();
  }

  /** Begins the code of a function that can be traced. */
  private Assembler function(Label label) {
    return a.nop(5).bind(label).mov(EDI, EDI);
  }

  private List<Record> records(Consumer<Assembler> caller, Consumer<Assembler> body)
      throws IOException {
    return records(Settings.records(32), caller, body);
  }

  private List<Record> records(
      Settings settings, Consumer<Assembler> caller, Consumer<Assembler> body) throws IOException {
    body.accept(function(function));
    a.bind(begin);
    caller.accept(a);
    a.ret();
    AssembledCode program = a.assemble();
    try (UnicornMachine machine = machine()) {
      return TracedMachine.same(
              machine, settings, program, program.offset(begin), program.offset(function))
          .records();
    }
  }

  private static void assertPairs(int pairs, List<Record> records) {
    assertEquals(
        pairs, records.stream().filter(record -> record.kind() == SessionLayout.ENTRY).count());
    assertEquals(
        pairs, records.stream().filter(record -> record.kind() == SessionLayout.EXIT).count());
    assertEquals(2L * pairs, records.size());
  }

  @Test
  void callsOfCdeclReturnWithTheirArgumentsStillOnTheStack() throws IOException {
    List<Record> records =
        records(
            a -> a.push(7).push(5).call(function).add(ESP, 8),
            a -> a.mov(EAX, ptr(ESP).plus(4)).add(EAX, ptr(ESP).plus(8)).ret());
    assertPairs(1, records);
    assertEquals(12, records.getLast().low());
    assertEquals(records.getLast().keyAddress(), records.getLast().keyHigh());
  }

  @Test
  void callsOfStdcallWithTwentyWordsReturnWithoutThem() throws IOException {
    List<Record> records =
        records(
            a -> {
              for (int i = 0; i < 20; i++) {
                a.push(i);
              }
              a.call(function);
            },
            a -> a.mov(EAX, ptr(ESP).plus(80)).ret(80));
    assertPairs(1, records);
    assertEquals(0, records.getLast().low());
    assertEquals(80, records.getLast().keyHigh() - records.getLast().keyAddress());
  }

  @Test
  void entriesHaveTheReturnAddressTheKeyAndBothRegisters() throws IOException {
    List<Record> records =
        records(a -> a.mov(ECX, 0x51).mov(EDX, 0x52).call(function), a -> a.ret());
    Record entry = records.getFirst();
    assertEquals(TracedMachine.STACK_BASE - 0x100, entry.keyAddress());
    assertEquals(0x51, entry.high());
    assertEquals(0x52, entry.keyHigh());
    assertEquals(0, entry.slot());
    assertEquals(0, entry.area());
    // Behind the call: two moves of five bytes and the call itself.
    assertEquals(entry.function() + 2 + 1 + 15, entry.low());
  }

  @Test
  void resultsOf64BitsAreThoseOfBothRegisters() throws IOException {
    List<Record> records =
        records(a -> a.call(function), a -> a.mov(EAX, 0x1234_5678).mov(EDX, 0x0BCD_EF01).ret());
    assertEquals(0x0BCD_EF01_1234_5678L, records.getLast().value());
  }

  @Test
  void everyFlagIsTheSameAtEntryAndAfterTheReturn() throws IOException {
    List<Record> records =
        records(
            a -> {
              for (int flags : new int[] {0x002, 0xED7, 0x8D7, 0x400, 0x246, 0x0801}) {
                a.push(flags | 0x202).popfd().call(function).pushfd().pop(EBX).cld();
              }
            },
            // Flags at entry, and others at the return.
            a -> a.pushfd().pop(EAX).push(0xED7 | 0x202).popfd().ret());
    assertPairs(6, records);
    assertEquals(0xED7 | 0x202, records.get(3).low() | 0x202);
  }

  @Test
  void floatingPointResultsStayWhereTheyAre() throws IOException {
    List<Record> records =
        records(
            a -> a.call(function).push(EAX).op("fstp", ptr(ESP).as32()).pop(EBX),
            a -> a.op("fldpi").ret());
    assertPairs(1, records);
  }

  @Test
  void functionThatLowersTheStackAndReturnsFromThereIsFollowed() throws IOException {
    // Like _alloca_probe: the return address is copied below.
    List<Record> records =
        records(
            a -> a.mov(EBP, ESP).mov(EAX, 64).call(function).mov(ESP, EBP),
            a -> a.mov(ECX, ptr(ESP)).lea(ESP, ptr(ESP).plus(4)).sub(ESP, EAX).push(ECX).ret());
    assertPairs(1, records);
    assertEquals(-64, records.getLast().keyHigh() - records.getLast().keyAddress());
  }

  @Test
  void recordsWithArgumentsHaveRegistersAndTheWordsAboveTheReturnAddress() throws IOException {
    List<Record> records =
        records(
            Settings.records(128),
            a -> {
              for (int i = 10; i > 0; i--) {
                a.push(i);
              }
              a.mov(ECX, 0x51).mov(EDX, 0x52).call(function).add(ESP, 40);
            },
            a -> a.ret());
    assertEquals(
        List.of(0x51L, 0x52L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L), records.getFirst().more());
  }

  @Test
  void recursionDeeperThanTheSlotsReturnsAndIsTracedAgain() throws IOException {
    List<Record> records =
        records(
            Settings.records(32),
            a -> a.mov(EAX, 700).call(function).mov(EAX, 3).call(function),
            a -> {
              Label out = a.label();
              a.test(EAX, EAX).jz(out).dec(EAX).call(function).add(EBX, 1).bind(out).ret();
            });
    List<Record> deeper =
        records.stream().filter(record -> record.kind() == SessionLayout.ENTRY_ONLY).toList();
    assertEquals(701 - AreaLayout32.SLOTS, deeper.size());
    // One return address on the stack for each call.
    for (int i = 1; i < deeper.size(); i++) {
      assertEquals(deeper.get(i - 1).keyAddress() - 4, deeper.get(i).keyAddress());
    }
    assertPairs(
        AreaLayout32.SLOTS + 4,
        records.stream().filter(record -> record.kind() != SessionLayout.ENTRY_ONLY).toList());
    assertEquals(0, records.getLast().slot());
    assertEquals(
        AreaLayout32.SLOTS - 1, records.stream().mapToInt(Record::slot).max().orElseThrow());
  }

  @Test
  void chunksThatAreFullAreHandedOverInOrder() throws IOException {
    List<Record> records =
        records(
            Settings.records(32),
            a -> {
              Label next = a.label();
              a.mov(EBX, 5000).bind(next).call(function).dec(EBX).jnz(next);
            },
            a -> a.mov(EAX, EBX).ret());
    assertPairs(5000, records);
    for (int i = 0; i < 5000; i++) {
      assertEquals(5000 - i, records.get(2 * i + 1).low());
    }
  }
}

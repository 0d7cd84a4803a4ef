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
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.ia32.TracedMachine.Record;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames that do not end as calls do: tail calls, long jumps, other stacks. */
class SlotFramesTest {
  /** Memory of the programs, for stack pointers. */
  private static final long DATA = TracedMachine.PROGRAM + 0x8000;

  @TempDir Path folder;

  private final Assembler a = Assembler.ia32();
  private final Label one = a.label("one");
  private final Label two = a.label("two");
  private final Label begin = a.label("begin");
  private UnicornMachine machine;

  @BeforeEach
  void start() throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    machine = made.get();
  }

  @AfterEach
  void end() throws IOException {
    if (machine != null) {
      machine.close();
    }
  }

  private Assembler function(Label label) {
    return a.nop(5).bind(label).mov(EDI, EDI);
  }

  private TracedMachine run(Settings settings, Label... traced) throws IOException {
    AssembledCode program = a.assemble();
    int[] offsets = Arrays.stream(traced).mapToInt(program::offset).toArray();
    return TracedMachine.same(machine, settings, program, program.offset(begin), offsets);
  }

  private static long count(List<Record> records, int kind) {
    return records.stream().filter(record -> record.kind() == kind).count();
  }

  private static List<Integer> kinds(List<Record> records) {
    return records.stream().map(Record::kind).toList();
  }

  private static final int IN = SessionLayout.ENTRY;
  private static final int OUT = SessionLayout.EXIT;

  @Test
  void tailCallReturnsThroughBothSlots() throws IOException {
    function(one).mov(EAX, 1).jmp(two);
    function(two).add(EAX, 41).ret(4);
    a.bind(begin).push(3).call(one).push(4).call(one).ret();
    List<Record> records = run(Settings.records(32), one, two).records();
    assertEquals(List.of(IN, IN, OUT, OUT, IN, IN, OUT, OUT), kinds(records));
    assertEquals(List.of(0, 1, 1, 0), records.stream().limit(4).map(Record::slot).toList());
    assertEquals(42, records.get(3).low());
    assertEquals(4, records.get(2).keyHigh() - records.get(2).keyAddress());
  }

  @Test
  void tailCallWithTheReturnAddressMovedUpReturns() throws IOException {
    // Three words of arguments become one.
    function(one).mov(EAX, ptr(ESP)).mov(ptr(ESP).plus(8), EAX).lea(ESP, ptr(ESP).plus(8)).jmp(two);
    function(two).mov(EAX, ptr(ESP).plus(4)).ret(4);
    a.bind(begin);
    for (int i = 0; i < 3; i++) {
      a.push(3).push(2).push(1).call(one);
    }
    a.ret();
    List<Record> records = run(Settings.records(32), one, two).records();
    assertEquals(3 * 4, records.size());
    assertEquals(6, count(records, OUT));
    assertEquals(3, records.getLast().low());
  }

  @Test
  void tailCallWithTheReturnAddressMovedDownReturns() throws IOException {
    // One word of arguments becomes three.
    function(one)
        .mov(EAX, ptr(ESP))
        .lea(ESP, ptr(ESP).plus(-8))
        .mov(ptr(ESP), EAX)
        .mov(ptr(ESP).plus(4).as32(), 77)
        .jmp(two);
    function(two).mov(EAX, ptr(ESP).plus(4)).ret(12);
    a.bind(begin);
    for (int i = 0; i < 3; i++) {
      a.push(1).call(one);
    }
    a.ret();
    List<Record> records = run(Settings.records(32), one, two).records();
    assertEquals(6, count(records, OUT));
    assertEquals(77, records.getLast().low());
  }

  @Test
  void longJumpOverFramesLeavesThemToTheNextCall() throws IOException {
    Label again = a.label();
    Label deep = a.label();
    Label landed = a.label();
    Label loop = a.label();
    // Six frames, then back to the stack pointer that was kept.
    function(one).test(ECX, ECX).jz(deep).dec(ECX).call(one).ret();
    a.bind(deep).mov(ESP, absolute(DATA)).jmp(landed);
    function(two).mov(EAX, EBX).ret();
    a.bind(begin).mov(EBX, 3);
    a.bind(loop).mov(absolute(DATA), ESP).mov(ECX, 5).call(one).bind(landed).call(two);
    a.bind(again).dec(EBX).jnz(loop).ret();
    TracedMachine its = run(Settings.records(32), one, two);
    List<Record> records = its.records();
    assertEquals(21, count(records, IN));
    assertEquals(3, count(records, OUT), "18 frames were left");
    // The frames of two are where the first of those that were left was.
    assertTrue(records.stream().filter(r -> r.kind() == OUT).allMatch(r -> r.slot() == 0));
    assertTrue(its.control(SessionLayout.AT_SLOW_PASSES) >= 3);
  }

  /** Switches to the other stack, or back: ESP is kept at DATA + from, and taken from DATA + to. */
  private void change(int from, int to, long limit, long base) {
    a.mov(absolute(DATA + from), ESP)
        .mov(ESP, absolute(DATA + to))
        .mov(fs(4).as32(), base)
        .mov(fs(8).as32(), limit);
  }

  @Test
  void fibersHaveFramesOfTheirOwn() throws IOException {
    Label fiber = a.label("fiber");
    Label loop = a.label();
    Label inner = a.label();
    // Two switches to the other fiber in the middle of a traced call, and is resumed in one.
    function(one).push(EBX);
    change(0, 4, TracedMachine.OTHER_STACK, TracedMachine.OTHER_BASE);
    a.ret();
    function(two).push(ESI);
    change(4, 0, TracedMachine.STACK, TracedMachine.STACK_BASE);
    a.pop(EBX).ret();
    Label resumed = a.label("resumed");
    a.bind(resumed).pop(ESI).ret();
    a.bind(fiber).bind(inner).call(two).jmp(inner);
    // The first switch begins the fiber; those that follow go on behind its switch.
    a.bind(begin)
        .mov(ECX, TracedMachine.OTHER_BASE - 0x40)
        .mov(ptr(ECX).as32(), Imm.address(fiber))
        .mov(absolute(DATA + 4), ECX)
        .mov(EBX, 5)
        .bind(loop)
        .call(one);
    // What the fiber kept begins with its esi: the address that one's return takes is put below.
    a.mov(ECX, absolute(DATA + 4))
        .lea(ECX, ptr(ECX).plus(-4))
        .mov(ptr(ECX).as32(), Imm.address(resumed))
        .mov(absolute(DATA + 4), ECX)
        .dec(EBX)
        .jnz(loop)
        .ret();
    TracedMachine its = run(Settings.records(32), one, two);
    List<Record> records = its.records();
    assertEquals(10, count(records, IN));
    assertEquals(9, count(records, OUT), "the fiber's last call is open");
    assertEquals(2, its.control(SessionLayout.AT_AREAS_TAKEN));
    assertEquals(List.of(0, 1), records.stream().map(Record::area).distinct().sorted().toList());
    assertEquals(0, its.control(SessionLayout.AT_ENTRIES_WITHOUT_AREA));
  }

  @Test
  void callsOfAStackWithoutAnAreaAreRecordedByTheirEntries() throws IOException {
    function(one).mov(EAX, 5).ret(8);
    a.bind(begin).push(1).push(2).call(one).push(1).push(2).call(one).ret();
    TracedMachine its = run(Settings.records(32).areas(0), one);
    assertEquals(List.of(SessionLayout.ENTRY_ONLY, SessionLayout.ENTRY_ONLY), kinds(its.records()));
    assertEquals(2, its.control(SessionLayout.AT_ENTRIES_WITHOUT_AREA));
  }

  @Test
  void callsOfAStackThatTheSystemDoesNotKnowAreRecordedByTheirEntries() throws IOException {
    Label back = a.label();
    function(one).mov(EAX, 5).ret(8);
    a.bind(begin)
        .push(1)
        .push(2)
        .call(one)
        .mov(EBP, ESP)
        .mov(ESP, TracedMachine.OTHER_BASE - 0x40)
        .push(1)
        .push(2)
        .call(one)
        .mov(ESP, EBP)
        .bind(back)
        .push(1)
        .push(2)
        .call(one)
        .ret();
    TracedMachine its = run(Settings.records(32), one);
    assertEquals(List.of(IN, OUT, SessionLayout.ENTRY_ONLY, IN, OUT), kinds(its.records()));
    assertEquals(1, its.control(SessionLayout.AT_ENTRIES_WITHOUT_AREA));
  }

  @Test
  void recordsThatNoChunkIsFreeForAreCounted() throws IOException {
    Label loop = a.label();
    function(one).mov(EAX, EDX).ret();
    a.bind(begin).mov(EBX, 4000).bind(loop).call(one).dec(EBX).jnz(loop).ret();
    TracedMachine its = run(Settings.records(32).chunks(2), one);
    assertEquals(2 * 2047, its.records().size());
    long lost = its.control(SessionLayout.AT_LOST);
    assertTrue(lost >= 8000 - 2 * 2047 && lost < 8000 - 2 * 2047 + 32, "lost " + lost);
    assertEquals(2, its.control(SessionLayout.AT_FULL));
  }

  @Test
  void functionsWithEntriesAloneTouchNoSlot() throws IOException {
    Label loop = a.label();
    function(one).push(EBX).pop(ECX).ret(4);
    a.bind(begin).mov(EBX, 3000).bind(loop).push(EBX).call(one).dec(EBX).jnz(loop).ret();
    AssembledCode program = a.assemble();
    TracedMachine its = new TracedMachine(machine, Settings.records(64), program);
    its.trace(false, program.offset(one));
    TracedMachine.Path found = its.run(program.offset(begin));
    assertEquals("UNTIL", found.end().reason().name());
    List<Record> records = its.records();
    assertEquals(3000, records.size());
    assertTrue(records.stream().allMatch(r -> r.kind() == SessionLayout.ENTRY_ONLY));
    assertEquals(
        List.of(3000L, 2999L), List.of(records.get(0).more().get(2), records.get(1).more().get(2)));
    assertEquals(0, its.u32(TracedMachine.area(0) + AreaLayout32.data(0) + AreaLayout32.KEY));
  }

  @Test
  void everySlotOfEveryAreaWritesIntoItsOwnData() throws IOException {
    // One call at each depth, in the second area, which the first stack leaves free.
    function(one).test(ECX, ECX);
    Label out = a.label();
    a.jz(out).dec(ECX).call(one).bind(out).ret();
    a.bind(begin);
    change(0, 4, TracedMachine.OTHER_STACK, TracedMachine.OTHER_BASE);
    a.mov(ESP, TracedMachine.OTHER_BASE - 0x40).mov(ECX, 0).call(one);
    change(4, 0, TracedMachine.STACK, TracedMachine.STACK_BASE);
    a.mov(ECX, AreaLayout32.SLOTS - 1).call(one).ret();
    List<Record> records = run(Settings.records(32), one).records();
    for (int i = 0; i < AreaLayout32.SLOTS; i++) {
      assertEquals(i, records.get(2 + i).slot());
      assertEquals(1, records.get(2 + i).area());
      assertEquals(records.get(2 + i).key() & 0xFFFF_FFFFL, records.get(2).keyAddress() - 4L * i);
    }
  }
}

package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.live.code.FrameDescriptions;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.ia32.TracedMachine.Record;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Descriptions of slots for GNU C++: as readelf reads them, and their routine run by Unicorn. */
class FrameDescriptionTest {
  private static final long PERSONALITY = TracedMachine.STUBS + 0x8000;
  private static final long LENGTH = 0x400_0000;

  private static final ExternalTool OBJCOPY = ExternalTool.of("binutils", "objcopy");
  private static final ExternalTool READELF = ExternalTool.of("binutils", "readelf");

  @TempDir Path folder;

  private UnicornMachine machine() throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    return made.get();
  }

  private List<String> read(byte[] section) throws IOException, InterruptedException {
    Path raw = Files.write(folder.resolve("eh_frame.bin"), section);
    Path object = folder.resolve("eh_frame.o");
    run(
        OBJCOPY,
        "-I",
        "binary",
        "-O",
        "elf32-i386",
        "--rename-section",
        ".data=.eh_frame,alloc,load,readonly,data,contents",
        raw.toString(),
        object.toString());
    return run(READELF, "--debug-dump=frames", object.toString());
  }

  private List<String> run(ExternalTool tool, String... arguments)
      throws IOException, InterruptedException {
    ExternalTool.Outcome outcome = tool.run(folder, Map.of(), arguments);
    assertEquals(0, outcome.exitCode(), outcome.errors());
    return outcome.output().lines().map(String::strip).toList();
  }

  @Test
  void readelfReadsTheRulesOfAllSlots() throws IOException, InterruptedException {
    assumeTrue(OBJCOPY.available() && READELF.available(), READELF.missing());
    try (UnicornMachine machine = machine()) {
      TracedMachine its =
          new TracedMachine(machine, Settings.records(32), Assembler.ia32().ret().assemble());
      FrameDescriptions frames = its.session().frameDescriptions().orElseThrow();
      byte[] section = frames.description(TracedMachine.BLOCK, LENGTH, PERSONALITY);
      assertTrue(section.length <= frames.most() && section.length % 4 == 0);
      String text = read(section).stream().collect(Collectors.joining("\n"));
      int exit = exit(its);
      for (String expected :
          List.of(
              "Augmentation:          \"zPR\"",
              "Data alignment factor: -4",
              "Return address column: 8",
              "Augmentation data:     00 00 80 00 30 00",
              "DW_CFA_def_cfa: r4 (esp) ofs 1",
              "DW_CFA_val_expression: r4 (esp) (DW_OP_breg4 (esp): 0)",
              "DW_CFA_expression: r8 (eip) (DW_OP_breg4 (esp): -4; DW_OP_deref; DW_OP_dup; "
                  + "DW_OP_const4u: %1$d; DW_OP_plus; DW_OP_deref; DW_OP_over; DW_OP_const2u: 512; "
                      .formatted(AreaLayout32.DELTA - exit)
                  + "DW_OP_minus; DW_OP_ne; DW_OP_bra: 7; DW_OP_const2u: 512; DW_OP_minus; "
                  + "DW_OP_skip: -24; DW_OP_const4u: %1$d; DW_OP_plus)"
                      .formatted(AreaLayout32.DELTA - exit),
              "FDE cie=00000000 pc=20000000..24000000",
              "ZERO terminator")) {
        assertTrue(text.contains(expected), () -> expected + "\n" + text);
      }
      String plain = String.join("\n", read(frames.description(TracedMachine.BLOCK, LENGTH, 0)));
      assertTrue(plain.contains("\"zR\"") && plain.contains("DW_OP_plus"), plain);
      assertTrue(plain.contains("FDE cie=00000000 pc=20000000..24000000"), plain);
    }
  }

  /** Offset of the return point: behind the call of the body, the only FF 15 of two in a slot. */
  private static int exit(TracedMachine its) throws IOException {
    long slot = TracedMachine.area(0) + AreaLayout32.code(0);
    byte[] code = its.machine().read(slot, AreaLayout32.STRIDE);
    long body = slot + AreaLayout32.DELTA + AreaLayout32.BODY;
    for (int i = 0; i < code.length - 6; i++) {
      if (code[i] == (byte) 0xFF && code[i + 1] == 0x15 && its.u32(slot + i + 2) == body) {
        return i + 6;
      }
    }
    throw new AssertionError("a slot without a call of its body");
  }

  /** Two functions, the first of which ends by jumping to the second; that one plays unwinder. */
  private record Chain(AssembledCode program, int first, int second, int getIp, int begin) {
    static Chain assemble() {
      Assembler a = Assembler.ia32();
      Label first = a.label("first");
      Label second = a.label("second");
      Label begin = a.label("begin");
      Label getIp = a.label("get ip");
      a.nop(5).bind(first).mov(EDI, EDI).jmp(second);
      a.nop(5).bind(second).mov(EDI, EDI).mov(EAX, ptr(ESP));
      // As an unwinder does: for each phase, the routine of the slot that the return address is in.
      for (int actions : new int[] {1, 2}) {
        a.push(EAX).mov(EAX, ESP);
        a.push(EAX).push(0).push(0).push(0).push(actions).push(1);
        a.call(PERSONALITY).lea(ESP, ptr(ESP).plus(24)).mov(EDI, EAX).pop(EAX);
      }
      a.mov(EAX, EDI).ret();
      a.bind(getIp).mov(EAX, ptr(ESP).plus(4)).mov(EAX, ptr(EAX)).ret();
      a.bind(begin).call(first).ret();
      AssembledCode program = a.assemble();
      return new Chain(
          program,
          program.offset(first),
          program.offset(second),
          program.offset(getIp),
          program.offset(begin));
    }
  }

  private List<Record> records(Chain chain, int... traced) throws IOException {
    try (UnicornMachine machine = machine()) {
      TracedMachine its = new TracedMachine(machine, Settings.records(32), chain.program);
      FrameDescriptions frames = its.session().frameDescriptions().orElseThrow();
      machine.write(
          PERSONALITY, frames.personality(TracedMachine.PROGRAM + chain.getIp, PERSONALITY));
      its.trace(true, traced);
      assertEquals("UNTIL", its.run(chain.begin).end().reason().name());
      return its.records();
    }
  }

  @Test
  void frameThatAnExceptionLeavesIsRecorded() throws IOException {
    Chain chain = Chain.assemble();
    List<Record> records = records(chain, chain.second);
    assertEquals(
        List.of(SessionLayout.ENTRY, SessionLayout.UNWIND, SessionLayout.EXIT),
        records.stream().map(Record::kind).toList());
    Record unwind = records.get(1);
    assertEquals(0x2047_4343, unwind.value());
    assertEquals(records.getFirst().key() & 0xFFFF_FFFFL, unwind.key());
    assertEquals(records.getFirst().function(), unwind.function());
    assertEquals(8, records.getLast().low(), "the search goes on in both phases");
  }

  @Test
  void framesOfATailCallAreLeftTogether() throws IOException {
    Chain chain = Chain.assemble();
    List<Record> records = records(chain, chain.first, chain.second);
    int entry = SessionLayout.ENTRY;
    int unwind = SessionLayout.UNWIND;
    int exit = SessionLayout.EXIT;
    assertEquals(
        List.of(entry, entry, unwind, unwind, exit, exit),
        records.stream().map(Record::kind).toList());
    assertEquals(records.get(1).function(), records.get(2).function(), "the inner one first");
    assertEquals(records.get(0).function(), records.get(3).function());
    assertEquals(List.of(1, 0), records.subList(2, 4).stream().map(Record::slot).toList());
  }
}

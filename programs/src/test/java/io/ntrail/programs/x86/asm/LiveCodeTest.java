package io.ntrail.programs.x86.asm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.asm.operands.Label;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The routines of function tracing as whole programs: they are as long as the prototype measured,
 * their jumps reach, and nasm makes the same bytes of the same text.
 *
 * <p>All bytes are equal: no instruction here is one that nasm encodes another way. The text that
 * our decoder reads in them is given to nasm as well, and becomes the same bytes again.
 */
class LiveCodeTest {
  private static final long BASE = 0x40_0000;

  @TempDir Path folder;

  @Test
  void slotOf64BitCodeNeedsNoAddressAndHasItsParts() throws Exception {
    Assembler a = Assembler.x64();
    SlotCode64 slot = SlotCode64.write(a);
    a.fill(slot.begin, SlotCode64.STRIDE, Padding.INT3);
    AssembledCode code = a.assemble();

    byte[] bytes = code.bytes();
    assertEquals(SlotCode64.STRIDE, bytes.length);
    // The design says about 410 bytes.
    assertEquals(411, code.offset(slot.end), 15);
    assertEquals(6, code.offset(slot.exit) - code.offset(slot.call), "call through the data cell");
    assertEquals(0xFF, bytes[code.offset(slot.exit)] & 0xFF);
    assertEquals(0x35, bytes[code.offset(slot.exit) + 1], "push through the data cell");
    compare(
        true, Arrays.copyOf(bytes, code.offset(slot.end)), LiveSources.SLOT_64, cells64(0, code));
  }

  @Test
  void overflowSlotStaysWithinASlot() throws Exception {
    Assembler a = Assembler.x64();
    SlotCode64 slot = SlotCode64.overflow(a, 300);
    AssembledCode code = a.assemble();
    assertTrue(code.length() < SlotCode64.STRIDE);
    Map<String, Long> names = cells64(0, code);
    names.put("LOWER_EXIT", (long) code.offset(slot.begin) + 300 - SlotCode64.STRIDE);
    compare(true, code.bytes(), LiveSources.OVERFLOW_64, names);
  }

  @Test
  void stubOf64BitCodeHasRoomIn64Bytes() throws Exception {
    Assembler a = Assembler.x64();
    Label init = a.label("init");
    SlotCode64.stub(a, BASE + 0x5004, init);
    AssembledCode code = a.bind(init).dq(0).assemble();
    int length = code.offset(init);
    assertTrue(length <= 64, length + " bytes");
    Map<String, Long> names = names64();
    names.put("INIT", (long) length);
    names.put("FUNCTION", BASE + 0x5004);
    byte[] bytes = code.bytesAt(BASE);
    compare(true, Arrays.copyOf(bytes, length), LiveSources.STUB_64, names);
    // Undo, which runs the function untraced, lies two bytes before its first instruction.
    assertEquals("5958", HexFormat.of().formatHex(bytes, length - 11, length - 9));
  }

  /** A routine with the cells after it. */
  private interface Routine {
    void write(Assembler a, Routines64.Cells cells, Label before);
  }

  private void compareRoutine(Routine routine, String source) throws Exception {
    Assembler a = Assembler.x64();
    Label slot = a.label("slot 0");
    Routines64.Cells cells = new Routines64.Cells(a);
    routine.write(a, cells, slot);
    Label end = a.here("end");
    cells.bind(a);
    a.bind(slot);
    AssembledCode code = a.assemble();
    Map<String, Long> names = names64();
    names.put("SLOT0", (long) code.offset(slot));
    names.put("STACK_BASE", (long) code.offset(slot) - 0x1000 - SlotCode64.STRIDE);
    names.put("CONTROL", (long) code.offset(cells.control));
    names.put("INIT", (long) code.offset(cells.init));
    names.put("P_FULL", (long) code.offset(cells.full));
    names.put("FIRST_CHUNK", (long) code.offset(cells.firstChunk));
    names.put("SPILL", (long) code.offset(cells.spill));
    names.put("EXIT", 300L);
    compare(true, Arrays.copyOf(code.bytes(), code.offset(end)), source, names);
  }

  @Test
  void routinesBesideTheSlotsAreWhatTheirTextSays() throws Exception {
    compareRoutine((a, cells, slot) -> Routines64.slow(a, cells, slot, 300), LiveSources.SLOW_64);
    compareRoutine((a, cells, _) -> Routines64.init(a, cells), LiveSources.INIT_64);
    compareRoutine((a, cells, _) -> Routines64.full(a, cells), LiveSources.FULL_64);
    compareRoutine((a, cells, _) -> Routines64.handler(a, cells, 300), LiveSources.HANDLER_64);
  }

  private static Map<String, Long> names64() {
    Map<String, Long> names = new TreeMap<>();
    names.put("STRIDE", (long) SlotCode64.STRIDE);
    names.put("DELTA", (long) SlotCode64.DELTA);
    names.put("T_SLOT", (long) SlotCode64.SLOT_TLS);
    names.put("T_CUR", (long) SlotCode64.RECORD_TLS);
    return names;
  }

  private static Map<String, Long> cells64(long slot, AssembledCode code) {
    assertTrue(code.relocations().isEmpty());
    Map<String, Long> names = names64();
    long data = slot + SlotCode64.DELTA;
    names.put("NEG_BASE", slot - 0x1000 - SlotCode64.STRIDE + 8);
    names.put("LOWER_KEY", data - SlotCode64.STRIDE + SlotCode64.KEY);
    names.put("LOWER_TRUE_RIP", data - SlotCode64.STRIDE + SlotCode64.TRUE_RIP);
    names.put("RET", data + SlotCode64.RET);
    names.put("TRUE_RIP", data + SlotCode64.TRUE_RIP);
    names.put("KEY", data + SlotCode64.KEY);
    names.put("BODY", data + SlotCode64.BODY);
    names.put("SAVE_RDX", data + SlotCode64.SAVE_RDX);
    names.put("SAVE_RAX", data + SlotCode64.SAVE_RAX);
    names.put("META", data + SlotCode64.META);
    names.put("P_SLOW", data + SlotCode64.SLOW);
    names.put("P_FULL", data + SlotCode64.FULL);
    return names;
  }

  @Test
  void slotOf32BitCodeIsAsLongAsThePrototypeMeasured() throws Exception {
    // The prototype had 355 bytes and its exit at 239, with one jump of the entry near.
    slot32(true, 355, 239);
    byte[] bytes = slot32(false, 352, 236);
    Map<String, Long> names = names32();
    names.put("NEG_BASE", (long) SlotCode32.AREA);
    names.put("LOWER_KEY", SlotCode32.CELLS + 8L - SlotCode32.STRIDE);
    names.put("LOWER_TRUE", SlotCode32.CELLS + 4L - SlotCode32.STRIDE);
    names.put("RET", (long) SlotCode32.CELLS);
    names.put("TRUE_EIP", SlotCode32.CELLS + 4L);
    names.put("KEY", SlotCode32.CELLS + 8L);
    names.put("BODY", SlotCode32.CELLS + 12L);
    names.put("SAVE_EDX", SlotCode32.CELLS + 16L);
    names.put("SAVE_EAX", SlotCode32.CELLS + 20L);
    compare(SlotCode32.SLOT, false, bytes, LiveSources.SLOT_32, names);
  }

  private static byte[] slot32(boolean nearJump, int length, int exitAt) {
    Assembler a = Assembler.ia32();
    Label begin = a.here("C");
    Label exit = a.label("E");
    SlotCode32.enter32(a, exit, nearJump);
    SlotCode32.exit32(a, begin);
    AssembledCode code = a.assemble();

    assertEquals(length, code.length());
    assertEquals(exitAt, code.offset(exit));
    // Only what names the slot's own code and what lies outside of the area depends on the place.
    assertEquals(5, code.relocations().size());
    return code.bytesAt(SlotCode32.SLOT);
  }

  @Test
  void stubAndUnwindProbeOf32BitCodeAreWhatTheirTextSays() throws Exception {
    Assembler stub = Assembler.ia32();
    SlotCode32.stub(stub, BASE + 0x7002);
    Map<String, Long> names = names32();
    names.put("FUNCTION", BASE + 0x7002);
    names.put("INIT", (long) SlotCode32.INIT);
    byte[] bytes = stub.assemble().bytesAt(BASE);
    assertTrue(bytes.length <= 64, bytes.length + " bytes");
    compare(false, bytes, LiveSources.STUB_32, names);

    Assembler probe = Assembler.ia32();
    SlotCode32.unwindProbe(probe, BASE + 0x9000, BASE + 0x900A);
    names.put("UNWINDER", BASE + 0x9000);
    names.put("BEHIND", BASE + 0x900A);
    compare(false, probe.assemble().bytesAt(BASE), LiveSources.PROBE_32, names);
  }

  private static Map<String, Long> names32() {
    Map<String, Long> names = new TreeMap<>();
    names.put("STRIDE", (long) SlotCode32.STRIDE);
    names.put("T_SLOT", 0xE18L);
    names.put("T_CUR", 0xE1CL);
    names.put("SLOW", (long) SlotCode32.SLOW);
    names.put("FULL", (long) SlotCode32.FULL);
    return names;
  }

  private void compare(boolean wide, byte[] bytes, String source, Map<String, Long> names)
      throws Exception {
    compare(BASE, wide, bytes, source, names);
  }

  /**
   * Compares each instruction with what nasm makes of its line.
   *
   * @param names values of names in the text; in 64-bit code cells as offsets from the code
   */
  private void compare(
      long base, boolean wide, byte[] bytes, String source, Map<String, Long> names)
      throws Exception {
    List<String> texts = readBack(wide, bytes, base);
    assumeTrue(Nasm.TOOL.available(), Nasm.TOOL.missing());
    compareEach(base, bytes, lines(base, wide, NasmText.named(source, wide, names)));
    // And once more of the text that our decoder reads.
    List<String> read = texts.stream().map(text -> NasmText.ofDecoded(text, wide, base)).toList();
    compareEach(base, bytes, lines(base, wide, read));
  }

  private record Line(String text, Nasm.Line nasm) {}

  private List<Line> lines(long base, boolean wide, List<String> texts) throws Exception {
    List<Nasm.Line> theirs = Nasm.assemble(folder, wide, base, texts);
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      lines.add(new Line(texts.get(i), theirs.get(i)));
    }
    return lines;
  }

  private static void compareEach(long base, byte[] bytes, List<Line> lines) {
    List<String> differences = new ArrayList<>();
    int end = 0;
    for (Line line : lines) {
      byte[] theirs = line.nasm().bytes();
      int at = (int) (line.nasm().address() - base);
      end = at + theirs.length;
      byte[] ours = end > bytes.length ? new byte[0] : Arrays.copyOfRange(bytes, at, end);
      if (!line.nasm().error().isEmpty() || !Arrays.equals(ours, theirs)) {
        differences.add(
            "%s: ours %s, nasm's %s %s"
                .formatted(
                    line.text(),
                    HexFormat.of().formatHex(ours),
                    HexFormat.of().formatHex(theirs),
                    line.nasm().error()));
      }
    }
    assertEquals(List.of(), differences);
    assertEquals(bytes.length, end);
  }

  /** The text of every instruction; all bytes have to be instructions. */
  private static List<String> readBack(boolean wide, byte[] bytes, long base) {
    InstructionDecoder decoder = InstructionDecoder.of(wide ? CodeSize.BITS64 : CodeSize.BITS32);
    OperandReader reader = OperandReader.of(decoder);
    Instruction instruction = new Instruction();
    Operands operands = new Operands();
    Bytes code = Bytes.copyOf(bytes, "routine");
    List<String> texts = new ArrayList<>();
    int at = 0;
    while (at < bytes.length) {
      int length = decoder.decode(code, at, bytes.length, instruction);
      assertTrue(length > 0, () -> "at " + instruction);
      reader.read(instruction, operands);
      texts.add(IntelSyntax.text(instruction, operands, base + at));
      at += length;
    }
    return texts;
  }
}

package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.code.Objdump;
import io.ntrail.testkit.code.RandomCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 16-bit code beside objdump, which prints bytes with more leniency: it shows what no processor
 * would run, since it is made to look at whatever a file has.
 */
class ObjdumpTest {
  private static final int STRINGS = Slice.count(100_000, 40_000);
  private static final long SEED = 1;
  private static final Pattern BAD = Pattern.compile("\\(bad\\)|bad\\}");

  /** Mnemonics that objdump 2.40 does not know or refuses. */
  private static final Set<String> ONLY_OURS =
      Set.of(
          // SALC, and aliases of x87 instructions, both undocumented; also after an FWAIT.
          "d6",
          "9b",
          "dc",
          "dd",
          "de",
          "df",
          // Bound registers that there are not, 16-bit addresses of MPX: NOPs since MPX is gone.
          "0f1a",
          "0f1b",
          // PREFETCHW of a register: a reserved NOP.
          "0f0d",
          // LFENCE, MFENCE, SFENCE with other low bits.
          "0fae",
          // F2 before WBINVD and BSR.
          "0f09",
          "0fbd",
          // Rounding that can be said and means nothing.
          "62",
          // AVX-VNNI-INT16, SM3, SM4 and other VEX forms that came later.
          "c4");

  /** Legacy opcodes where it prints registers that there are not, or ignores a prefix. */
  private static final Set<String> ONLY_ITS =
      Set.of(
          // Control and test registers, segment registers.
          "0f20",
          "0f22",
          "0f24",
          "0f26",
          "8c",
          "8e",
          // GETSEC, PadLock and groups 9 and 15 with prefixes they do not have.
          "0f37",
          "0fa7",
          "0fae",
          "0fc7");

  @TempDir Path folder;

  @Test
  void instructionsOf16BitCodeHaveTheSameLengths() throws IOException {
    assumeTrue(Objdump.available(), Objdump.MISSING);
    byte[][] strings = RandomCode.strings(SEED, STRINGS);
    Objdump.Line[] lines = Objdump.first(folder, "i8086", strings);
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS16);
    Instruction instruction = new Instruction();
    List<String> differences = new ArrayList<>();
    int both = 0;
    for (int i = 0; i < strings.length; i++) {
      byte[] code = strings[i];
      int length = decoder.decode(Bytes.copyOf(code, "string"), 0, code.length, instruction);
      boolean bad = BAD.matcher(lines[i].text()).find();
      if (length > 0 && !bad) {
        both++;
      }
      if (length != (bad ? 0 : lines[i].length()) && !isStated(code, lines[i], instruction)) {
        differences.add(HexFormat.of().formatHex(code) + " " + lines[i] + ", ours: " + instruction);
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(both > STRINGS / 3, both + " instructions");
  }

  private static boolean isStated(byte[] code, Objdump.Line line, Instruction ours) {
    String opcode = opcode(code);
    if (ours.isValid() && BAD.matcher(line.text()).find()) {
      return ONLY_OURS.contains(opcode);
    }
    if (ours.isValid()) {
      // It prints FWAIT and an x87 instruction as one.
      return opcode.equals("9b") && ours.length() < line.length();
    }
    DecodeError refusal = ours.refusal().orElseThrow();
    // It checks neither LOCK, nor prefixes before VEX, nor most fields of EVEX.
    return refusal == DecodeError.LOCK
        || refusal == DecodeError.PREFIX_BEFORE_VECTOR
        || Set.of("62", "c4", "c5", "8f").contains(opcode)
        || ONLY_ITS.contains(opcode);
  }

  private static String opcode(byte[] code) {
    int at = 0;
    while (Set.of(0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3)
        .contains(code[at] & 0xFF)) {
      at++;
    }
    return code[at] == 0x0F
        ? String.format("0f%02x", code[at + 1] & 0xFF)
        : String.format("%02x", code[at] & 0xFF);
  }
}

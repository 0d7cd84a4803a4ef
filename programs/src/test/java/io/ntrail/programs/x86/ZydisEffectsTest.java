package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.code.CodeChunks;
import io.ntrail.testkit.code.PeCode;
import io.ntrail.testkit.code.Zydis;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registers, memory and flags read and written, as Zydis 4.0.0 sees them in real code. */
class ZydisEffectsTest {
  private static final Path WINE = Path.of("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows");

  /**
   * Differences where we report more, or follow the manuals:
   *
   * <ul>
   *   <li>NOPs read nothing; exceptions and the stack of interrupts are not said.
   *   <li>A register that becomes zero through itself is not read.
   *   <li>CMOV, BSF, BSR, CVTSS2SD, MOVSS, MOVHPS and the like keep a part of the destination.
   *   <li>Shifts by 1 decide OF; SBB decides AF; AND, OR, TEST leave AF open.
   *   <li>What repeats may do nothing; strings move their pointers; CMPXCHG8B and 16B may not read
   *       their sources; LEAVE takes RSP from RBP.
   *   <li>The flags and the stack of x87; VZEROUPPER; which flags instructions clear or set.
   * </ul>
   */
  private static final Pattern STATED =
      Pattern.compile(
          "nop|reservednop|int.?|iret.|sti|cli|std|cld|(xor|sub|sbb|pxor|xorp[sd]|v?psub.*|v?pxor|v?xorp[sd])"
              + "|cmov.*|bsf|bsr|cvts[sd]2s[sd]|movs[sd]|mov[lh]p[sd]|movlhps|movhlps|(sqrt|round|rsqrt|rcp)s[sd]"
              + "|sal|sh[lr]d?|sar|rol|ror|rcl|rcr|(ins|outs|movs|cmps|stos|lods|scas)[bwdq]|cmpxchg(8|16)b"
              + "|leave|enter|f.*|vzero.*|v?ptest|vtestp.|bextr|bls.*|xlatb|call|retf|pushf.?|popf.?|pop|syscall");

  @TempDir Path folder;

  private final Map<String, Integer> stated = new TreeMap<>();
  private final Map<String, String> differences = new TreeMap<>();
  private long instructions;

  @Test
  void realCodeHasTheSameEffects() throws IOException {
    var zydis = Zydis.in(folder);
    assumeTrue(zydis.isPresent(), Zydis.MISSING);
    boolean wine = Files.isDirectory(WINE);
    assertTrue(wine || !TestData.required("wine"), "NTRAIL_REQUIRE demands wine");
    assumeTrue(wine, "Wine's libraries not found: needs libwine");
    for (String name :
        new String[] {"ntdll", "kernelbase", "d3dx9_36", "msvcrt", "windowscodecs"}) {
      byte[] image = Files.readAllBytes(WINE.resolve(name + ".dll"));
      compare(zydis.orElseThrow(), PeCode.bits(image), PeCode.of(image));
    }
    assertEquals(Map.of(), differences);
    assertTrue(instructions > 300_000, instructions + " instructions");
    int all = stated.values().stream().mapToInt(n -> n).sum();
    assertTrue(all < instructions / 10, stated.toString());
  }

  private void compare(Zydis zydis, int bits, CodeChunks chunks) throws IOException {
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits));
    OperandReader reader = OperandReader.of(decoder);
    Instruction instruction = new Instruction();
    Operands operands = new Operands();
    Bytes bytes = Bytes.copyOf(chunks.bytes(), "code");
    try (BufferedReader lines = zydis.lines(bits, "sweep", chunks)) {
      for (int i = 0; i < chunks.count(); i++) {
        int at = chunks.offsets()[i];
        int end = at + chunks.lengths()[i];
        while (at < end) {
          String theirs = lines.readLine();
          int length = decoder.decode(bytes, at, end, instruction);
          if (length > 0) {
            reader.read(instruction, operands);
            instructions++;
            String ours = ZydisEffects.ours(Effects.of(instruction, operands));
            String other = ZydisEffects.theirs(theirs.split("\t", -1));
            if (!ours.equals(other)) {
              note(
                  operands.mnemonic(),
                  IntelSyntax.text(instruction, operands, at) + ": " + other + "; ours " + ours);
            }
          }
          at += Math.max(1, length);
        }
      }
    }
  }

  private void note(String mnemonic, String difference) {
    if (STATED.matcher(mnemonic).matches()) {
      stated.merge(mnemonic, 1, Integer::sum);
    } else {
      differences.putIfAbsent(mnemonic, difference);
    }
  }
}

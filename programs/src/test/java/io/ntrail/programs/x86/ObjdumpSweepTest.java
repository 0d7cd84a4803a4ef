package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.code.CodeChunks;
import io.ntrail.testkit.code.Objdump;
import io.ntrail.testkit.code.PeCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares lengths and text with objdump, over real code. {@link ObjdumpText} says how the two are
 * made comparable; where they differ on purpose is said here, and counted.
 */
class ObjdumpSweepTest {
  private static final Path WINE = Path.of("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows");
  private static final int ENOUGH = 20;
  private static final int FWAIT = 0x9B;

  @TempDir Path folder;

  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();
  private final List<String> differences = new ArrayList<>();
  private final Map<String, Integer> stated = new TreeMap<>();
  private long instructions;

  @Test
  void allFunctionsOfAllWineLibrariesReadTheSame() throws IOException {
    assumeTrue(Objdump.available(), Objdump.MISSING);
    boolean wine = Files.isDirectory(WINE);
    assertTrue(wine || !TestData.required("wine"), "NTRAIL_REQUIRE demands wine");
    assumeTrue(wine, "Wine's libraries not found: needs libwine");
    try (Stream<Path> files = Files.list(WINE)) {
      for (Path file : Slice.of(files.sorted().toList(), 14)) {
        image(Files.readAllBytes(file));
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(instructions > Slice.count(10_000_000, 500_000), instructions + " instructions");
    assertTrue(statedInAll() < instructions / 10_000, stated.toString());
  }

  @Test
  void theCodeOfTheSharedImagesReadsTheSame() throws IOException {
    assumeTrue(Objdump.available(), Objdump.MISSING);
    assumeTrue(TestData.available(), TestData.MISSING);
    try (Stream<Path> files = Files.walk(TestData.file("pe"))) {
      for (Path file : Slice.of(files.filter(Files::isRegularFile).sorted().toList(), 5)) {
        image(TestData.unpacked(file));
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(instructions > Slice.count(1_000_000, 150_000), instructions + " instructions");
    // The sections of x86 images have tables and texts among their code.
    assertTrue(statedInAll() < instructions / 100, stated.toString());
  }

  private int statedInAll() {
    return stated.values().stream().mapToInt(n -> n).sum();
  }

  private void image(byte[] image) throws IOException {
    int bits = PeCode.bits(image);
    if (bits == 0) {
      return;
    }
    CodeChunks chunks = PeCode.of(image);
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits));
    OperandReader reader = OperandReader.of(decoder);
    Bytes bytes = Bytes.copyOf(image, "image");
    String machine = bits == 64 ? "i386:x86-64" : "i386";
    Objdump.sweep(
        folder,
        machine,
        chunks,
        (at, end, length, address, text) -> {
          instructions++;
          decoder.decode(bytes, at, end, instruction);
          reader.read(instruction, operands);
          compare(image, at, length, address, text);
        });
  }

  private void compare(byte[] image, int at, int length, int address, String theirs) {
    boolean same = instruction.length() == length;
    String ours = IntelSyntax.text(instruction, operands, address);
    if (same && ObjdumpText.same(ours, theirs)) {
      return;
    }
    String reason = reason(image[at] & 0xFF, length, theirs);
    if (!reason.isEmpty()) {
      stated.merge(reason, 1, Integer::sum);
    } else if (differences.size() < ENOUGH) {
      differences.add(
          HexFormat.of().formatHex(image, at, at + length) + ": " + theirs + "; ours " + ours);
    }
  }

  private boolean isBranch() {
    return operands.count() == 1 && operands.type(0) == OperandType.RELATIVE;
  }

  /** Returns the reason why the two differ; empty if nothing explains it. */
  private String reason(int first, int length, String theirs) {
    if (first == FWAIT && length > 1) {
      return "FWAIT and the instruction behind it in one";
    }
    if (theirs.contains("(bad)")) {
      return instruction.isValid() ? "unknown to objdump" : "no instruction";
    }
    if (isBranch() && instruction.operandSize() == 16) {
      return "a target that 66 cuts";
    }
    if (theirs.contains("[eiz*")) {
      return "an index of none without a base";
    }
    if (!instruction.isValid()) {
      return theirs.contains("lock ")
              || theirs.contains("?")
              || theirs.contains(" cs,")
              || theirs.matches(".*\\bcr(1|[5-7])\\b.*")
          ? "printed though it is none"
          : "";
    }
    if (theirs.matches("rex[.WRXB]*") && length == 1) {
      return "a REX prefix that is cancelled";
    }
    return "";
  }
}

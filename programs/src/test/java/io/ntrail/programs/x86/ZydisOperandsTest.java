package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.code.CodeChunks;
import io.ntrail.testkit.code.PeCode;
import io.ntrail.testkit.code.RandomCode;
import io.ntrail.testkit.code.Zydis;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares lengths, mnemonics, prefixes, operands and text with Zydis 4.0.0, over real code and
 * random bytes. {@link ZydisLine}, {@link ZydisText} say how the two are made comparable, {@link
 * ZydisStated} where they differ.
 */
class ZydisOperandsTest {
  private static final Path WINE = Path.of("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows");
  private static final int ENOUGH = 20;

  @TempDir Path folder;

  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();
  private final ZydisLine line = new ZydisLine();
  private final ZydisText text = new ZydisText();
  private final List<String> differences = new ArrayList<>();
  private final Map<String, Integer> stated = new TreeMap<>();
  private long instructions;
  private long valid;

  @Test
  void allFunctionsOfAllWineLibrariesHaveTheSameOperandsAndText() throws IOException {
    Zydis zydis = zydis();
    boolean wine = Files.isDirectory(WINE);
    assertTrue(wine || !TestData.required("wine"), "NTRAIL_REQUIRE demands wine");
    assumeTrue(wine, "Wine's libraries not found: needs libwine");
    try (Stream<Path> files = Files.list(WINE)) {
      for (Path file : Slice.of(files.sorted().toList(), 14)) {
        image(zydis, Files.readAllBytes(file));
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(statedInAll() < 10, stated.toString());
    assertTrue(instructions > Slice.count(10_000_000, 500_000), instructions + " instructions");
  }

  @Test
  void theCodeOfTheSharedImagesHasTheSameOperandsAndText() throws IOException {
    Zydis zydis = zydis();
    assumeTrue(TestData.available(), TestData.MISSING);
    try (Stream<Path> files = Files.walk(TestData.file("pe"))) {
      for (Path file : Slice.of(files.filter(Files::isRegularFile).sorted().toList(), 5)) {
        image(zydis, TestData.unpacked(file));
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(instructions > Slice.count(1_000_000, 150_000), instructions + " instructions");
    assertTrue(statedInAll() < instructions / 100, stated.toString());
  }

  @ParameterizedTest
  @CsvSource({"64, 400000, 1", "32, 300000, 2", "16, 300000, 3"})
  void randomBytesHaveTheSameOperandsAndText(int bits, int strings, long seed) throws IOException {
    Zydis zydis = zydis();
    compare(zydis, bits, "first", CodeChunks.of(RandomCode.strings(seed, strings)));
    assertEquals(List.of(), differences);
    assertEquals(strings, instructions);
    assertTrue(valid > strings / 5, valid + " instructions");
    assertTrue(statedInAll() < valid / 50, stated.toString());
  }

  private Zydis zydis() throws IOException {
    var zydis = Zydis.in(folder);
    assumeTrue(zydis.isPresent(), Zydis.MISSING);
    return zydis.orElseThrow();
  }

  private int statedInAll() {
    return stated.values().stream().mapToInt(n -> n).sum();
  }

  private void image(Zydis zydis, byte[] image) throws IOException {
    int bits = PeCode.bits(image);
    if (bits != 0) {
      compare(zydis, bits, "sweep", PeCode.of(image));
    }
  }

  private void compare(Zydis zydis, int bits, String what, CodeChunks chunks) throws IOException {
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits));
    OperandReader reader = OperandReader.of(decoder);
    Bytes bytes = Bytes.copyOf(chunks.bytes(), what);
    try (BufferedReader lines = zydis.lines(bits, what, chunks)) {
      for (int i = 0; i < chunks.count(); i++) {
        int at = chunks.offsets()[i];
        int end = at + chunks.lengths()[i];
        while (at < end) {
          String theirs = lines.readLine();
          instructions++;
          int length =
              theirs.length() == 1
                  ? 0
                  : Integer.parseInt(theirs.substring(0, theirs.indexOf('\t')));
          // Whether it is an instruction is compared elsewhere, with the extensions that Zydis does
          // not know.
          if (decoder.decode(bytes, at, end, instruction) == length && length > 0) {
            valid++;
            reader.read(instruction, operands);
            compare(chunks.bytes(), at, theirs);
          } else if (what.equals("sweep") && instruction.length() != length) {
            note(chunks.bytes(), at, Math.max(1, length), theirs, "length " + instruction.length());
          }
          at = what.equals("first") ? end : at + Math.max(1, length);
        }
      }
    }
  }

  private void compare(byte[] bytes, int at, String theirs) {
    String ours = line.of(instruction, operands);
    String[] columns = theirs.split("\t", -1);
    if (!theirs.startsWith(ours)) {
      @Nullable String reason = ZydisStated.reason(ours.split("\t", -1), columns, instruction);
      if (reason == null) {
        note(bytes, at, instruction.length(), theirs, ours);
      } else {
        stated.merge(reason, 1, Integer::sum);
      }
      return;
    }
    String own = IntelSyntax.text(instruction, operands, at);
    if (!text.same(own, operands.mnemonic(), columns[5], columns[1])) {
      note(bytes, at, instruction.length(), text.theirs(), text.ours());
    }
  }

  private void note(byte[] bytes, int at, int length, String theirs, String ours) {
    if (differences.size() < ENOUGH) {
      differences.add(
          HexFormat.of().formatHex(bytes, at, at + length) + ": " + theirs + "; ours " + ours);
    }
  }
}

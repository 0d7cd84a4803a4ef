package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The text of every form, and of instructions of real code, against that of another decoder.
 * Differences of style are listed in {@link Spelling}.
 */
class SharedTextTest {
  private static final long HIGH_ADDRESS = 0x7FFF_FFFF_FFFF_FFF0L;
  private static final long ADDRESS_32 = 0x7FFF_FFF0L;

  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();
  private final List<String> differences = new ArrayList<>();
  private int compared;

  @ParameterizedTest
  @CsvSource({
    "InstructionInfos64, Test64_MemDefault, 64, 9092",
    "InstructionInfos64_Misc, Test64_Misc, 64, 539",
    "InstructionInfos32, Test32_MemDefault, 32, 622"
  })
  void everyFormReadsAsInTheSharedTable(String forms, String texts, int bits, int rows)
      throws IOException {
    List<String> codes = lines("iced-Formatter-" + forms + ".txt");
    List<String> expected = lines("iced-Intel-" + texts + ".txt");
    assertEquals(codes.size(), expected.size());
    for (int i = 0; i < codes.size(); i++) {
      String row = codes.get(i);
      String[] columns = row.split(",", -1);
      // The last column is an option of that decoder; RIP is shown so by an option of its
      // formatter.
      boolean option = columns.length > 2 && !columns[2].trim().equals("AMD");
      if (row.isBlank()
          || row.startsWith("#")
          || option
          || expected.get(i).contains("ip+")
          || expected.get(i).contains("ip-")) {
        continue;
      }
      CpuVendor vendor = columns.length > 2 ? CpuVendor.AMD : CpuVendor.INTEL;
      compare(bits, vendor, columns[0], bits == 64 ? HIGH_ADDRESS : ADDRESS_32, expected.get(i));
    }
    assertEquals(List.of(), differences);
    assertEquals(rows, compared);
  }

  @ParameterizedTest
  @CsvSource({"64, 61478", "32, 16535"})
  void realCodeReadsAsInTheSharedTable(int bits, int rows) throws IOException {
    for (String row : lines("real-code-" + bits + ".tsv")) {
      String[] columns = row.split("\t", -1);
      // MPX, which the table was made without.
      if (!row.startsWith("#") && !columns[0].equals("0f1a00")) {
        compare(bits, CpuVendor.INTEL, columns[0], 0x1000, columns[4]);
      }
    }
    assertEquals(List.of(), differences);
    assertEquals(rows, compared);
  }

  private void compare(int bits, CpuVendor vendor, String hex, long address, String expected) {
    byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits), vendor);
    decoder.decode(Bytes.copyOf(code, hex), 0, code.length, instruction);
    if (!OperandReader.of(decoder).read(instruction, operands)) {
      // Validity is compared elsewhere.
      return;
    }
    compared++;
    String text = IntelSyntax.text(instruction, operands, address);
    if (!Spelling.same(text, expected)) {
      differences.add(hex + ": " + text + ", not " + expected);
    }
  }

  private static List<String> lines(String table) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return new String(TestData.gunzip("pe/x86/" + table + ".gz"), StandardCharsets.UTF_8)
        .lines()
        .toList();
  }
}

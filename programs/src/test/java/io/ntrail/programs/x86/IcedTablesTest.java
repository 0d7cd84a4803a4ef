package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The test tables of another decoder, as far as they speak of length and validity: a row is one
 * instruction, or must be refused. Rows that ask for an option of that decoder are passed over, but
 * for AMD.
 */
class IcedTablesTest {
  private static final Pattern PADLOCK = Pattern.compile("((67|F2|F3) )*0FA[67] .[1-79A-F]");

  @ParameterizedTest
  @CsvSource({
    "iced-Decoder-DecoderTest32, 32, 19515",
    "iced-Decoder-DecoderTestMisc32, 32, 52",
    "iced-Decoder-DecoderTestMisc64, 64, 222",
    "iced-Decoder-MemoryTest32, 32, 1749",
    "iced-InstructionInfo-InstructionInfoTest_64, 64, 10377",
    "iced-InstructionInfo-InstructionInfoTest_32, 32, 795",
    "iced-Formatter-InstructionInfos64_Misc, 64, 539"
  })
  void rowsAreWhatTheySay(String table, int bits, int rows) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    InstructionDecoder intel = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits));
    InstructionDecoder amd = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits), CpuVendor.AMD);
    Instruction instruction = new Instruction();
    List<String> differences = new ArrayList<>();
    int count = 0;
    for (String row : text(table).lines().toList()) {
      if (row.isBlank() || row.startsWith("#") || asksForAnOption(row)) {
        continue;
      }
      count++;
      String[] columns = row.split(",", -1);
      byte[] code = HexFormat.of().parseHex(columns[0].replace(" ", ""));
      InstructionDecoder decoder = row.contains("decopt=AMD") ? amd : intel;
      int length = decoder.decode(Bytes.copyOf(code, row), 0, code.length, instruction);
      String name = columns[1].trim();
      if (length != (name.equals("INVALID") ? 0 : code.length) && !isStated(columns[0], name)) {
        differences.add(row + ": " + length + " " + instruction);
      }
      assertTrue(length > 0 == instruction.refusal().isEmpty());
    }
    assertEquals(List.of(), differences);
    assertEquals(rows, count);
  }

  private static boolean asksForAnOption(String row) {
    return row.contains("decopt=") && !row.matches(".*decopt=AMD( .*)?");
  }

  /** Returns true for a difference on purpose. */
  private static boolean isStated(String bytes, String name) {
    // Two instructions in assemblers' clothing, and data.
    return bytes.startsWith("9B ")
        || name.startsWith("Declare")
        // VIA documents rm 0 alone; Zydis and objdump refuse the others, too.
        || PADLOCK.matcher(bytes).matches()
        // Refused there outside its own address size; Zydis does not.
        || bytes.matches("(67 F3|F3 67) 0FA6 C0");
  }

  private static String text(String table) throws IOException {
    return new String(TestData.gunzip("pe/x86/" + table + ".txt.gz"), StandardCharsets.UTF_8);
  }
}

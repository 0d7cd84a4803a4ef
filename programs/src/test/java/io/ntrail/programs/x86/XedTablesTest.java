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
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The tables of a third decoder: single cases, and APX. */
class XedTablesTest {
  @Test
  void apxIsRefusedByName() throws IOException {
    int count = 0;
    for (String[] row : table("xed-xdis")) {
      Instruction instruction = decode(row[0], row[1]);
      assertEquals(Optional.of(DecodeError.APX), instruction.refusal(), row[1]);
      count++;
    }
    assertEquals(33536, count);
  }

  @Test
  void singleCasesHaveTheirLengthOrAreRefused() throws IOException {
    List<String> differences = new ArrayList<>();
    int refusedApx = 0;
    for (String[] row : table("xed-decode")) {
      // Cases for one model of processor, for real mode, which is none of our kinds of code, and
      // one
      // with half a byte.
      if (row[4].contains("-chip-check")
          || row[4].startsWith("-r ")
          || row[1].equals("66e480fc70")) {
        continue;
      }
      boolean instruction = !row[2].equals("INVALID");
      Instruction seen = decode(row[0], row[1]);
      if (seen.refusal().equals(Optional.of(DecodeError.APX))) {
        refusedApx++;
      } else if (seen.length() != (instruction ? row[1].length() / 2 : 0)) {
        differences.add(String.join(" ", row) + ": " + seen);
      }
    }
    assertEquals(List.of(), differences);
    assertEquals(APX_CASES, refusedApx);
  }

  private static final int APX_CASES = 17;

  private static Instruction decode(String bits, String hex) {
    byte[] code = HexFormat.of().parseHex(hex);
    Instruction instruction = new Instruction();
    InstructionDecoder.of(CodeSize.valueOf("BITS" + bits))
        .decode(Bytes.copyOf(code, hex), 0, code.length, instruction);
    return instruction;
  }

  private static List<String[]> table(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return new String(TestData.gunzip("pe/x86/" + name + ".tsv.gz"), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", -1))
        .toList();
  }
}

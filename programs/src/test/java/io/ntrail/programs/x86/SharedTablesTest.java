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
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Instructions of real code and random bytes, on which two other decoders agree. */
class SharedTablesTest {
  @ParameterizedTest
  @CsvSource({"64, 61478", "32, 16536"})
  void realCodeHasTheSameLengthsAndClasses(int bits, int rows) throws IOException {
    InstructionDecoder decoder = decoder(bits);
    Instruction instruction = new Instruction();
    List<String> differences = new ArrayList<>();
    int count = 0;
    for (String[] row : table("real-code-" + bits)) {
      byte[] code = HexFormat.of().parseHex(row[0]);
      int length = decoder.decode(Bytes.copyOf(code, row[0]), 0, code.length, instruction);
      if (length != Integer.parseInt(row[1])
          || !classes(row[2]).contains(instruction.flowClass())) {
        differences.add(String.join(" ", row) + ": " + instruction);
      }
      count++;
    }
    assertEquals(List.of(), differences);
    assertEquals(rows, count);
  }

  @ParameterizedTest
  @CsvSource({"64, 40000", "32, 25000"})
  void randomBytesHaveTheSameLengthsAndValidity(int bits, int rows) throws IOException {
    InstructionDecoder decoder = decoder(bits);
    Instruction instruction = new Instruction();
    List<String> differences = new ArrayList<>();
    int count = 0;
    for (String[] row : table("random-" + bits)) {
      byte[] code = HexFormat.of().parseHex(row[0]);
      int length = decoder.decode(Bytes.copyOf(code, row[0]), 0, code.length, instruction);
      if (length != Integer.parseInt(row[1])) {
        differences.add(String.join(" ", row) + ": " + instruction);
      }
      assertTrue(length > 0 == instruction.refusal().isEmpty());
      count++;
    }
    assertEquals(List.of(), differences);
    assertEquals(rows, count);
  }

  static InstructionDecoder decoder(int bits) {
    return InstructionDecoder.of(CodeSize.valueOf("BITS" + bits));
  }

  private static List<String[]> table(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return new String(TestData.gunzip("pe/x86/" + name + ".tsv.gz"), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", -1))
        .toList();
  }

  /** Classes of the table, which distinguishes far transfers and system instructions less. */
  private static Set<FlowClass> classes(String name) {
    return switch (name) {
      case "next" ->
          Set.of(FlowClass.NEXT, FlowClass.PTWRITE, FlowClass.MOV_CR3, FlowClass.VMPTRLD);
      case "jcc" -> Set.of(FlowClass.CONDITIONAL_BRANCH);
      case "jmp" -> Set.of(FlowClass.DIRECT_JUMP, FlowClass.FAR_JUMP);
      case "jmp-indirect" -> Set.of(FlowClass.INDIRECT_JUMP, FlowClass.FAR_JUMP);
      case "call" ->
          Set.of(
              FlowClass.DIRECT_CALL,
              FlowClass.FAR_CALL,
              FlowClass.SYSTEM_CALL,
              FlowClass.VM_ENTRY,
              FlowClass.VM_EXIT);
      case "call-indirect" -> Set.of(FlowClass.INDIRECT_CALL, FlowClass.FAR_CALL);
      case "ret" ->
          Set.of(
              FlowClass.RETURN,
              FlowClass.FAR_RETURN,
              FlowClass.INTERRUPT_RETURN,
              FlowClass.SYSTEM_RETURN);
      case "int" -> Set.of(FlowClass.INTERRUPT);
      case "exception" -> Set.of(FlowClass.EXCEPTION);
      case "xbegin" ->
          Set.of(
              FlowClass.TRANSACTION_BEGIN, FlowClass.TRANSACTION_ABORT, FlowClass.TRANSACTION_END);
      default -> throw new IllegalArgumentException(name);
    };
  }
}

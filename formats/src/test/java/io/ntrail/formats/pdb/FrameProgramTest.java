package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class FrameProgramTest {
  /** A stack at 1000h whose words are ten times their place. */
  private static OptionalInt memory(int address) {
    return address >= 0x1000 && address < 0x2000
        ? OptionalInt.of(10 * (address - 0x1000) / 4)
        : OptionalInt.empty();
  }

  private static FrameProgram.Outcome run(String program) {
    Map<String, Integer> values = new HashMap<>();
    values.put("$esp", 0x1000);
    values.put("$ebp", 0x1010);
    values.put("$ebx", 7);
    values.put(".raSearch", 0x1020);
    values.put(".raSearchStart", 0x1024);
    values.put(".cbSavedRegs", 8);
    return FrameProgram.of(program).run(values, FrameProgramTest::memory);
  }

  private static int value(String program, String variable) {
    FrameProgram.Outcome outcome = run(program);
    assertEquals("", outcome.problem());
    return outcome.value(variable).orElseThrow();
  }

  @Test
  void aFrameWithAPointerIsLeftByIt() {
    String program = "$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =";
    assertEquals(50, value(program, "$eip"));
    assertEquals(40, value(program, "$ebp"));
    assertEquals(0x1018, value(program, "$esp"));
    assertEquals(7, value(program, "$ebx"));
  }

  @Test
  void aFrameWithoutAPointerIsLeftByWhereTheReturnAddressWasFound() {
    String program = "$T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + =";
    assertEquals(80, value(program, "$eip"));
    assertEquals(0x1024, value(program, "$esp"));
  }

  @Test
  void registersMayBeNumbers() {
    String program = "$T0 .raSearch =  $20 $T0 4 - ^ =  $22 $T0 8 - ^ =  $23 $T0 12 - ^ =";
    assertEquals(70, value(program, "$ebx"));
    assertEquals(60, value(program, "$ebp"));
    assertEquals(50, value(program, "$esi"));
  }

  @Test
  void atRoundsDownToAMultiple() {
    assertEquals(0x1018, value("$T1 .raSearch = $T0 $T1 4 - 8 @ =", "$T0"));
  }

  @Test
  void arithmeticHasNoSigns() {
    assertEquals(3, value("$T0 7 2 / =", "$T0"));
    assertEquals(1, value("$T0 7 2 % =", "$T0"));
    assertEquals(14, value("$T0 7 2 * =", "$T0"));
    assertEquals(-5, value("$T0 -5 =", "$T0"));
    assertEquals(0x7FFF_FFFD, value("$T0 -5 2 / =", "$T0"));
  }

  @Test
  void anAssignmentGluedToTheNextWordIsOne() {
    assertEquals(8, value("$T0 .cbSavedRegs =$T1 $T0 =", "$T1"));
  }

  @Test
  void whatKeepsAProgramFromItsEndIsSaid() {
    Map<String, String> problems = new LinkedHashMap<>();
    problems.put("$T0 $T9 =", "the value of $T9 is not known");
    problems.put("$T0 $eax ^ =", "the value of $eax is not known");
    problems.put("$T0 $eax 4 + =", "the value of $eax is not known");
    problems.put("$T0 16 ^ =", "memory at 0x10 is not there");
    problems.put("$T0 4 0 / =", "/ 0");
    problems.put("$T0 4 0 % =", "% 0");
    problems.put("$T0 4 0 @ =", "@ 0");
    problems.put("4 5 =", "a number is assigned to");
    problems.put("=", "nothing is left for =");
    problems.put("^", "nothing is left for ^");
    problems.put("4 +", "nothing is left for +");
    problems.put("4", "values are left over at its end");
    problems.put("$T0 what =", "an unknown word");
    problems.put("$T0 4294967296 =", "a number of more than 32 bits");
    problems.put("$T0 99999999999999999999 =", "an unknown word");
    problems.put("4 ".repeat(5000), "more than 1000 words");
    problems.forEach((program, problem) -> assertEquals(problem, run(program).problem(), program));
  }

  @Test
  void whatWasAssignedBeforeAProblemIsKept() {
    assertEquals(8, run("$T0 .cbSavedRegs = $T1 4 0 / =").value("$T0").orElseThrow());
  }

  @Test
  @EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
  void everyProgramOfTheSamplesFindsACaller() {
    int programs = 0;
    int numbered = 0;
    TreeSet<String> failed = new TreeSet<>();
    for (Map<String, String> row : Pdbs.readable()) {
      for (FrameData.Frame frame : Pdbs.open(Pdbs.cell(row, "file")).frameData().frames()) {
        programs++;
        numbered += frame.program().matches(".*\\$2[0-4].*") ? 1 : 0;
        Map<String, Integer> values = new HashMap<>();
        for (String register : List.of("$eax", "$ebx", "$ecx", "$edx", "$esi", "$edi")) {
          values.put(register, 1);
        }
        values.put("$esp", 0x100_0000);
        values.put("$ebp", 0x100_0040);
        for (String found : List.of(".raSearch", ".raSearchStart")) {
          values.put(found, 0x100_0020);
        }
        values.put(".cbLocals", (int) frame.locals());
        values.put(".cbParams", (int) frame.parameters());
        values.put(".cbSavedRegs", frame.savedRegisters());
        values.put(".cbCalleeParams", 0);
        FrameProgram.Outcome after =
            FrameProgram.of(frame.program()).run(values, address -> OptionalInt.of(address ^ 3));
        if (!after.isComplete()
            || after.value("$eip").isEmpty()
            || after.value("$esp").equals(OptionalInt.of(0x100_0000))) {
          failed.add(frame.program());
        }
      }
    }
    assertEquals("[]", failed.toString());
    assertTrue(programs > 9_000 && numbered > programs / 5, programs + " with " + numbered);
  }
}

package io.ntrail.analysis.probe.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Place;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patterns of one field of a probe description, as section 2.1 of DTrace's language has them. */
class ProbePatternTest {
  private static boolean matches(String pattern, String name, boolean ignoresCase) {
    return FieldPattern.of(pattern, ignoresCase, Place.NOWHERE).matches(List.of(name));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "Read Read true",
        "Read read false",
        "Re* Read true",
        "*a? Read true",
        "*a?? Read false",
        "[RW]* Write true",
        "[!RW]* Write false",
        "[!RW]* Create true",
        "[a-c]* break true",
        "[a-c]* dot false",
        "a\\*b a*b true",
        "a\\*b aXb false",
        "a.b aXb false",
        "(x) (x) true",
        "~^Re.d$ Read true",
        "~ea Read true",
        "~^ea Read false"
      })
  void aFieldMatches(String pattern, String name, boolean isMatch) {
    assertEquals(isMatch, matches(pattern, name, false));
  }

  @Test
  void anEmptyFieldMatchesEverything() {
    assertTrue(matches("", "anything", false));
    assertTrue(matches("*", "", false));
  }

  @Test
  void caseIsIgnoredWhereThatIsWanted() {
    assertTrue(matches("kernel32", "KERNEL32", true));
    assertFalse(matches("kernel32", "KERNEL32", false));
    assertTrue(matches("K*", "kernel32", true));
  }

  @Test
  void manyStarsTakeLittleTime() {
    assertFalse(matches("*".repeat(5000) + "b", "a".repeat(5000), false));
  }

  @Test
  void aRegularExpressionThatIsNoneIsAnError() {
    CompileError error = assertThrows(CompileError.class, () -> matches("~(", "anything", false));
    assertEquals("D_PDESC_INVAL", error.tag());
  }
}

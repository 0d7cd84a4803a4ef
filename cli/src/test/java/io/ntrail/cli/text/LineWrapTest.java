package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines that are broken at words. */
class LineWrapTest {
  @Test
  void whatFitsIsOneLine() {
    assertEquals(List.of("a line of words"), LineWrap.of("a line of words", 15));
    assertEquals(List.of("a line of words"), LineWrap.of("a line of words", 0));
  }

  @Test
  void aLineGoesOnFurtherIn() {
    assertEquals(List.of("a line of", "    words"), LineWrap.of("a line of words", 12));
  }

  @Test
  void whatHasANameGoesOnBelowItsText() {
    assertEquals(
        List.of("  time   one two", "         three"), LineWrap.of("  time   one two three", 17));
  }

  @Test
  void whereTheNameTakesMostOfTheWidthTheTextGoesBelowIt() {
    assertEquals(
        List.of("  ntrail info --list  the", "      processes"),
        LineWrap.of("  ntrail info --list  the processes", 28));
  }

  @Test
  void wordsStayWhole() {
    assertEquals(
        List.of("see", "    aVeryLongNameThatDoesNotFit", "    here"),
        LineWrap.of("see aVeryLongNameThatDoesNotFit here", 12));
  }

  @Test
  void commandsThatAreProposedStayWhole() {
    String line = "try: ntrail profile shop.etl --tree";
    assertEquals(List.of(line), LineWrap.of(line, 10));
  }
}

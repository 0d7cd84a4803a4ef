package io.ntrail.analysis.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WrittenTimeTest {
  @ParameterizedTest
  @CsvSource({
    "1.5, 1500000000",
    "10ms, 10000000",
    "7us, 7000",
    "-3ns, -3",
    "2 s, 2000000000",
    "1e-3s, 1000000",
    "0.9ns, 0",
    "9223372036854775807ns, 9223372036854775807"
  })
  void aNumberWithOrWithoutAUnitIsNanoseconds(String text, long nanos) {
    assertEquals(nanos, WrittenTime.parse(text).nanos());
  }

  @Test
  void exponentsBeyondReasonAreAnsweredAtOnce() {
    assertEquals(0, WrittenTime.parse("9e-99999999s").nanos());
    assertThrows(ArithmeticException.class, WrittenTime.parse("9e99999999s")::nanos);
    assertThrows(ArithmeticException.class, WrittenTime.parse("9223372036854775808ns")::nanos);
  }

  @Test
  void aUnitIsTold() {
    assertTrue(WrittenTime.parse("5ms").hasUnit());
    assertFalse(WrittenTime.parse("5").hasUnit());
  }

  @ParameterizedTest
  @CsvSource({"s", "ms", "5min", "x5s", "''"})
  void anythingElseIsNotATime(String text) {
    assertThrows(NumberFormatException.class, () -> WrittenTime.parse(text));
  }
}

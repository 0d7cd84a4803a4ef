package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.probe.engine.Rate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateTest {
  @ParameterizedTest
  @CsvSource({
    "100, 10000000",
    "100hz, 10000000",
    "97hz, 10309278",
    "1sec, 1000000000",
    "1s, 1000000000",
    "10ms, 10000000",
    "5msec, 5000000",
    "7us, 7000",
    "7usec, 7000",
    "9ns, 9",
    "9nsec, 9",
    "2m, 120000000000",
    "2min, 120000000000",
    "1h, 3600000000000",
    "1hour, 3600000000000",
    "1d, 86400000000000",
    "1day, 86400000000000",
    "10MS, 10000000"
  })
  void aRateIsATimeBetweenFirings(String text, long nanos) {
    assertEquals(nanos, Rate.nanos(text).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "0ms", "x", "10x", "-1", "1.5s", "999999999999day"})
  void anythingElseIsNoRate(String text) {
    assertTrue(Rate.nanos(text).isEmpty());
  }
}

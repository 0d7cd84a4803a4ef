package io.ntrail.analysis.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.model.HeldTimes.Held;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldTimesTest {
  @Test
  void stretchesGetWhatWasHeldWithinThem() {
    HeldTimes times = HeldTimes.of(List.of(new Held(50, 60), new Held(10, 20)));
    assertEquals(20, times.all());
    assertEquals(20, times.within(0, 100));
    assertEquals(5, times.within(15, 50));
    assertEquals(3, times.within(52, 55));
    assertEquals(0, times.within(20, 50));
    assertEquals(0, times.within(60, 70));
    assertEquals(10, times.within(10, 20));
  }

  @Test
  void overlappingTimesCountOnce() {
    HeldTimes times = HeldTimes.of(List.of(new Held(10, 30), new Held(15, 20), new Held(25, 40)));
    assertEquals(30, times.all());
    assertEquals(30, times.within(0, 50));
    assertEquals(10, times.within(20, 30));
  }

  @Test
  void timesThatEndBeforeTheyBeginDoNotCount() {
    assertEquals(0, HeldTimes.of(List.of(new Held(30, 10))).all());
    assertEquals(0, HeldTimes.NONE.within(0, 10));
    assertEquals(0, HeldTimes.of(List.of(new Held(0, 10))).within(5, 5));
  }
}

package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Everything that PerfView, run on Windows, printed about recordings against what we say about
 * them: every event with its time, CPU, process, thread and every field, and how many there are of
 * each kind. Fields that PerfView computes are computed here from our values; what differs for a
 * reason is listed in {@link PerfViewDifferences}.
 */
@EnabledIf(
    value = "io.ntrail.analysis.etw.events.PerfViewBaselinesTest#present",
    disabledReason = TestData.MISSING)
class PerfViewBaselinesTest {
  private static final List<String> RECORDINGS =
      List.of(
          "perfview-net45-x86-win7",
          "perfview-net452-x64",
          "perfview-gcevents",
          "perfview-primitive-types");

  private static final Map<String, PerfViewComparison> COMPARED = new HashMap<>();

  static boolean present() {
    return TestData.available();
  }

  private static PerfViewComparison compared(String recording) throws IOException {
    PerfViewComparison known = COMPARED.get(recording);
    if (known == null) {
      known = PerfViewComparison.of(recording);
      COMPARED.put(recording, known);
    }
    return known;
  }

  @ParameterizedTest
  @CsvSource({
    "perfview-net45-x86-win7, 495, 3169, 344, 26",
    "perfview-net452-x64, 480, 2680, 321, 35",
    "perfview-gcevents, 52, 296, 20, 0",
    "perfview-primitive-types, 6, 81, 5, 5"
  })
  void everyLineIsWhatWeSayOfAnEvent(
      String recording, int lines, int fields, int computed, int listed) throws IOException {
    PerfViewComparison compared = compared(recording);

    assertAll(
        () -> assertEquals(List.of(), compared.missed()),
        () -> assertEquals(lines, compared.baseline().events().size()),
        () -> assertEquals(lines, compared.lines),
        () -> assertEquals(fields, compared.fields),
        () -> assertEquals(computed, compared.computed),
        () ->
            assertEquals(
                listed, compared.listed.values().stream().mapToInt(Integer::intValue).sum()));
  }

  @ParameterizedTest
  @CsvSource({
    "perfview-net45-x86-win7",
    "perfview-net452-x64",
    "perfview-gcevents",
    "perfview-primitive-types"
  })
  void everyKindIsCountedAsOften(String recording) throws IOException {
    PerfViewComparison compared = compared(recording);

    assertEquals(new TreeMap<>(compared.baseline().counts()), compared.counts);
  }

  @Test
  void everyListedDifferenceIsThere() throws IOException {
    Set<String> met = new TreeSet<>();
    for (String recording : RECORDINGS) {
      met.addAll(compared(recording).listed.keySet());
    }

    assertEquals(new TreeSet<>(PerfViewDifferences.all().keySet()), met);
  }
}

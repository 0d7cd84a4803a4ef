package io.ntrail.testkit.baseline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The lines of baselines, and what of a printed value counts as equal. */
class BaselineTest {
  private static BaselineEvent only(String line) {
    List<BaselineEvent> events = Baseline.parse(line + "\n").events();
    assertEquals(1, events.size());
    return events.getFirst();
  }

  @Test
  void lineOfAnEventIsTakenApart() {
    BaselineEvent event =
        only(
            "EVENT 3,228.778: Some Provider/GC/Start PID=-1; TID=12; PName=Process(179356);"
                + " ProceNum=3; DataLen=18; Count=1,234; Reason=; ");

    assertEquals("Some Provider/GC/Start", event.name());
    assertEquals("Some Provider", event.provider());
    assertEquals("GC/Start", event.event());
    assertEquals(3_228_778, event.micros());
    assertEquals(-1, event.process());
    assertEquals(12, event.thread());
    assertEquals("Process(179356)", event.processName());
    assertEquals(3, event.cpu());
    assertEquals(18, event.dataLength());
    assertEquals(Map.of("Count", "1,234", "Reason", ""), event.fields());
  }

  @Test
  void semicolonsInsideOfValuesStay() {
    BaselineEvent event =
        only(
            "EVENT 0.001: P/E PID=1; TID=1; PName=; ProceNum=0; DataLen=4; A=::1;127.0.0.1;"
                + " B=\\\\Dfs\\;Z:00; C=a=b; ");

    assertEquals(Map.of("A", "::1;127.0.0.1", "B", "\\\\Dfs\\;Z:00", "C", "a=b"), event.fields());
  }

  @Test
  void eventWithoutFieldsAndCountsAreRead() {
    Baseline baseline =
        Baseline.parse(
            """
            \uFEFFEVENT 0.000: P/E PID=1; TID=1; PName=a b; ProceNum=0; DataLen=0; \r
            COUNT P/E:12\r
            COUNT P/A: B/C:3\r
            """);

    assertEquals(Map.of(), baseline.events().getFirst().fields());
    assertEquals(Map.of("P/E", 12L, "P/A: B/C", 3L), baseline.counts());
  }

  @Test
  void invalidLinesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Baseline.parse("EVENT nothing"));
    assertThrows(IllegalArgumentException.class, () -> Baseline.parse("hello"));
  }

  @Test
  void timesAreEqualToHalfOfTheLastDigit() {
    BaselineEvent event = only("EVENT 1.500: P/E PID=1; TID=1; PName=; ProceNum=0; DataLen=0; ");

    assertTrue(event.isAt(15_000, 10_000_000));
    assertTrue(event.isAt(14_995, 10_000_000));
    assertTrue(event.isAt(15_005, 10_000_000));
    assertFalse(event.isAt(15_006, 10_000_000));
  }

  @Test
  void numbersAreEqualInEveryFormAndWithEitherSign() {
    DecodedValue number = new DecodedValue.Whole(0xFFFF_FFFEL, 4, null);

    for (String printed : List.of("-2", "4,294,967,294", "4294967294", "0xfffffffe")) {
      assertTrue(BaselineComparison.same(printed, number), printed);
    }
    assertFalse(BaselineComparison.same("2", number));
    assertFalse(BaselineComparison.same("", number));
    assertTrue(BaselineComparison.same("0x00000010", new DecodedValue.Whole(16, 8, null)));
    assertTrue(
        BaselineComparison.same("18446744073709551615", new DecodedValue.Whole(-1, 8, null)));
    assertTrue(BaselineComparison.same("-1", new DecodedValue.Whole(-1, 8, null)));
  }

  @Test
  void truthValuesAndNamesOfValuesAreWords() {
    assertTrue(BaselineComparison.same("True", new DecodedValue.Whole(1, 4, null)));
    assertTrue(BaselineComparison.same("False", new DecodedValue.Whole(0, 4, null)));
    assertTrue(BaselineComparison.same("None", new DecodedValue.Whole(0, 4, null)));
    assertTrue(
        BaselineComparison.same("DomainNeutral, Nativ...", flags("DomainNeutral|Native|Manifest")));
    assertFalse(
        BaselineComparison.same("DomainNeutral, Nativ...", flags("DomainNeutral|Manifest")));
  }

  private static DecodedValue flags(String names) {
    return new DecodedValue.Whole(3, 4, names);
  }

  @Test
  void longTextsAreCutAfterTwentyCharacters() {
    DecodedValue text = new DecodedValue.Text("C:\\Windows\\Microsoft.NET\\x");

    assertTrue(BaselineComparison.same("C:\\Windows\\Microsoft...", text));
    assertFalse(BaselineComparison.same("C:\\Windows\\microsoft...", text));
    assertFalse(BaselineComparison.same("C:\\Windows\\Micros...", text));
    assertTrue(BaselineComparison.same("a...", new DecodedValue.Text("a...")));
  }

  @Test
  void timesFractionsAndNothing() {
    assertTrue(
        BaselineComparison.same(
            "20/07/29 00:07:10.69...", new DecodedValue.Time(132404548306912345L)));
    assertTrue(BaselineComparison.same("1,234.568", new DecodedValue.Fraction(1234.5678)));
    assertTrue(BaselineComparison.same("", new DecodedValue.Nothing()));
    assertFalse(BaselineComparison.same("0", new DecodedValue.Nothing()));
  }

  @Test
  void sharedBaselinesAreReadWhole() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int events = 0;
    int fields = 0;
    for (String name :
        List.of(
            "perfview-net45-x86-win7",
            "perfview-net452-x64",
            "perfview-gcevents",
            "perfview-primitive-types")) {
      Baseline baseline = Baseline.of(name);
      events += baseline.events().size();
      fields += baseline.events().stream().mapToInt(e -> e.fields().size()).sum();
      for (BaselineEvent event : baseline.events()) {
        assertTrue(baseline.counts().containsKey(event.name()), event::name);
      }
    }

    assertEquals(1033, events);
    assertEquals(6226, fields);
  }
}

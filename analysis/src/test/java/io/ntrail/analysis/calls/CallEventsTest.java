package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallSource.Matching;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.calls.RandomCalls;
import io.ntrail.testkit.calls.RandomCalls.Call;
import io.ntrail.testkit.calls.RandomCalls.End;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Entries and ends of random calls in time order. */
class CallEventsTest {
  private static final int SEQUENCES = Slice.count(20_000, 4_000);
  private static final int STEPS = 120;

  /** Text of an event, with its time in front. */
  private record Line(long time, String text) {}

  private static List<CallEvents.Event> all(CallSource source, int threads) {
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      places.add(i);
    }
    List<CallEvents.Event> all = new ArrayList<>();
    try (CallEvents events = new CallEvents(source, places)) {
      for (CallEvents.Event event = events.next(); event != null; event = events.next()) {
        all.add(event);
      }
    }
    return all;
  }

  private static String line(CallEvents.Kind kind, long function, long entry, long value) {
    return kind + " " + Long.toHexString(function) + " " + entry + " " + Long.toHexString(value);
  }

  private static void eventsAreTheTruth(Gen gen, Matching matching) {
    RandomCalls truth = RandomCalls.make(gen, matching == Matching.SLOT, false, STEPS);
    List<Line> expected = new ArrayList<>();
    for (Call call : truth.calls()) {
      long entry = call.entry;
      expected.add(new Line(entry, line(CallEvents.Kind.ENTRY, call.function, entry, 0)));
      if (call.end == End.RETURN || call.end == End.UNWIND && !call.leftByTail) {
        CallEvents.Kind kind =
            call.end == End.RETURN ? CallEvents.Kind.RETURN : CallEvents.Kind.UNWIND;
        expected.add(new Line(call.exit, line(kind, call.function, entry, call.value)));
      }
    }
    expected.sort(Comparator.comparingLong(Line::time));
    List<String> found =
        all(RecordedCalls.of(matching, truth.records()), 1).stream()
            .map(event -> line(event.kind(), event.function(), event.entry(), event.value()))
            .toList();
    assertEquals(
        String.join("\n", expected.stream().map(Line::text).toList()),
        String.join("\n", found),
        () -> truth.records().toString());
  }

  @Test
  void eventsOfCallsWithSlotsAreTheTruth() {
    Property.check(SEQUENCES, gen -> eventsAreTheTruth(gen, Matching.SLOT));
  }

  @Test
  void callsThatAnUnwinderLeftAreToldWhenThatShows() {
    Property.check(
        SEQUENCES,
        gen -> {
          RandomCalls truth = RandomCalls.withTargets(gen, STEPS);
          List<CallEvents.Event> events = all(RecordedCalls.of(Matching.SLOT, truth.records()), 1);
          List<String> left = new ArrayList<>();
          long before = 0;
          for (CallEvents.Event event : events) {
            assertTrue(event.time() >= before, truth.records()::toString);
            before = event.time();
            if (event.kind() == CallEvents.Kind.UNWIND) {
              left.add(line(event.kind(), event.function(), event.entry(), event.value()));
            }
          }
          assertEquals(
              truth.calls().stream()
                  .filter(call -> call.end == End.UNWIND)
                  .map(call -> line(CallEvents.Kind.UNWIND, call.function, call.entry, call.value))
                  .sorted()
                  .toList(),
              left.stream().sorted().toList());
        });
  }

  @Test
  void eventsOfCallsByRoutineAreTheTruth() {
    Property.check(SEQUENCES, gen -> eventsAreTheTruth(gen, Matching.ROUTINE));
  }

  @Test
  void threadsWithOneClockAreMergedByTime() {
    Property.check(
        Slice.count(2_000, 300),
        gen -> {
          List<List<RandomCalls.Rec>> records = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            records.add(RandomCalls.make(gen, true, true, STEPS).records());
          }
          List<CallEvents.Event> events =
              all(new RecordedCalls(Matching.SLOT, true, records), records.size());
          for (int i = 1; i < events.size(); i++) {
            assertTrue(events.get(i - 1).time() <= events.get(i).time(), () -> events.toString());
          }
        });
  }
}

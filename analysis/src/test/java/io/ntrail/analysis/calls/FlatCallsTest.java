package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallSource.Matching;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.calls.RandomCalls;
import io.ntrail.testkit.calls.RandomCalls.Kind;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sums by routine are those of the calls one by one, however many cores add them up. */
final class FlatCallsTest {
  /** Sums of a routine. */
  private record Sums(
      CallCounts counts,
      boolean isTouched,
      long timed,
      long total,
      long self,
      long min,
      long max,
      List<FunctionTimes.Class> classes) {
    static Sums of(FunctionTimes times) {
      return new Sums(
          times.counts(),
          times.isTouched(),
          times.timed(),
          times.total(),
          times.self(),
          times.min(),
          times.max(),
          times.classes());
    }
  }

  private static Map<Long, Sums> sums(FlatCallProfile flat) {
    Map<Long, Sums> sums = new TreeMap<>();
    flat.functions().forEach(times -> sums.put(times.function(), Sums.of(times)));
    return sums;
  }

  private record Place(int thread, int area, int depth) {}

  /** Adds up the calls of a stream, each with its recorded duration and caller. */
  private static Map<Long, Sums> walked(
      CallRecording recording, List<Integer> threads, long from, long to) {
    Map<Long, FunctionTimes> times = new HashMap<>();
    Map<Long, Long> callees = new HashMap<>();
    // Routines of the calls around the last one of each stack, of those that ended.
    Map<Place, @Nullable Long> ended = new HashMap<>();
    try (CallStream stream = new CallStream(recording, threads, from, to)) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        FunctionTimes own = times.computeIfAbsent(call.function(), FunctionTimes::new);
        if (call.lostEntry()) {
          own.addLostEntry();
          continue;
        }
        own.add(call.end());
        if (call.hasDuration()) {
          own.addTime(call.duration(), 0);
        }
        Place place = new Place(call.thread(), call.area(), call.depth());
        Place caller = new Place(call.thread(), call.area(), call.depth() - 1);
        if (!call.isEntryOnly()) {
          ended.put(place, call.hasDuration() ? call.function() : null);
        }
        Long callerFunction = ended.get(caller);
        if (call.hasDuration() && callerFunction != null) {
          callees.merge(callerFunction, call.duration(), Long::sum);
        }
      }
    }
    Map<Long, Sums> sums = new TreeMap<>();
    times.forEach((function, one) -> {
      Sums all = Sums.of(one);
      long self = Math.max(0, all.total - callees.getOrDefault(function, 0L));
      sums.put(
          function,
          new Sums(
              all.counts,
              all.isTouched,
              all.timed,
              all.total,
              self,
              all.min,
              all.max,
              all.classes));
    });
    return sums;
  }

  private static List<List<Rec>> threads(Gen gen, Matching matching) {
    List<List<Rec>> threads = new ArrayList<>();
    for (int i = 0; i <= gen.below(5); i++) {
      threads.add(RandomCalls.make(gen, matching == Matching.SLOT, gen.flag(), 120).records());
    }
    return threads;
  }

  private static List<Integer> all(List<List<Rec>> threads) {
    return IntStream.range(0, threads.size()).boxed().toList();
  }

  @Test
  void sumsAreThoseOfTheCallsWithAnyNumberOfCores() {
    Property.check(gen -> {
      Matching matching = gen.flag() ? Matching.SLOT : Matching.ROUTINE;
      List<List<Rec>> threads = threads(gen, matching);
      boolean isWhole = gen.flag();
      long from = isWhole ? Long.MIN_VALUE : 1000L + gen.below(200);
      long to = isWhole ? Long.MAX_VALUE : from + gen.below(200);
      RecordedCalls source = new RecordedCalls(matching, gen.flag(), threads);
      CallRecording surveyed = new CallRecording(source, new CallIndex.PageSize(20, 3, 50));
      Map<Long, Sums> expected = walked(surveyed, all(threads), from, to);
      for (int cores : new int[] {1, 2, 7}) {
        CallRecording recording = new CallRecording(source);
        FlatCallProfile flat = FlatCallProfile.of(recording, all(threads), from, to, cores);
        assertEquals(expected, sums(flat));
        assertEquals(surveyed.counts(all(threads)), recording.counts(all(threads)));
      }
    });
  }

  @Test
  void aStoppedSumIsThatOfTheFirstRecords() {
    List<Rec> records = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      records.add(new Rec(Kind.ENTRY, 2L * i, 1, 0, 0, 0, 0));
      records.add(new Rec(Kind.EXIT, 2L * i + 1, 1, 0, 0, 0, 0));
    }
    CallRecording[] stopped = new CallRecording[1];
    List<Rec> stopping =
        new AbstractList<>() {
          @Override
          public Rec get(int index) {
            if (index == records.size() / 2) {
              stopped[0].work().stop();
            }
            return records.get(index);
          }

          @Override
          public int size() {
            return records.size();
          }
        };
    stopped[0] = new CallRecording(RecordedCalls.of(Matching.ROUTINE, stopping));
    FunctionTimes times =
        FlatCallProfile.of(stopped[0], List.of(0), Long.MIN_VALUE, Long.MAX_VALUE, 1)
            .functions()
            .getFirst();
    assertEquals(stopped[0].counts(0), times.counts().plus(roots(times.counts().entries())));
    assertEquals(50, stopped[0].work().stoppedAt().orElseThrow().percent(), 10);
    assertTrue(times.counts().exits() >= 20_000 && times.counts().exits() < 25_000);
  }

  private static CallCounts roots(long roots) {
    return new CallCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, roots, 1);
  }
}

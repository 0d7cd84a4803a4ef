package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallSource.Matching;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.calls.RandomCalls;
import io.ntrail.testkit.calls.RandomCalls.Call;
import io.ntrail.testkit.calls.RandomCalls.End;
import io.ntrail.testkit.calls.RandomCalls.Kind;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Calls rebuilt from the records of random calls are the calls that made them; of records that were
 * lost, every call that kept both of its own is as it was, and what was made up is marked.
 */
class RebuiltCallsTest {
  private static final int SEQUENCES = Slice.count(50_000, 10_000);
  private static final int STEPS = 120;

  /** A rebuilt call. */
  private record Rebuilt(
      long number,
      long function,
      long entry,
      long exit,
      long value,
      long children,
      int depth,
      int area,
      long caller,
      CallEnd end,
      boolean lostEntry) {
    static Rebuilt of(CallWalk walk) {
      return new Rebuilt(
          walk.number(),
          walk.function(),
          walk.entry(),
          walk.exit().orElse(0),
          walk.value(),
          walk.children(),
          walk.depth(),
          walk.area(),
          walk.caller(),
          walk.end(),
          walk.lostEntry());
    }

    boolean isRepaired() {
      return lostEntry || end == CallEnd.INFERRED;
    }
  }

  private static CallRecording recording(Gen gen, Matching matching, List<Rec> records) {
    CallIndex.PageSize pages =
        new CallIndex.PageSize(1 + gen.below(60), gen.below(4), 1 + gen.below(90));
    return new CallRecording(RecordedCalls.of(matching, records), pages);
  }

  private static List<Rebuilt> all(CallRecording recording) {
    List<Rebuilt> list = new ArrayList<>();
    for (CallWalk walk = recording.walk(0); walk.next(); ) {
      list.add(Rebuilt.of(walk));
    }
    return list;
  }

  private static Rebuilt expected(long number, Call call) {
    CallEnd end =
        switch (call.end) {
          case RETURN -> CallEnd.RETURN;
          case UNWIND -> call.leftByTail ? CallEnd.LEFT : CallEnd.UNWIND;
          case OPEN -> CallEnd.OPEN;
          case UNSEEN -> CallEnd.INFERRED;
          case ENTRY_ONLY -> CallEnd.ENTRY_ONLY;
        };
    return new Rebuilt(
        number,
        call.function,
        call.entry,
        call.exit,
        call.value,
        call.children,
        call.depth,
        call.area,
        call.caller,
        end,
        false);
  }

  private static void wholeTreeIsTheTruth(Gen gen, Matching matching) {
    wholeTreeIsTheTruth(
        gen, matching, RandomCalls.make(gen, matching == Matching.SLOT, false, STEPS));
  }

  private static void wholeTreeIsTheTruth(Gen gen, Matching matching, RandomCalls truth) {
    CallRecording recording = recording(gen, matching, truth.records());
    List<Rebuilt> expected = new ArrayList<>();
    truth.calls().forEach(call -> expected.add(expected(expected.size(), call)));
    assertEquals(
        String.join("\n", expected.stream().map(Rebuilt::toString).toList()),
        String.join("\n", all(recording).stream().map(Rebuilt::toString).toList()),
        () -> truth.records().toString());
    CallCounts counts = recording.counts(0);
    assertEquals(expected.size(), counts.entries());
    assertEquals(expected.size(), counts.calls());
    assertEquals(count(truth, End.OPEN), counts.open());
    assertEquals(count(truth, End.UNSEEN), counts.repaired());
    assertEquals(count(truth, End.ENTRY_ONLY), counts.entryOnly());
    assertEquals(count(truth, End.RETURN), counts.exits());
    assertBalance(counts);
    assertEquals(truth.calls().stream().filter(call -> call.depth == 0).count(), counts.roots());
    seeking(gen, recording, expected);
  }

  private static long count(RandomCalls truth, End end) {
    return truth.calls().stream().filter(call -> call.end == end).count();
  }

  /** Any call is found by its number and by its time, and so is the one beside it. */
  private static void seeking(Gen gen, CallRecording recording, List<Rebuilt> calls) {
    if (calls.isEmpty()) {
      return;
    }
    CallWalk walk = recording.walk(0);
    int wanted = gen.below(calls.size());
    walk.seek(wanted);
    assertTrue(walk.next());
    assertEquals(calls.get(wanted), Rebuilt.of(walk));
    if (!recording.hasStacks(0)) {
      walk.skipChildren();
      int beside = wanted + (int) calls.get(wanted).children() + 1;
      assertEquals(beside < calls.size(), walk.next());
      if (beside < calls.size()) {
        assertEquals(calls.get(beside), Rebuilt.of(walk));
        assertTrue(calls.get(beside).depth() <= calls.get(wanted).depth());
      }
    }
    long time = calls.get(gen.below(calls.size())).entry() - gen.below(2);
    walk.seekTime(time);
    assertTrue(walk.next());
    assertEquals(
        calls.stream().filter(call -> call.entry() >= time).findFirst().orElseThrow(),
        Rebuilt.of(walk));
  }

  @Test
  void callsWithSlotsAreTheTruth() {
    Property.check(SEQUENCES, gen -> wholeTreeIsTheTruth(gen, Matching.SLOT));
  }

  @Test
  void callsThatUnwindersLeftAreTheTruth() {
    Property.check(
        SEQUENCES,
        gen -> {
          RandomCalls truth = RandomCalls.withTargets(gen, STEPS);
          wholeTreeIsTheTruth(gen, Matching.SLOT, truth);
          CallRecording recording = recording(gen, Matching.SLOT, truth.records());
          FlatCallProfile.of(recording, List.of(0), Long.MIN_VALUE, Long.MAX_VALUE, 1)
              .functions()
              .forEach(function -> assertBalance(function.counts()));
        });
  }

  @Test
  void callsByRoutineAreTheTruth() {
    Property.check(SEQUENCES, gen -> wholeTreeIsTheTruth(gen, Matching.ROUTINE));
  }

  /** Returns the remaining records of calls, by time: the time of a record is its own. */
  private static Set<Long> kept(RandomCalls truth) {
    Set<Long> kept = new HashSet<>();
    for (Rec rec : truth.records()) {
      if (rec.kind() != Kind.LOST) {
        kept.add(rec.time());
      }
    }
    return kept;
  }

  private static void keptCallsAreExact(Gen gen, Matching matching) {
    RandomCalls truth = RandomCalls.make(gen, matching == Matching.SLOT, true, STEPS);
    List<Rebuilt> rebuilt = all(recording(gen, matching, truth.records()));
    Map<Long, Rebuilt> byEntry = new HashMap<>();
    rebuilt.stream()
        .filter(call -> !call.lostEntry())
        .forEach(call -> byEntry.put(call.entry(), call));
    Set<Long> kept = kept(truth);
    for (Call call : truth.calls()) {
      boolean whole =
          kept.contains(call.entry)
              && (call.end == End.RETURN || call.end == End.UNWIND)
              && kept.contains(call.exit)
              && !call.leftByTail;
      if (!kept.contains(call.entry)) {
        assertFalse(byEntry.containsKey(call.entry), "nobody knows of it");
      } else if (!whole) {
        Rebuilt found = byEntry.get(call.entry);
        assertNotNull(found);
        assertEquals(call.end == End.ENTRY_ONLY, found.end() == CallEnd.ENTRY_ONLY);
      } else if (matching == Matching.SLOT || isUnmistakable(call, truth, kept)) {
        Rebuilt found = Objects.requireNonNull(byEntry.get(call.entry));
        CallEnd end = call.end == End.RETURN ? CallEnd.RETURN : CallEnd.UNWIND;
        String what = call + "\n" + found + "\n" + truth.records();
        assertEquals(call.function, found.function(), what);
        assertEquals(end, found.end(), what);
        assertEquals(call.exit, found.exit(), what);
        assertEquals(call.value, found.value(), what);
      }
    }
    bookkeeping(truth, rebuilt);
  }

  /**
   * By routine alone a call is exact unless a call inside it that kept one of its records only
   * could be taken for another one of its routine: of those inside and the call itself if its end
   * is lost, of all that were entered until then if its beginning is.
   */
  private static boolean isUnmistakable(Call call, RandomCalls truth, Set<Long> kept) {
    for (Call half : truth.calls()) {
      boolean entry = kept.contains(half.entry);
      boolean ended = half.end != End.OPEN && kept.contains(half.exit);
      if (entry == ended || !half.isInside(call)) {
        continue;
      }
      for (Call other : truth.calls()) {
        boolean mistakable =
            entry
                ? other == call || other.isInside(call)
                : kept.contains(other.entry) && other.entry < half.exit;
        if (other != half && other.function == half.function && mistakable) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Checks that nothing is reported twice, all that was inferred is marked, and the tree is one.
   */
  private static void bookkeeping(RandomCalls truth, List<Rebuilt> rebuilt) {
    long entries =
        truth.records().stream()
            .filter(rec -> rec.kind() == Kind.ENTRY || rec.kind() == Kind.ENTRY_ONLY)
            .count();
    long ends =
        truth.records().stream()
            .filter(rec -> rec.kind() == Kind.EXIT || rec.kind() == Kind.UNWIND)
            .count();
    assertEquals(entries, rebuilt.stream().filter(call -> !call.lostEntry()).count());
    long ended =
        rebuilt.stream()
            .filter(call -> call.end() == CallEnd.RETURN || call.end() == CallEnd.UNWIND)
            .count();
    assertEquals(ends, ended, "each end is that of one call");
    List<Rebuilt> path = new ArrayList<>();
    Map<Integer, List<Rebuilt>> paths = new HashMap<>();
    Map<Long, Long> below = new HashMap<>();
    for (Rebuilt call : rebuilt) {
      path = paths.computeIfAbsent(call.area(), _ -> new ArrayList<>());
      assertTrue(call.depth() <= path.size(), "a call has one around it at each depth");
      path.subList(call.depth(), path.size()).clear();
      path.forEach(around -> below.merge(around.number(), 1L, Long::sum));
      path.add(call);
      boolean isEnded = call.end() != CallEnd.OPEN && call.end() != CallEnd.ENTRY_ONLY;
      assertTrue(!isEnded || call.exit() >= call.entry());
      assertTrue(!call.isRepaired() || call.lostEntry() || call.end() == CallEnd.INFERRED);
    }
    rebuilt.forEach(call -> assertEquals(below.getOrDefault(call.number(), 0L), call.children()));
  }

  @Test
  void whatLossesLeftWholeIsExactWithSlots() {
    Property.check(SEQUENCES, gen -> keptCallsAreExact(gen, Matching.SLOT));
  }

  @Test
  void whatLossesLeftWholeIsExactByRoutine() {
    Property.check(SEQUENCES, gen -> keptCallsAreExact(gen, Matching.ROUTINE));
  }

  /** Returns the sums of each routine, as a list: calls, those with a duration, total, longest. */
  private static Map<Long, List<Long>> sums(RandomCalls truth) {
    Map<Long, List<Long>> sums = new HashMap<>();
    for (Call call : truth.calls()) {
      if (call.end != End.OPEN) {
        boolean timed = call.end != End.ENTRY_ONLY;
        long took = timed ? call.exit - call.entry : 0;
        sums.merge(
            call.function,
            List.of(1L, timed ? 1L : 0L, took, took),
            (a, b) ->
                List.of(
                    a.get(0) + b.get(0),
                    a.get(1) + b.get(1),
                    a.get(2) + b.get(2),
                    Math.max(a.get(3), b.get(3))));
      }
    }
    return sums;
  }

  @Test
  void callsOfWhichOnlyEntriesAreRecordedCountButHaveNoTime() {
    Property.check(
        SEQUENCES / 10,
        gen -> {
          RandomCalls truth = RandomCalls.make(gen, true, false, STEPS);
          CallRecording recording = recording(gen, Matching.SLOT, truth.records());
          FlatCallProfile flat =
              FlatCallProfile.of(recording, List.of(0), Long.MIN_VALUE, Long.MAX_VALUE, 1);
          SlowestCalls slowest = new SlowestCalls(STEPS);
          CallPathProfile paths = new CallPathProfile();
          for (CallWalk call = recording.walk(0); call.next(); ) {
            slowest.add(call);
            paths.add(call);
          }
          Map<Long, List<Long>> sums = new HashMap<>();
          for (FunctionTimes one : flat.functions()) {
            sums.put(one.function(), List.of(one.calls(), one.timed(), one.total(), one.max()));
          }
          sums.values().removeIf(sum -> sum.get(0) == 0);
          assertEquals(sums(truth), sums);
          CallCounts counts = flat.counts();
          assertEquals(recording.counts(0), counts);
          assertEquals(count(truth, End.ENTRY_ONLY), counts.entryOnly());
          assertEquals(count(truth, End.OPEN), counts.open());
          assertEquals(count(truth, End.UNSEEN), counts.repaired());
          assertEquals(truth.calls().size(), counts.entries());
          long timed = sums.values().stream().mapToLong(sum -> sum.get(1)).sum();
          assertEquals(timed, slowest.list().size());
          assertTrue(
              paths.sums().stream()
                  .allMatch(sum ->
                      truth.calls().stream()
                          .anyMatch(call ->
                              call.function == sum.function() && call.end != End.ENTRY_ONLY)));
        });
  }

  @Test
  void entriesAreAsManyAsTheirEnds() {
    Property.check(
        SEQUENCES / 5,
        gen -> {
          Matching matching = gen.flag() ? Matching.SLOT : Matching.ROUTINE;
          RandomCalls truth = RandomCalls.make(gen, matching == Matching.SLOT, true, STEPS);
          CallRecording recording = recording(gen, matching, truth.records());
          FlatCallProfile flat =
              FlatCallProfile.of(recording, List.of(0), Long.MIN_VALUE, Long.MAX_VALUE, 1);
          assertBalance(recording.counts(0));
          flat.functions().forEach(function -> assertBalance(function.counts()));
          assertEquals(recording.counts(0), flat.counts());
          CallCounts counts = flat.counts();
          assertEquals(
              ofKind(truth, Kind.ENTRY) + ofKind(truth, Kind.ENTRY_ONLY), counts.entries());
          assertEquals(ofKind(truth, Kind.ENTRY_ONLY), counts.entryOnly());
          assertEquals(
              ofKind(truth, Kind.EXIT) + ofKind(truth, Kind.UNWIND),
              counts.exits() + counts.unwinds() + counts.lostEntries());
        });
  }

  private static void assertBalance(CallCounts counts) {
    assertEquals(
        counts.entries(),
        counts.exits() + counts.unwinds() + counts.abandoned() + counts.open() + counts.entryOnly(),
        counts::toString);
  }

  private static long ofKind(RandomCalls truth, Kind kind) {
    return truth.records().stream().filter(rec -> rec.kind() == kind).count();
  }

  @Test
  void theNinetyNinthOfAHundredIsASixteenthTooLargeAtMost() {
    Property.check(gen -> {
      FunctionTimes times = new FunctionTimes(1);
      List<Long> durations = new ArrayList<>();
      for (int i = gen.length(400); i >= 0; i--) {
        durations.add(gen.scaled() >>> 1);
        times.addTime(durations.getLast(), 0);
      }
      durations.sort(null);
      long exact = durations.get(durations.size() - durations.size() / 100 - 1);
      long said = times.percentile(99);
      assertTrue(said >= exact && said - exact <= exact / 16, exact + " " + said);
      assertTrue(exact >= 32 || said == exact);
    });
  }

  /**
   * Returns the records of random calls if each fiber continues on one of two threads when it is
   * switched to.
   */
  private static List<List<Rec>> onTwoThreads(Gen gen, RandomCalls truth) {
    List<List<Rec>> threads = List.of(new ArrayList<>(), new ArrayList<>());
    int thread = 0;
    int area = -1;
    for (Rec rec : truth.records()) {
      thread = rec.area() == area ? thread : gen.below(2);
      area = rec.area();
      threads.get(thread).add(rec);
    }
    return threads;
  }

  /** Tail calls that move up their place cannot be distinguished when one of them is not seen. */
  private static boolean movesUp(Rec outer, long exit, List<Rec> records) {
    return records.stream()
        .anyMatch(rec ->
            rec.kind() == Kind.ENTRY
                && rec.area() == outer.area()
                && rec.time() > outer.time()
                && rec.time() < exit
                && rec.key() > outer.key());
  }

  @Test
  void ofFibersThatMoveBetweenThreadsTheCallsOfOneThreadAreExact() {
    Property.check(
        SEQUENCES / 10,
        gen -> {
          RandomCalls truth = RandomCalls.make(gen, true, false, STEPS);
          List<List<Rec>> threads = onTwoThreads(gen, truth);
          CallRecording recording =
              new CallRecording(new RecordedCalls(Matching.SLOT, true, threads));
          for (int thread = 0; thread < threads.size(); thread++) {
            Map<Long, Rec> records = new HashMap<>();
            threads.get(thread).forEach(rec -> records.put(rec.time(), rec));
            Map<Long, Rebuilt> rebuilt = new HashMap<>();
            for (CallWalk walk = recording.walk(thread); walk.next(); ) {
              Rebuilt call = Rebuilt.of(walk);
              if (call.end() == CallEnd.RETURN && !call.lostEntry()) {
                rebuilt.put(call.entry(), call);
                Rec entry = Objects.requireNonNull(records.get(call.entry()));
                Rec exit = Objects.requireNonNull(records.get(call.exit()));
                assertEquals(entry.function(), exit.function());
                assertTrue(
                    entry.key() == exit.key()
                        || entry.key() < exit.key() && movesUp(entry, exit.time(), truth.records()),
                    "an end is of the same frame");
              }
            }
            for (Call call : truth.calls()) {
              Rec entry = records.get(call.entry);
              if (entry != null
                  && call.end == End.RETURN
                  && records.containsKey(call.exit)
                  && !movesUp(entry, call.exit, truth.records())) {
                Rebuilt found = rebuilt.get(call.entry);
                assertNotNull(found, call::toString);
                assertEquals(call.exit, found.exit());
                assertEquals(call.value, found.value());
              }
            }
          }
        });
  }

  @Test
  void anExitOfAnotherFrameInTheSlotIsNotThatOfACallThatLeftWithItsFiber() {
    List<Rec> records =
        List.of(
            new Rec(Kind.ENTRY, 10, 0x1000, 0, 3, 0, 0x8000),
            // Elsewhere: its exit at 20, and at 30 another call of the routine, deeper.
            new Rec(Kind.EXIT, 40, 0x1000, 7, 3, 0, 0x7F00));
    List<Rebuilt> calls = all(new CallRecording(RecordedCalls.of(Matching.SLOT, records)));
    assertEquals(CallEnd.INFERRED, calls.getFirst().end());
    assertTrue(calls.getLast().lostEntry());
  }
}

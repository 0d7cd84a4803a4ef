package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallSource.Matching;
import io.ntrail.testkit.calls.RandomCalls.Kind;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading of calls that is stopped on request: what the answers after it are about. */
class StoppedCallsTest {
  private static final int RECORDS = 1_000;
  private static final CallIndex.PageSize SMALL = new CallIndex.PageSize(20, 4, 60);

  private record Seen(int thread, long entry, long function, int depth) {}

  /** Records that stop reading when one of them is looked at. */
  private static final class Stopping extends AbstractList<Rec> {
    private final List<Rec> records;
    private final int at;
    private Runnable stop = () -> {};

    Stopping(List<Rec> records, int at) {
      this.records = records;
      this.at = at;
    }

    @Override
    public Rec get(int index) {
      if (index == at) {
        stop.run();
      }
      return records.get(index);
    }

    @Override
    public int size() {
      return records.size();
    }
  }

  private static List<Seen> calls(CallRecording recording, List<Integer> threads) {
    List<Seen> calls = new ArrayList<>();
    try (CallStream stream = new CallStream(recording, threads, Long.MIN_VALUE, Long.MAX_VALUE)) {
      for (CallWalk call = stream.next(); call != null; call = stream.next()) {
        calls.add(new Seen(call.thread(), call.entry(), call.function(), call.depth()));
      }
    }
    return calls;
  }

  /** Makes the records of a thread; some of its calls are open at the end. */
  private static List<Rec> records(long seed) {
    Random random = new Random(seed);
    List<Rec> records = new ArrayList<>();
    Deque<Integer> open = new ArrayDeque<>();
    long time = 1;
    for (int i = 0; i < RECORDS; i++) {
      time += random.nextInt(50);
      boolean isEntry = open.isEmpty() || open.size() < 12 && random.nextInt(100) < 52;
      int function = isEntry ? random.nextInt(6) : open.pop();
      if (isEntry) {
        open.push(function);
      }
      records.add(new Rec(isEntry ? Kind.ENTRY : Kind.EXIT, time, function, 0, 0, 0, 0));
    }
    return records;
  }

  private static CallRecording recording(List<List<Rec>> threads) {
    return new CallRecording(new RecordedCalls(Matching.ROUTINE, true, threads), SMALL);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void afterAStoppedSurveyThereAreExactlyTheFirstCallsOfEachThread(long seed) {
    List<Rec> records = records(seed);
    List<Seen> all = calls(recording(List.of(records)), List.of(0));
    Stopping stopping = new Stopping(records, records.size() / 2);
    CallRecording stopped = recording(List.of(stopping));
    stopping.stop = stopped.work()::stop;
    stopped.survey(List.of(0), 1);
    stopping.stop = () -> {};
    List<Seen> read = calls(stopped, List.of(0));
    assertEquals(all.subList(0, read.size()), read);
    assertTrue(read.size() >= all.size() / 4 && read.size() < all.size());
    assertEquals(read.size(), stopped.counts(0).calls());
    int percent = stopped.work().stoppedAt().orElseThrow().percent();
    assertEquals(50, percent, 10);
    assertEquals("reading was stopped", stopped.gaps().getLast().why());
  }

  @Test
  void aThreadThatWasNotBegunHasNoCallsAndTheOthersHaveAll() {
    List<Rec> records = records(7);
    Stopping stopping = new Stopping(records, records.size() - 1);
    CallRecording stopped = recording(List.of(stopping, records));
    stopping.stop = stopped.work()::stop;
    stopped.survey(List.of(0, 1), 1);
    stopping.stop = () -> {};
    assertEquals(0, stopped.counts(1).calls());
    assertEquals(calls(recording(List.of(records)), List.of(0)), calls(stopped, List.of(0, 1)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void aProfileThatIsStoppedIsTheProfileOfTheTimeBefore(long seed) {
    List<List<Rec>> threads = List.of(records(seed), records(-seed));
    List<Integer> both = List.of(0, 1);
    Stopping stopping = new Stopping(threads.getFirst(), RECORDS / 3);
    CallRecording stopped = recording(List.of(stopping, threads.getLast()));
    stopped.survey(both, 1);
    stopping.stop = stopped.work()::stop;
    CallPathProfile part = CallPathProfile.of(stopped, both, true, Long.MIN_VALUE, Long.MAX_VALUE);
    assertTrue(stopped.work().stoppedAt().isPresent());
    // Where it was stopped is known from the stream, which stops at the same place again.
    CallRecording again = recording(List.of(stopping, threads.getLast()));
    stopping.stop = () -> {};
    again.survey(both, 1);
    stopping.stop = again.work()::stop;
    long end;
    try (CallStream stream = new CallStream(again, both, Long.MIN_VALUE, Long.MAX_VALUE)) {
      while (stream.next() != null) {
        // To where it is stopped.
      }
      end = Objects.requireNonNull(stream.leftOut()).entry();
    }
    CallPathProfile before =
        CallPathProfile.of(recording(threads), both, true, Long.MIN_VALUE, end);
    assertEquals(times(before), times(part));
    assertTrue(part.total() > 0);
  }

  /** Returns the paths with their times, those without any left out. */
  private static Collection<String> times(CallPathProfile profile) {
    TreeSet<String> times = new TreeSet<>();
    long[] inclusive = profile.inclusive();
    for (int node = 1; node < profile.size(); node++) {
      if (inclusive[node] > 0) {
        times.add(path(profile, node) + ": " + profile.self(node) + ", " + inclusive[node]);
      }
    }
    return times;
  }

  private static String path(CallPathProfile profile, int node) {
    if (node == 0) {
      return "";
    }
    String own =
        profile.isProcess(node)
            ? profile.process(node)
            : profile.function(node) + (profile.isOpen(node) ? " open" : "");
    return path(profile, profile.parent(node)) + "/" + own;
  }

  @Test
  void whatWasReadInFullHasNothingLeftOut() {
    CallRecording recording = recording(List.of(records(3)));
    recording.survey(List.of(0), 1);
    assertFalse(calls(recording, List.of(0)).isEmpty());
    assertTrue(recording.work().position().isOver());
    assertTrue(recording.work().stoppedAt().isEmpty());
    assertEquals(List.of(), recording.gaps());
  }
}

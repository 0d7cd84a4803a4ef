package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.calls.CallSource.Matching;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.calls.JtrcWriter;
import io.ntrail.testkit.calls.RandomCalls;
import io.ntrail.testkit.calls.RandomCalls.Kind;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever records say, calls are rebuilt, in bounded memory, the same in pages of every size. */
class DamagedCallsTest {
  private static String told(CallRecording recording) {
    StringBuilder told = new StringBuilder();
    for (int i = 0; i < recording.source().threads().size(); i++) {
      try (CallWalk call = recording.walk(i)) {
        while (call.next()) {
          told.append(call.number())
              .append(' ')
              .append(call.function())
              .append(' ')
              .append(call.entry())
              .append(' ')
              .append(call.exit())
              .append(' ')
              .append(call.depth())
              .append(' ')
              .append(call.children())
              .append(' ')
              .append(call.end())
              .append(call.lostEntry())
              .append('\n');
        }
      }
    }
    return told.toString();
  }

  private static Rec random(Property.Gen gen, long time) {
    return new Rec(
        gen.oneOf(Kind.values()),
        time + gen.below(3),
        0x1000 + gen.below(4),
        gen.below(10),
        gen.below(3),
        gen.below(6),
        gen.below(8));
  }

  @Test
  void pagesOfAnySizeTellTheSameOfAnyRecords() {
    Property.check(
        3_000,
        gen -> {
          List<Rec> records = new ArrayList<>();
          for (int i = gen.length(300); i > 0; i--) {
            records.add(random(gen, 3L * i));
          }
          for (Matching matching : Matching.values()) {
            RecordedCalls source = RecordedCalls.of(matching, records);
            CallIndex.PageSize small =
                new CallIndex.PageSize(1 + gen.below(40), gen.below(4), 1 + gen.below(60));
            assertEquals(told(new CallRecording(source)), told(new CallRecording(source, small)));
          }
        });
  }

  @Test
  void endlessRecursionIsCutAtADepth() {
    List<Rec> records = new ArrayList<>();
    int depth = 3 * OpenCalls.MOST;
    for (int i = 0; i < depth; i++) {
      records.add(new Rec(Kind.ENTRY, i, 0x1000, 0, 0, 0, 0));
    }
    for (int i = 0; i < depth; i++) {
      records.add(new Rec(Kind.EXIT, depth + i, 0x1000, 0, 0, 0, 0));
    }
    CallRecording recording = new CallRecording(RecordedCalls.of(Matching.ROUTINE, records));
    CallCounts counts = recording.counts(0);
    assertEquals(OpenCalls.MOST, counts.calls());
    assertEquals(depth - OpenCalls.MOST, counts.beyond());
    assertEquals(0, counts.repaired());
    assertEquals(0, counts.open());
    try (CallWalk call = recording.walk(0)) {
      assertTrue(call.next());
      assertEquals(2L * depth - 1, call.duration());
    }
  }

  @Test
  void flippedFilesAreRebuiltOrRefused() {
    Property.check(
        2_000,
        gen -> {
          RandomCalls calls = RandomCalls.make(gen, false, false, 40);
          long[][] records =
              calls.records().stream()
                  .map(r -> new long[] {r.kind().ordinal(), r.time(), r.function(), r.value()})
                  .toArray(long[][]::new);
          byte[] bytes =
              new JtrcWriter()
                  .oldImage(0x400000, 0x10000, "a.sys")
                  .trace(4, 8, records)
                  .trace(4, 12, records)
                  .toByteArray();
          for (int i = gen.below(4); i >= 0; i--) {
            bytes[gen.below(bytes.length)] ^= (byte) (1 << gen.below(8));
          }
          Gaps gaps = new Gaps();
          try (CallRecording recording =
              new CallRecording(
                  new JtrcCalls(JtrcFile.open(InputFile.of(bytes, "t"), gaps), gaps))) {
            List<Integer> threads = new ArrayList<>();
            for (int i = 0; i < recording.source().threads().size(); i++) {
              threads.add(i);
            }
            FlatCallProfile flat =
                FlatCallProfile.of(recording, threads, Long.MIN_VALUE, Long.MAX_VALUE, 2);
            CallPathProfile paths = new CallPathProfile();
            try (CallStream stream =
                new CallStream(recording, threads, Long.MIN_VALUE, Long.MAX_VALUE)) {
              for (CallWalk call = stream.next(); call != null; call = stream.next()) {
                paths.add(call);
                assertTrue(call.duration() >= 0);
              }
            }
            CallCounts counts = recording.counts(threads);
            assertEquals(counts, flat.counts());
            long inRows = flat.functions().stream().mapToLong(FunctionTimes::calls).sum();
            assertEquals(counts.calls(), inRows + counts.open());
          } catch (DamagedInput e) {
            assertTrue(e.offset() <= 16, e.what());
          }
        });
  }

  @Test
  void threadsAreMergedByTimeWhereTheClockIsShared() {
    Property.check(gen -> {
      List<List<Rec>> threads = new ArrayList<>();
      for (int i = 0; i <= gen.below(4); i++) {
        threads.add(RandomCalls.make(gen, true, gen.flag(), 60).records());
      }
      List<Integer> all = java.util.stream.IntStream.range(0, threads.size()).boxed().toList();
      long from = 1000L + gen.below(100);
      long to = from + gen.below(100);
      for (boolean shared : new boolean[] {false, true}) {
        CallRecording recording =
            new CallRecording(new RecordedCalls(Matching.SLOT, shared, threads));
        List<List<Long>> streamed = new ArrayList<>();
        try (CallStream stream = new CallStream(recording, all, from, to)) {
          for (CallWalk call = stream.next(); call != null; call = stream.next()) {
            streamed.add(List.of(call.entry(), (long) call.thread(), call.number()));
          }
        }
        List<List<Long>> expected = new ArrayList<>();
        for (int thread : all) {
          try (CallWalk call = recording.walk(thread)) {
            while (call.next()) {
              if (call.entry() >= from && call.entry() < to) {
                expected.add(List.of(call.entry(), (long) thread, call.number()));
              }
            }
          }
        }
        if (shared) {
          expected.sort(
              java.util.Comparator.<List<Long>>comparingLong(call -> call.get(0))
                  .thenComparing(call -> call.get(1))
                  .thenComparing(call -> call.get(2)));
        }
        assertEquals(expected, streamed);
      }
    });
  }
}

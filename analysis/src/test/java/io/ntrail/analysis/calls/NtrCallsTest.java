package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.calls.RandomCalls;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Calls of {@code .ntr} files are those that their records make, wherever the reading begins. */
class NtrCallsTest {
  private static final int SEQUENCES = 3_000;
  private static final NtrHeader NANOS =
      new NtrHeader(
          NtrHeader.ONE_CLOCK,
          1_000_000_000,
          0,
          0,
          0x8664,
          8,
          NtrHeader.TIME_STAMP_COUNTER,
          "test");

  private static byte[] write(List<Rec> records, int chunkEvents) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, NANOS, 1, NtrWriter.Packing.FAST, chunkEvents)) {
      ThreadEventWriter events = writer.events(7);
      for (Rec rec : records) {
        long[] arguments = arguments(rec.function(), rec.time());
        switch (rec.kind()) {
          case ENTRY ->
              events.entry(
                  rec.time(),
                  rec.function(),
                  rec.area(),
                  rec.slot(),
                  rec.key(),
                  rec.value(),
                  arguments,
                  arguments.length);
          case EXIT ->
              events.exit(
                  rec.time(), rec.function(), rec.area(), rec.slot(), rec.key(), rec.value());
          case UNWIND ->
              events.unwind(
                  rec.time(), rec.function(), rec.area(), rec.slot(), rec.key(), rec.value());
          case LOST -> events.lost(Math.max(1, rec.value()));
          case UNWIND_TARGET ->
              events.other(
                  EventKind.UNWIND_TARGET,
                  rec.time(),
                  rec.function(),
                  rec.area(),
                  rec.slot(),
                  rec.key(),
                  rec.value(),
                  new long[] {rec.stackPointer()},
                  1);
          case ENTRY_ONLY ->
              events.entryOnly(
                  rec.time(),
                  rec.function(),
                  rec.area(),
                  rec.slot(),
                  rec.key(),
                  rec.value(),
                  arguments,
                  arguments.length);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** Returns 0 to 12 arguments, their number and values derived from the time. */
  private static long[] arguments(long function, long time) {
    return LongStream.range(0, time % 13).map(i -> function * (i + 1) - time).toArray();
  }

  private static long[] arguments(CallWalk call) {
    return IntStream.range(0, call.argumentCount()).mapToLong(call::argument).toArray();
  }

  private static NtrCalls read(byte[] file, Gaps gaps) {
    return new NtrCalls(NtrFile.open(InputFile.of(file, "test.ntr"), gaps), gaps);
  }

  private static List<String> calls(CallSource source) {
    List<String> calls = new ArrayList<>();
    CallRecording recording = new CallRecording(source, new CallIndex.PageSize(13, 2, 17));
    for (CallWalk walk = recording.walk(0); walk.next(); ) {
      calls.add(
          String.join(
              " ",
              Long.toString(walk.number()),
              Long.toHexString(walk.function()),
              Long.toString(walk.entry()),
              walk.exit().toString(),
              Long.toHexString(walk.value()),
              Long.toString(walk.children()),
              Integer.toString(walk.depth()),
              Integer.toString(walk.area()),
              walk.end().toString(),
              Boolean.toString(walk.lostEntry())));
    }
    return calls;
  }

  @Test
  void theCallsOfAFileAreThoseOfTheRecordsWrittenToIt() {
    Property.check(
        SEQUENCES,
        gen -> {
          RandomCalls random =
              gen.below(3) == 0
                  ? RandomCalls.withTargets(gen, 100)
                  : RandomCalls.make(gen, true, gen.below(2) == 0, 100);
          List<Rec> records = random.records();
          if (records.isEmpty()) {
            return;
          }
          Gaps gaps = new Gaps();
          NtrCalls source = read(write(records, 1 + gen.below(40)), gaps);
          List<String> expected = calls(RecordedCalls.of(CallSource.Matching.SLOT, records));
          assertEquals(expected, source.threads().isEmpty() ? List.of() : calls(source));
          assertEquals(List.of(), gaps.list());
        });
  }

  @Test
  void eachCallHasTheArgumentsOfItsEntryAndNoneIfThatWasLost() {
    Property.check(
        1_000,
        gen -> {
          List<Rec> records = RandomCalls.make(gen, true, true, 100).records();
          NtrCalls source = read(write(records, 1 + gen.below(40)), new Gaps());
          if (source.threads().isEmpty()) {
            return;
          }
          CallRecording recording = new CallRecording(source, new CallIndex.PageSize(13, 2, 17));
          List<Long> numbers = new ArrayList<>();
          for (CallWalk call = recording.walk(0); call.next(); ) {
            numbers.add(call.number());
            hasItsArguments(call);
          }
          CallWalk call = recording.walk(0);
          Collections.shuffle(numbers, new Random(gen.below(1 << 20)));
          for (long number : numbers) {
            call.seek(number);
            assertTrue(call.next());
            hasItsArguments(call);
          }
        });
  }

  private static void hasItsArguments(CallWalk call) {
    long[] expected = call.lostEntry() ? new long[0] : arguments(call.function(), call.entry());
    assertArrayEquals(expected, arguments(call));
    assertThrows(IndexOutOfBoundsException.class, () -> call.argument(expected.length));
  }

  @Test
  void argumentsCountTowardsTheSizeOfAPage() {
    List<Rec> records = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      // Twelve arguments each; none of these calls ends.
      records.add(new Rec(RandomCalls.Kind.ENTRY, 13L * i + 12, 1, 0, 0, i, 0x1000 - i));
    }
    CallIndex.PageSize size = new CallIndex.PageSize(1, 0, 130);
    NtrCalls source = read(write(records, 100), new Gaps());
    assertEquals(3, new CallRecording(source, size).index(0).pages());
    CallSource without = RecordedCalls.of(CallSource.Matching.SLOT, records);
    assertEquals(1, new CallRecording(without, size).index(0).pages());
  }

  @Test
  void readingCanStartAfterEveryRecord() {
    Property.check(
        300,
        gen -> {
          List<Rec> records = RandomCalls.make(gen, true, true, 60).records();
          byte[] file = write(records, 1 + gen.below(9));
          NtrCalls source =
              read(gen.below(2) == 0 ? file : damaged(file, gen.below(file.length)), new Gaps());
          if (source.threads().isEmpty()) {
            return;
          }
          List<Long> positions = new ArrayList<>();
          List<String> seen = new ArrayList<>();
          try (CallCursor cursor = source.cursor(0)) {
            positions.add(cursor.position());
            while (cursor.next()) {
              seen.add(text(cursor));
              assertTrue(cursor.position() > positions.getLast());
              positions.add(cursor.position());
            }
          }
          for (int i = 0; i < positions.size(); i++) {
            try (CallCursor cursor = source.cursor(0)) {
              cursor.seek(positions.get(i));
              assertEquals(positions.get(i), cursor.position());
              assertEquals(i < seen.size(), cursor.next());
              assertEquals(i < seen.size() ? seen.get(i) : "", i < seen.size() ? text(cursor) : "");
            }
          }
        });
  }

  /** Behind the first chunk, which says what it is. */
  private static byte[] damaged(byte[] file, int at) {
    byte[] copy = file.clone();
    copy[Math.max(at, Math.min(200, file.length - 1))] ^= 0x10;
    return copy;
  }

  private static String text(CallCursor cursor) {
    return cursor.event() == CallEventKind.LOST
        ? "lost " + cursor.value()
        : cursor.event()
            + " "
            + cursor.time()
            + " "
            + cursor.function()
            + " "
            + cursor.value()
            + " "
            + cursor.slot();
  }

  @Test
  void functionsHaveTheirModulesAndThreadsTheirProcesses() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    NtrHeader slow =
        new NtrHeader(0, 10_000_000, 500, 0, 0x8664, 8, NtrHeader.PERFORMANCE_COUNTER, "test");
    try (NtrWriter writer = new NtrWriter(out, slow, 1)) {
      writer.process(TracedProcess.running(1, 4312, 500, "C:\\shop\\shopd.exe", ""));
      writer.thread(TracedThread.running(3, 1, 4316, 500, "main"));
      writer.module(
          new TracedModule(
              2,
              1,
              0x18000000L,
              new ImageId(0x5E1C7A90L, 0x7000),
              0,
              0,
              "C:\\shop\\shopcore.dll",
              null,
              ""));
      writer.function(new TracedFunction(9, 2, 0x1010, "Key::Parse", List.of()));
      writer.events(3).entry(510, 9, 0, 0, 0x1000, 0);
      writer.events(3).entryOnly(515, 9, 0, 0, 0x0FF0, 0, new long[0], 0);
      writer.events(3).exit(530, 9, 0, 0, 0x1000, 5);
      writer.events(3).lost(4);
    }
    NtrCalls calls = read(out.toByteArray(), new Gaps());
    assertEquals(new CallClock(true, false), calls.clock());
    assertEquals(
        new CallThread(4312, 4316, "shopd.exe", "main", 3, 1000), calls.threads().getFirst());
    CallFunction function = calls.function(9);
    assertEquals("Key::Parse", function.name());
    assertEquals(0x1010, function.rva());
    assertEquals(0x7000, calls.modules().getFirst().size());
    assertEquals("(function 17)", calls.function(17).name());
    assertEquals(OptionalLong.of(4), calls.lost());
    List<String> told = calls(calls);
    assertEquals(2, told.size());
    assertEquals("0 9 1000 OptionalLong[3000] 5 1 0 0 RETURN false", told.getFirst());
    assertEquals("1 9 1500 OptionalLong.empty 0 0 1 0 ENTRY_ONLY false", told.getLast());
  }

  @Test
  void damageIsAGapAndTheRestIsRead() {
    List<Rec> records = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      records.add(new Rec(RandomCalls.Kind.ENTRY, 10L * i, 1 + i % 3, 0x40, 0, 0, 0x1000));
      records.add(new Rec(RandomCalls.Kind.EXIT, 10L * i + 5, 1 + i % 3, i, 0, 0, 0x1000));
    }
    byte[] file = write(records, 100);
    int middle = file.length / 2;
    Arrays.fill(file, middle, middle + 8, (byte) 0x5A);
    Gaps gaps = new Gaps();
    NtrCalls source = read(file, gaps);
    List<String> told = calls(source);
    assertEquals(1, gaps.list().size(), gaps.list().toString());
    assertEquals(350, told.size(), 1);
    assertFalse(told.getLast().contains("INFERRED"));
  }
}

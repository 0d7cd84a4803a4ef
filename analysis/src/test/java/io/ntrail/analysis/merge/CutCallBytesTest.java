package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Each byte of a cut of calls is what it has to be, and none of them could be another one without a
 * finding: of the second reader, of the index, or of the rules for what no reader looks at.
 */
class CutCallBytesTest {
  private static final int HEADER = MendedNtr.HEADER;
  private static final int HEAD = MendedNtr.HEAD;
  private static final int EVENTS = MendedNtr.EVENTS;
  private static final int STATISTICS = 4;
  private static final int INDEX = 5;

  /** Bits that are changed in a byte, one set of them after the other. */
  private static final int[] CHANGES = {0x01, 0x08, 0x80, 0xFF};

  private static final NtrHeader CLOCK =
      new NtrHeader(
          NtrHeader.ONE_CLOCK,
          1_000_000_000,
          5,
          134_000_000_000_000_000L,
          0x8664,
          8,
          NtrHeader.TIME_STAMP_COUNTER,
          "recorder 7");

  private static byte[] recording() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, CLOCK, 1)) {
      writer.process(TracedProcess.running(1, 4312, 0, "shopd.exe", "shopd -a"));
      for (int function = 1; function < 5; function++) {
        writer.function(new TracedFunction(function, 0, function, "f" + function, List.of()));
      }
      writer.calibration(new ClockCalibration(5, 0, 134_000_000_000_000_000L));
      for (int thread = 1; thread <= 2; thread++) {
        writer.thread(TracedThread.running(thread, 1, 100 + thread, 3, "worker"));
        events(writer.events(thread));
      }
      writer.statistics(Map.of(RecorderCounter.FUNCTIONS_TRACED, 4L));
    }
    return out.toByteArray();
  }

  private static void events(ThreadEventWriter events) throws IOException {
    events.entry(10, 1, 0, 0, 1000, 7);
    events.entry(20, 2, 0, 1, 992, 8);
    events.exit(30, 2, 0, 1, 992, 4);
    events.entry(100, 3, 0, 1, 992, 9);
    events.flush();
    events.entry(110, 4, 0, 2, 984, 11);
    events.unwind(120, 4, 0, 2, 984, 0xC0000005L);
    events.lost(3);
    events.exit(150, 3, 0, 1, 992, 6);
    events.entry(230, 4, 0, 1, 992, 12);
    events.exit(240, 4, 0, 1, 992, 2);
    events.exit(250, 1, 0, 0, 1000, 5);
  }

  private static byte[] cut() throws IOException {
    return SelectedCalls.cut(
        recording(), "whole.ntr", SelectedCalls.choice(List.of(0), 105, 200), new ArrayList<>());
  }

  /** The whole of what the cut has to tell, as it was worked out by hand. */
  private static final List<String> EXPECTED =
      List.of(
          "recording [1, 1000000000, 5, 134000000000000000, 34404, 8, 1] recorder 7",
          "function 1: 0 1 f1",
          "function 2: 0 2 f2",
          "function 3: 0 3 f3",
          "function 4: 0 4 f4",
          "process 1: 4312 0 shopd.exe shopd -a",
          "thread 1: 1 101 3 worker",
          "whole thread 1: 10 0",
          "lost elsewhere: 3",
          "omission 1: 4 records outside 105 .. 200",
          "omission 2: 10 records of other threads",
          "calibrations [[5, 0, 134000000000000000]]",
          "counters {2=4}",
          "thread 1, kind 2 at 10: function 1, area 0, slot 0, key 1000, 7 []",
          "thread 1, kind 2 at 100: function 3, area 0, slot 1, key 992, 9 []",
          "thread 1, kind 2 at 110: function 4, area 0, slot 2, key 984, 11 []",
          "thread 1, kind 4 at 120: function 4, area 0, slot 2, key 984, 3221225477 []",
          "thread 1, kind 3 at 150: function 3, area 0, slot 1, key 992, 6 []",
          // The calls of f2 at 20 and of f4 at 230.
          "thread 1, kind 13 at 250: function 0, area 0, slot 0, key 1000, 2 []",
          "thread 1, kind 3 at 250: function 1, area 0, slot 0, key 1000, 5 []",
          "chunk 0 of thread 1: 4 events, 0 lost before, open []",
          "chunk 1 of thread 1: 3 events, 3 lost before,"
              + " open [0 1 0 1000 7 10 0, 0 3 1 992 9 100 1]",
          "holes [], unknown 0");

  private static List<String> told(byte[] file) {
    List<String> told = new ArrayList<>();
    ReferenceNtrReader reader = ReferenceNtrReader.read(file);
    told.add("recording " + reader.recording().numbers() + " " + reader.recording().writer());
    reader.definitions().forEach((key, value) -> told.add(key + ": " + value));
    told.addAll(reader.parts());
    told.add("calibrations " + reader.calibrations());
    told.add("counters " + reader.statistics());
    reader
        .events()
        .forEach((thread, events) ->
            events.forEach(event -> told.add("thread " + thread + ", " + text(event))));
    for (ReferenceNtrReader.Chunk chunk : reader.chunks()) {
      told.add(
          "chunk %d of thread %d: %d events, %d lost before, open %s"
              .formatted(
                  chunk.sequence(), chunk.thread(), chunk.events(), chunk.lost(), chunk.open()));
    }
    told.add("holes " + reader.holes() + ", unknown " + reader.unknown());
    return told;
  }

  private static String text(ReferenceNtrReader.Event event) {
    return "kind %d at %d: function %d, area %d, slot %d, key %d, %d %s"
        .formatted(
            event.kind(),
            event.ticks(),
            event.function(),
            event.area(),
            event.slot(),
            event.key(),
            event.value(),
            event.values());
  }

  /** Offsets of the chunks, and the end. */
  private static List<Integer> chunks(byte[] file) {
    List<Integer> offsets = new ArrayList<>(List.of(0));
    for (int at = 0; at < file.length; offsets.add(at)) {
      at += HEADER + ((int) LittleEndian.getU32(file, at + 8) + 7 & ~7);
    }
    return offsets;
  }

  /** Returns a file with another byte, as one has it whose writer took that for right. */
  private static byte[] changed(byte[] file, List<Integer> chunks, int at, int change) {
    byte[] broken = file.clone();
    broken[at] ^= (byte) change;
    int chunk = 0;
    while (chunks.get(chunk + 1) <= at) {
      chunk++;
    }
    int from = chunks.get(chunk);
    int offset = at - from;
    boolean isEvents = LittleEndian.getU16(file, from + 4) == EVENTS;
    boolean isSum =
        offset >= 12 && offset < 16
            || offset >= 28 && offset < HEADER
            || isEvents && offset >= HEADER + HEAD && offset < HEADER + HEAD + 4;
    if (!isSum) {
      MendedNtr.mend(broken, from, chunks.get(chunk + 1));
    }
    return broken;
  }

  /** Returns what no reader looks at and is not as the format has it. */
  private static List<String> rules(byte[] file) {
    List<String> findings = new ArrayList<>();
    List<Integer> chunks = chunks(file);
    byte[] recording = new byte[0];
    for (int i = 0; i + 1 < chunks.size(); i++) {
      int from = chunks.get(i);
      int kind = LittleEndian.getU16(file, from + 4);
      int end = from + HEADER + (int) LittleEndian.getU32(file, from + 8);
      // Statistics and the index are all that a reader can do without.
      if (LittleEndian.getU16(file, from + 6) != (kind == STATISTICS || kind == INDEX ? 0 : 1)) {
        findings.add("flags of a chunk of kind " + kind);
      }
      for (int at = end; at < chunks.get(i + 1); at++) {
        if (file[at] != 0) {
          findings.add("padding of a chunk of kind " + kind);
        }
      }
      if (kind == 1) {
        byte[] its = Arrays.copyOfRange(file, from + HEADER, end);
        if (recording.length > 0 && !Arrays.equals(recording, its)) {
          findings.add("the recording is not that at the beginning");
        }
        if (LittleEndian.getU16(its, 2) != 0) {
          findings.add("minor version");
        }
        recording = its;
      }
    }
    return findings;
  }

  /** Chunks as the index has to tell them: kind, and of events what is in their heads. */
  private static final List<String> INDEXED =
      List.of(
          "1",
          "4",
          "2",
          // Thread, number, events and calls before, earliest, latest minus that, lost; events,
          // calls,
          // open before and after, fewest, flags.
          "3: 1 0, 0 0, 10 110, 0; 4 3, 0 2 0, 0",
          "3: 1 1, 4 3, 150 100, 3; 3 0, 2 0 0, 0",
          "2",
          "1");

  private static long number(byte[] file, int[] at) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      int group = file[at[0]++];
      value |= (long) (group & 0x7F) << shift;
      if (group >= 0) {
        return value;
      }
    }
  }

  /** Returns what is wrong with the index and the end: section 9 of the format. */
  private static List<String> index(byte[] file) {
    List<String> findings = new ArrayList<>();
    List<Integer> chunks = chunks(file);
    int index = chunks.get(chunks.size() - 3);
    int end = chunks.get(chunks.size() - 2);
    int[] at = {index + HEADER};
    long[] fixed = {
      LittleEndian.getU64(file, at[0]),
      LittleEndian.getU64(file, at[0] + 8),
      LittleEndian.getU64(file, at[0] + 16),
      LittleEndian.getU32(file, at[0] + 24),
      LittleEndian.getU32(file, at[0] + 28)
    };
    if (!Arrays.equals(fixed, new long[] {0, 0, 0, INDEXED.size(), 0})) {
      findings.add("beginning of the index");
    }
    at[0] += 32;
    for (int i = 0; i < INDEXED.size(); i++) {
      long kind = number(file, at);
      long length = number(file, at);
      String entry = "" + kind;
      if (kind == EVENTS) {
        Object[] head = new Object[13];
        Arrays.setAll(head, _ -> number(file, at));
        entry += ": %d %d, %d %d, %d %d, %d; %d %d, %d %d %d, %d".formatted(head);
      }
      if (!entry.equals(INDEXED.get(i))
          || kind != LittleEndian.getU16(file, chunks.get(i) + 4)
          || length != LittleEndian.getU32(file, chunks.get(i) + 8)) {
        findings.add("index: " + entry);
      }
    }
    long[] last = new long[4];
    Arrays.setAll(last, i -> LittleEndian.getU64(file, end + HEADER + 8 * i));
    if (at[0] != index + HEADER + LittleEndian.getU32(file, index + 8)
        || !Arrays.equals(last, new long[] {index, INDEXED.size() + 1, 7, file.length})) {
      findings.add("end: " + Arrays.toString(last));
    }
    return findings;
  }

  /** Returns true if no chunk is damaged, or disagrees with the index. */
  private static boolean isSound(byte[] file) {
    Gaps gaps = new Gaps();
    try (NtrFile ntr = NtrFile.open(InputFile.of(file, "cut.ntr"), gaps)) {
      for (long thread : ntr.threadsWithEvents()) {
        try (ThreadEventCursor cursor = ntr.cursor(thread, gaps)) {
          while (cursor.next()) {
            // What is wrong with its chunk is told.
          }
        }
      }
      return ntr.complete() && gaps.list().isEmpty();
    }
  }

  /** Returns what is not as it has to be. */
  private static List<String> findings(byte[] file) {
    try {
      List<String> findings = new ArrayList<>(rules(file));
      List<String> told = told(file);
      if (!told.equals(EXPECTED)) {
        findings.add("content: " + told);
      }
      findings.addAll(index(file));
      if (!isSound(file)) {
        findings.add("gaps");
      }
      return findings;
    } catch (RuntimeException e) {
      return List.of("cannot be read: " + e);
    }
  }

  @Test
  void theCutTellsWhatWasWorkedOut() throws IOException {
    assertEquals(EXPECTED, told(cut()));
  }

  @Test
  void noByteCouldBeAnotherOne() throws IOException {
    byte[] file = cut();
    List<Integer> chunks = chunks(file);
    assertEquals(List.of(), findings(file));
    List<String> unnoticed = new ArrayList<>();
    for (int at = 0; at < file.length; at++) {
      for (int change : CHANGES) {
        if (findings(changed(file, chunks, at, change)).isEmpty()) {
          unnoticed.add("byte 0x%x with 0x%02x".formatted(at, (file[at] ^ change) & 0xFF));
        }
      }
    }
    // The first exit of the second chunk: 6 more than a last value of 0 (operation 6) is 6 (7).
    int operations = chunks.get(4) + HEADER + HEAD + 4 + 16;
    assertEquals(List.of("byte 0x%x with 0xa6".formatted(operations)), unnoticed);
  }
}

package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.weights.AllProfiles;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.ProcessorTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * One sound file and what a reader gives of it, to be compared with what it gives of spoiled
 * copies.
 *
 * <p>What must hold of every copy: nothing but {@link CannotGoOn} is thrown, and that only if the
 * start of the file is spoiled; it takes little time; records that lie wholly before the first
 * spoiled byte are given as before; if any record is missing there are gaps; gaps lie in the file;
 * all passes agree on the number of records; the walk in order never goes back in time; sums of
 * profiles hold.
 */
final class DamageRun {
  /** True to try the full set of places: {@code -Dntrail.long=true}. */
  static final boolean LONG = Boolean.getBoolean("ntrail.long");

  /** Of so many cases one is profiled, too: that takes as long as all the rest. */
  private static final int PROFILED = 8;

  private static final Duration PER_CASE = Duration.ofMinutes(2);

  /** A record, and where in the file the last byte lies that it needs. */
  private record Seen(long time, int kind, int buffer, int offset, int size, int hash, long needs) {
    boolean covers(Seen other) {
      return buffer == other.buffer && offset <= other.offset && other.offset < offset + size;
    }

    long content() {
      long mixed = time * 0x9E37_79B9_7F4A_7C15L + hash;
      return (mixed ^ mixed >>> 29) * 31 + 65_536L * kind + size;
    }
  }

  /** A walk in time order, as far as it is judged here. */
  private record InOrder(int count, long backwards, long late) {
    static InOrder of(EtwRecording recording) {
      int count = 0;
      long backwards = 0;
      long last = Long.MIN_VALUE;
      try (OrderedCursor cursor = recording.inOrder()) {
        while (cursor.next()) {
          RecordCursor record = cursor.record();
          long time = recording.key(record.file(), record.ticks());
          backwards += time < last ? 1 : 0;
          last = time;
          count++;
        }
        return new InOrder(count, backwards, cursor.lateRecords());
      }
    }
  }

  private final String name;
  private final byte[] sound;
  private final List<Seen> records;
  private final List<Integer> buffers = new ArrayList<>();
  private final int headerEnd;
  private int cases;
  private int refused;
  private int withGaps;

  DamageRun(String name, byte[] sound) {
    this.name = name;
    this.sound = sound;
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(sound, name)))) {
      records = read(recording);
      BufferIndex index = recording.files().getFirst().buffers();
      for (int b = 0; b < index.count(); b++) {
        buffers.add((int) index.fileOffset(b));
      }
      assertEquals(List.of(), recording.gaps(), "the sound file has gaps");
    }
    headerEnd = 72 + records.getFirst().size;
  }

  byte[] sound() {
    return sound;
  }

  /** Returns the offsets of buffers. */
  List<Integer> buffers() {
    return buffers;
  }

  /** Returns the number of records of the undamaged file. */
  int records() {
    return records.size();
  }

  /** Places to spoil: buffer edges and their neighbours, and others drawn with {@code seed}. */
  List<Integer> places(long seed, int edges, int others) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < buffers.size() && i < edges; i++) {
      int at =
          buffers.size() <= edges ? buffers.get(i) : buffers.get(random.nextInt(buffers.size()));
      for (int near : new int[] {at - 1, at, at + 1, at + 71, at + 72, at + 73}) {
        if (near >= 0 && near < sound.length) {
          places.add(near);
        }
      }
    }
    for (int i = 0; i < others; i++) {
      places.add(random.nextInt(sound.length));
    }
    return places;
  }

  /**
   * Reads a spoiled copy and checks all of the above.
   *
   * @param spoiled the copy
   * @param what the case, with its seed, for messages
   * @return the number of records given, -1 if it was refused
   */
  int check(byte[] spoiled, String what) {
    cases++;
    int same = Arrays.mismatch(sound, spoiled);
    int firstSpoiled = same < 0 ? sound.length : same;
    String label = name + ": " + what + " (first difference at " + firstSpoiled + ")";
    try {
      return ProcessorTime.within(PER_CASE, label, () -> checkNow(spoiled, firstSpoiled, label));
    } catch (AssertionError e) {
      throw e;
    } catch (RuntimeException e) {
      throw new AssertionError(label + ": " + e, e);
    }
  }

  /** Only who needs the fields of a payload finds out that it ends before them. */
  private static List<Gap> withoutPayloads(List<Gap> gaps) {
    return gaps.stream().filter(gap -> !gap.what().equals("payload")).toList();
  }

  private int checkNow(byte[] spoiled, int firstSpoiled, String label) {
    List<Seen> got;
    List<Gap> gaps;
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(spoiled, name)))) {
      InOrder unsurveyed = InOrder.of(recording);
      assertTrue(
          unsurveyed.backwards == 0 || unsurveyed.late > 0, label + ": time goes back unsaid");
      recording.survey(1);
      InOrder surveyed = InOrder.of(recording);
      got = read(recording);
      gaps = withoutPayloads(recording.gaps());
      assertEquals(0, surveyed.backwards, label + ": time goes back");
      assertEquals(0, surveyed.late, label + ": late");
      assertEquals(got.size(), surveyed.count, label + ": walk in order");
      assertEquals(got.size(), unsurveyed.count, label + ": walk without survey");
      assertEquals(
          got.size(), EventCounts.of(recording, 1, Sources.SHARED).records(), label + ": counts");
      assertEquals(got.size(), EtwSummary.of(recording, 1).total().records(), label + ": summary");
      if (cases % PROFILED == 0) {
        AllProfiles.check(recording);
      }
      assertEquals(gaps, withoutPayloads(recording.gaps()), label + ": gaps depend on the pass");
    } catch (CannotGoOn e) {
      refused++;
      assertTrue(firstSpoiled < headerEnd, label + ": refused although its header is sound: " + e);
      return -1;
    }
    withGaps += gaps.isEmpty() ? 0 : 1;
    for (Gap gap : gaps) {
      assertEquals(name, gap.file(), label);
      assertTrue(
          gap.offset() >= 0 && gap.offset() <= spoiled.length, label + ": gap out of file " + gap);
      assertTrue(gap.bytes() >= -1, label + ": gap of negative length " + gap);
      assertTrue(!gap.what().isEmpty() && !gap.why().isEmpty(), label + ": gap without words");
      // Only what is missing at the end of the file may reach beyond it.
      assertTrue(
          gap.offset() == spoiled.length || gap.offset() + gap.bytes() <= spoiled.length,
          label + ": gap reaches beyond the file " + gap + " of " + spoiled.length);
    }
    compare(got, gaps, firstSpoiled, label);
    return got.size();
  }

  private void compare(List<Seen> got, List<Gap> gaps, int firstSpoiled, String label) {
    // Most of a file is untouched: only the middle is compared record by record.
    int prefix = 0;
    int common = Math.min(got.size(), records.size());
    while (prefix < common && got.get(prefix).content() == records.get(prefix).content()) {
      prefix++;
    }
    int suffix = 0;
    while (suffix < common - prefix
        && got.get(got.size() - 1 - suffix).content()
            == records.get(records.size() - 1 - suffix).content()) {
      suffix++;
    }
    Map<Long, Integer> there = new HashMap<>();
    for (Seen seen : got.subList(prefix, got.size() - suffix)) {
      there.merge(seen.content(), 1, Integer::sum);
    }
    List<Seen> missing = new ArrayList<>();
    for (Seen expected : records.subList(prefix, records.size() - suffix)) {
      Integer left = there.get(expected.content());
      if (left != null && left > 0) {
        there.put(expected.content(), left - 1);
        continue;
      }
      missing.add(expected);
      // The first record's header decides on everything: spoiled, the reader may go on without.
      if (expected.needs <= firstSpoiled && firstSpoiled >= headerEnd) {
        fail(label + ": lost although it lies before the damage: " + expected + ", gaps " + gaps);
      }
    }
    // A changed record cannot be noticed: neither its content nor, if another record
    // happens to stand where it now ends, its size, by which it swallows those that followed it.
    Map<Integer, TreeMap<Integer, Seen>> byPlace = new HashMap<>();
    got.forEach(
        seen -> byPlace.computeIfAbsent(seen.buffer, b -> new TreeMap<>()).put(seen.offset, seen));
    missing.removeIf(lost -> {
      TreeMap<Integer, Seen> others = byPlace.get(lost.buffer);
      Map.Entry<Integer, Seen> before = others == null ? null : others.floorEntry(lost.offset);
      return before != null && before.getValue().covers(lost);
    });
    assertTrue(
        missing.isEmpty() || !gaps.isEmpty(),
        () -> label + ": lost without a gap: " + missing.size() + ", first " + missing.getFirst());
  }

  private static List<Seen> read(EtwRecording recording) {
    List<Seen> seen = new ArrayList<>();
    EtlFile file = recording.files().getFirst();
    BufferIndex index = file.buffers();
    try (RecordCursor cursor = recording.cursor(file)) {
      for (int b = 0; b < index.count(); b++) {
        cursor.open(b);
        while (cursor.next()) {
          boolean packed = index.compressed(b);
          seen.add(
              new Seen(
                  cursor.ticks(),
                  cursor.kindOrdinal(),
                  b,
                  cursor.offset(),
                  cursor.size(),
                  Arrays.hashCode(cursor.bytes().array(cursor.offset(), cursor.size())),
                  packed
                      ? index.fileOffset(b) + index.fileBytes(b)
                      : index.fileOffset(b) + cursor.offset() + cursor.size()));
          cursor.payloadOffset();
        }
      }
    }
    return seen;
  }

  String told() {
    return "%s: %d cases, %d refused, %d with gaps".formatted(name, cases, refused, withGaps);
  }
}

package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.etl.BigRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ntrail cut} of a recording that is so long that several threads go over stretches of it:
 * as many records are kept as the recording, which was made for this, has of them.
 */
class LongCutTest {
  private static final int SWITCH = 0x0524;
  private static final int SAMPLE = 0x0F2E;
  private static final int STACK = 0x1820;

  /** Switches and threads of its own that a cut needs beside those of kept records. */
  private static final int THREADS = 401;

  @TempDir private static Path folder;

  private static Path whole = Path.of("");
  private static BigRecording.Totals totals =
      new BigRecording.Totals(0, 0, 0, Map.of(), 0, 0, 0, 0, 0, 0);

  /** Places of kernel records by hook: the time and the CPU. */
  private record Place(long time, int cpu) {}

  @BeforeAll
  static void record() throws IOException {
    whole = folder.resolve("long.etl");
    // Four stretches of 24 MB.
    totals = BigRecording.write(whole, 80_000_000, 65_536, 5);
  }

  private static Path cut(String... selection) {
    Path out = folder.resolve("cut.etl");
    List<Object> words = new ArrayList<>(List.of("cut", whole, "-o", out));
    words.addAll(List.of(selection));
    Result result = Cli.run(words.toArray());
    assertEquals(0, result.exit(), result.err());
    return out;
  }

  private static List<Place> places(Path file, int hook) throws IOException {
    List<Place> places = new ArrayList<>();
    try (EtwRecording recording =
            EtwRecording.of(List.of(InputFile.of(Files.readAllBytes(file), "long")));
        OrderedCursor cursor = inOrder(recording)) {
      while (cursor.next()) {
        RecordCursor record = cursor.record();
        if (record.kind().isHook() && record.hookId() == hook) {
          places.add(new Place(record.ticks(), record.cpu()));
        }
      }
    }
    return places;
  }

  private static OrderedCursor inOrder(EtwRecording recording) {
    recording.survey(1);
    return recording.inOrder();
  }

  /** Returns the times of the switches after which a sample is the next one on their CPU. */
  private static Set<Long> switchesBeforeSamples() throws IOException {
    List<Place> all = new ArrayList<>(places(whole, SWITCH));
    Set<Place> samples = Set.copyOf(places(whole, SAMPLE));
    all.addAll(samples);
    all.sort((a, b) -> Long.compare(a.time, b.time));
    Map<Integer, Long> last = new HashMap<>();
    Set<Long> before = new TreeSet<>();
    for (Place place : all) {
      if (!samples.contains(place)) {
        last.put(place.cpu, place.time);
      } else if (last.containsKey(place.cpu)) {
        before.add(last.get(place.cpu));
      }
    }
    return before;
  }

  @Test
  void samplesAreKeptWithTheirStacksAndTheSwitchesBeforeThem() throws IOException {
    Path cut = cut("-e", "SampleProf");
    assertEquals(places(whole, SAMPLE), places(cut, SAMPLE));
    assertEquals(totals.busySamples() + totals.idleSamples(), places(cut, SAMPLE).size());
    assertEquals(places(whole, STACK), places(cut, STACK));
    assertEquals(totals.stacks(), places(cut, STACK).size());
    Set<Long> needed = switchesBeforeSamples();
    Set<Long> kept = new TreeSet<>();
    places(cut, SWITCH).forEach(place -> kept.add(place.time));
    assertTrue(kept.containsAll(needed), "no switch is missing");
    // Threads that wait at the end have a switch and the one before it.
    assertTrue(
        kept.size() <= needed.size() + 2 * THREADS,
        "%d switches, of which %d are needed".formatted(kept.size(), needed.size()));
  }

  @Test
  void oneOfTenSamplesIsKeptAndAllSwitches() throws IOException {
    Path cut = cut("--every", "10");
    Map<Integer, Integer> numbers = new HashMap<>();
    List<Place> tenth = new ArrayList<>();
    for (Place sample : places(whole, SAMPLE)) {
      if (numbers.merge(sample.cpu, 1, Integer::sum) % 10 == 1) {
        tenth.add(sample);
      }
    }
    List<Place> kept = places(cut, SAMPLE);
    assertTrue(Set.copyOf(kept).containsAll(tenth), "the first of each ten is there");
    // The first two samples that are left out are the first of their type.
    assertTrue(kept.size() - tenth.size() <= 2, kept.size() + " of " + tenth.size());
    assertEquals(totals.contextSwitches(), places(cut, SWITCH).size());
  }

  @Test
  void aRangeOfTimeHasAllItsRecords() throws IOException {
    double from = 0.1;
    double to = 0.3;
    Path cut = cut("--time", from + ".." + to);
    long first = totals.firstTime() - 100 + (long) (from * 10_000_000);
    long end = totals.firstTime() - 100 + (long) (to * 10_000_000);
    List<Place> expected =
        places(whole, SAMPLE).stream()
            .filter(place -> place.time >= first && place.time < end)
            .toList();
    List<Place> kept =
        places(cut, SAMPLE).stream()
            .filter(place -> place.time >= first && place.time < end)
            .toList();
    assertTrue(expected.size() > 10_000, expected.size() + " samples");
    assertEquals(expected, kept);
    // The first sample of all, and one before the range whose stack is in it.
    assertTrue(places(cut, SAMPLE).size() <= expected.size() + 2, "no other samples are kept");
  }
}

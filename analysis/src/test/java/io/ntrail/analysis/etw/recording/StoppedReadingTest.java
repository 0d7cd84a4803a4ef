package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.SampleRecording;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading that is stopped on request: what the answers after it are about. */
class StoppedReadingTest {
  private static EtwRecording open(EtlWriter writer) {
    return EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "written")));
  }

  private static List<Long> times(EtwRecording recording) {
    List<Long> times = new ArrayList<>();
    try (OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        times.add(cursor.nanos());
      }
    }
    return times;
  }

  /** Stops when so many bytes were visited. */
  private static void stopAfter(EtwRecording recording, long bytes) {
    boolean[] stopped = {false};
    recording.onRead((read, _) -> {
      if (read >= bytes && !stopped[0]) {
        stopped[0] = true;
        recording.reading().stop();
      }
    });
  }

  private static List<Long> before(List<Long> times, long end) {
    return times.stream().filter(time -> time < end).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 50, 90})
  void afterAStoppedSurveyTheWalkHasExactlyTheRecordsBeforeTheTimeThatIsTold(int percent) {
    // A ring: the file begins in the middle of the recording.
    EtlWriter ring = EtlShapes.ring(7, 6_000, 60);
    List<Long> all;
    try (EtwRecording recording = open(ring)) {
      recording.survey(1);
      all = times(recording);
      assertTrue(recording.stopped().isEmpty());
    }
    try (EtwRecording recording = open(ring)) {
      stopAfter(recording, recording.size() * percent / 100);
      recording.survey(1);
      StoppedReading stopped = recording.stopped().orElseThrow();
      List<Long> read = times(recording);
      assertEquals(before(all, stopped.endNanos()), read);
      assertTrue(!read.isEmpty() && read.size() < all.size(), read.size() + " of " + all.size());
      assertTrue(Math.abs(percent - stopped.percent()) < 5, stopped.toString());
      long left = stopped.gaps().stream().mapToLong(Gap::bytes).sum();
      assertEquals(recording.size(), stopped.readBytes() + left);
      assertEquals("reading was stopped", recording.gaps().getLast().why());
    }
  }

  @Test
  void whoIsStoppedInOrderOfTimeHasReadAFirstPartAndNoMoreIsReadLater() {
    EtlWriter written = EtlShapes.outOfOrder(3, 6_000);
    try (EtwRecording recording = open(written)) {
      recording.survey(2);
      List<Long> all = times(recording);
      List<Long> read = new ArrayList<>();
      try (OrderedCursor cursor = recording.inOrder()) {
        while (cursor.next()) {
          read.add(cursor.nanos());
          if (read.size() == all.size() / 2) {
            recording.reading().stop();
          }
        }
      }
      StoppedReading stopped = recording.stopped().orElseThrow();
      assertTrue(read.size() >= all.size() / 2 && read.size() < all.size());
      assertEquals(before(all, stopped.endNanos()), read);
      assertEquals(read, times(recording), "a later pass has no more than the stopped one");
    }
  }

  @Test
  void aProfileOfAStoppedSurveyIsTheProfileOfTheTimeThatItTells() {
    EtlWriter sample = SampleRecording.make();
    try (EtwRecording recording = open(sample)) {
      stopAfter(recording, recording.size() / 2);
      long total = total(recording, ProfileScope.ALL);
      StoppedReading stopped = recording.stopped().orElseThrow();
      long end = stopped.endNanos();
      try (EtwRecording whole = open(sample)) {
        ProfileScope part = ProfileScope.ALL.during(Long.MIN_VALUE, end);
        assertEquals(total(whole, part), total);
        assertTrue(total > 0 && total < total(whole, ProfileScope.ALL), total + " samples");
      }
    }
  }

  private static long total(EtwRecording recording, ProfileScope scope) {
    Profiler profiler =
        new Profiler(
            ProfileInput.of(recording, Sources.SHARED, 1, false),
            new Profiler.Request(WeightSources.usual(), WeightUnit.COUNT, Variant.ONLY, scope),
            null);
    profiler.run(_ -> {});
    return profiler.total();
  }

  @Test
  void countsAreThoseOfTheBuffersThatWereRead() {
    EtlWriter written = EtlShapes.outOfOrder(3, 6_000);
    try (EtwRecording recording = open(written)) {
      stopAfter(recording, recording.size() / 3);
      long counted = EventCounts.of(recording, 1, Sources.SHARED).records();
      assertEquals(recording.survey(1).records(), counted);
      assertTrue(counted < written.truth().size());
      assertTrue(counted >= times(recording).size());
    }
  }

  @Test
  void theLastBufferIsNoPlaceToStop() {
    EtlWriter written = EtlShapes.outOfOrder(3, 600);
    try (EtwRecording recording = open(written)) {
      recording.survey(1);
      List<Long> all = times(recording);
      recording.reading().stop();
      // There was a request, but nothing is left out before the next pass.
      assertTrue(recording.stopped().isEmpty());
      assertFalse(all.isEmpty());
    }
  }

  @Test
  void aPositionNamesItsPassAndIsOverAtItsEndOnly() {
    try (EtwRecording recording = open(EtlShapes.outOfOrder(3, 6_000))) {
      List<StoppableWork.Position<ReadingState.Pass>> positions = new ArrayList<>();
      recording.onRead((_, _) -> positions.add(recording.reading().position()));
      recording.survey(1);
      assertTrue(recording.reading().position().isOver());
      assertTrue(
          positions.stream()
              .allMatch(at -> at.phase() == ReadingState.Pass.SURVEY && at.done() > 0));
      try (OrderedCursor cursor = recording.inOrder()) {
        StoppableWork.Position<ReadingState.Pass> begun = recording.reading().position();
        assertEquals(ReadingState.Pass.IN_ORDER, begun.phase());
        assertFalse(begun.isOver());
        while (cursor.next()) {
          // To the end.
        }
      }
      assertTrue(recording.reading().position().isOver());
    }
  }
}

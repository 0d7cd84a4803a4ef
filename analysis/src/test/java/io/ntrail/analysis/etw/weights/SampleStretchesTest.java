package io.ntrail.analysis.etw.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.stacks.NotedSamples;
import io.ntrail.analysis.etw.stacks.SampleJoin;
import io.ntrail.analysis.naming.CodeMap;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.ProfileAggregator;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.SharedShape;
import io.ntrail.analysis.profile.StackFilter;
import io.ntrail.analysis.profile.StackParts;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.analysis.profile.WeightedStack;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.BigProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Samples that several threads find, each in other stretches of time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SampleStretchesTest {
  private static final int WHOLE = 1 << 30;
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  @SuppressWarnings("NullAway.Init") // Set by write().
  private EtwRecording recording;

  @BeforeAll
  void write(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("samples.etl");
    BigProfile.write(file, 4_000_000, 3_000, 23);
    recording = EtwRecording.of(List.of(InputFile.copy(file, "samples.etl")));
  }

  @AfterAll
  void close() {
    recording.close();
  }

  private ProfileInput input(int cores, int slice) {
    return ProfileInput.of(
        recording, SOURCES, cores, false, WeightSubject.NONE, NotedSamples.Wanted.NONE, slice);
  }

  /** Surveys a recording, and notes its samples as it goes by. */
  private static ProfileInput noted(EtwRecording of, int cores, int slice) {
    return ProfileInput.of(
        of, SOURCES, cores, false, WeightSubject.NONE, NotedSamples.Wanted.ALL, slice);
  }

  private static Profiler profiler(ProfileInput input, ProfileScope scope) {
    return new Profiler(
        input, new Profiler.Request(CpuSamples.TIMER, WeightUnit.NANOS, Variant.ONLY, scope), null);
  }

  private static String weights(ProfileInput input, ProfileScope scope, int kept) {
    Profiler profiler = profiler(input, scope);
    StringBuilder text = new StringBuilder();
    profiler.run(
        stack ->
            text.append(stack.key())
                .append(' ')
                .append(stack.process())
                .append(' ')
                .append(stack.thread())
                .append(' ')
                .append(stack.cpu())
                .append(' ')
                .append(stack.weight())
                .append(stack.isRecorded() ? " recorded" : "")
                .append(stack.isEmpty() ? " empty\n" : "\n"),
        kept);
    return text.append(counts(profiler)).toString();
  }

  private static String counts(Profiler profiler) {
    return List.of(
            profiler.total(),
            profiler.idle(),
            profiler.weights(),
            profiler.withFrames(),
            profiler.references(),
            profiler.unmatched(),
            profiler.undefined(),
            profiler.leftOut(),
            profiler.owners(),
            profiler.unmatchedWords(),
            profiler.remarks().unattributed(),
            profiler.remarks().intervalUnknown())
        .toString();
  }

  private static ProfileScope some() {
    return new ProfileScope(
        List.of(NamePattern.of("b*"), NamePattern.of("nobody")),
        List.of(),
        List.of(),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        ProfileScope.Mode.ALL,
        true,
        StackFilter.ALL);
  }

  @Test
  void theRecordingHasManyStretches() {
    assertTrue(input(2, 512).stacks().stretches().length > 15);
    assertEquals(1, input(2, WHOLE).stacks().stretches().length);
  }

  @Test
  void weightsComeInTheOrderOfOneWalk() {
    for (ProfileScope scope : List.of(ProfileScope.ALL, some())) {
      String one = weights(input(1, WHOLE), scope, 100);
      for (int cores : new int[] {1, 2, 7}) {
        for (int slice : new int[] {300, 5_000}) {
          assertEquals(one, weights(input(cores, slice), scope, 1 << 16), cores + " " + slice);
        }
      }
    }
  }

  @Test
  void samplesThatASurveyHasNotedAreThoseOfOneWalk() {
    for (ProfileScope scope : List.of(ProfileScope.ALL, some())) {
      String one = weights(input(1, WHOLE), scope, 100);
      for (int cores : new int[] {1, 2, 7}) {
        for (int slice : cores == 2 ? new int[] {300, WHOLE} : new int[] {300}) {
          ProfileInput noted = noted(recording, cores, slice);
          SampleJoin join = noted.samples().join(noted.stacks(), cores);
          assertNotNull(join);
          assertEquals(slice < WHOLE, join.windows() > 15);
          assertEquals(one, weights(noted, scope, 100), cores + " cores");
        }
      }
    }
  }

  /**
   * Asserts that a profile that is stopped has what is before the time that the recording tells.
   */
  private static void assertStopped(
      Path folder,
      int cores,
      long least,
      BiFunction<Profiler, EtwRecording, ProfileAggregator> stopping)
      throws IOException {
    Path file = folder.resolve("stopped.etl");
    BigProfile.write(file, 1_000_000, 500, 7);
    try (EtwRecording whole = EtwRecording.of(List.of(InputFile.copy(file, "whole.etl")));
        EtwRecording stopped = EtwRecording.of(List.of(InputFile.copy(file, "stopped.etl")))) {
      Profiler part = profiler(noted(stopped, cores, 100), ProfileScope.ALL);
      part.run(stopping.apply(part, stopped));
      long end = stopped.stopped().orElseThrow().endNanos();
      ProfileScope until = ProfileScope.ALL.during(Long.MIN_VALUE, end);
      Profiler same = profiler(noted(whole, 1, 100), until);
      same.run(_ -> {});
      Profiler all = profiler(noted(whole, 1, 100), ProfileScope.ALL);
      all.run(_ -> {});
      assertEquals(same.total(), part.total());
      assertTrue(part.weights() >= least && part.weights() < all.weights());
    }
  }

  @Test
  void aStopAmongNotedSamplesLeavesThoseOfTheTimeThatItTells(@TempDir Path folder)
      throws IOException {
    assertStopped(
        folder,
        1,
        500,
        (part, stopped) ->
            _ -> {
              if (part.weights() == 500) {
                stopped.reading().stop();
              }
            });
  }

  @Test
  void idleSamplesThatAreOnlyCountedAreAsMany() {
    Profiler.Request request =
        new Profiler.Request(CpuSamples.TIMER, WeightUnit.SAMPLES, Variant.ONLY, ProfileScope.ALL);
    ProfileInput noted =
        ProfileInput.of(
            recording,
            SOURCES,
            2,
            request.source(),
            request.unit(),
            request.scope(),
            WeightSubject.NONE);
    Profiler busy = new Profiler(noted, request, null);
    busy.run(_ -> {});
    Profiler walked = new Profiler(input(1, WHOLE), request, null);
    walked.run(_ -> {});
    assertTrue(busy.idle() > 100);
    assertEquals(counts(walked), counts(busy));
  }

  @Test
  void aStretchWithMoreThanIsKeptGoesOnInItsTurn() {
    String one = weights(input(1, WHOLE), ProfileScope.ALL, 100);
    assertEquals(one, weights(input(2, 3_000), ProfileScope.ALL, 100));
    assertEquals(one, weights(input(7, 3_000), ProfileScope.ALL, 1));
  }

  private static String rows(Profiler profiler) {
    return rows(profiler, false, 1);
  }

  private static String rows(Profiler profiler, boolean byModule, int cores) {
    FlatProfile flat = new FlatProfile(profiler.functions(), byModule);
    profiler.run(flat);
    StringBuilder text = new StringBuilder();
    for (ProfileRow row : flat.rows(false, cores)) {
      text.append(row.text()).append(' ').append(row.self()).append(' ').append(row.inclusive());
      text.append('\n');
    }
    return text.toString();
  }

  @Test
  void stacksThatAreSummedByPartWeighWhatTheirFramesDo() {
    ProfileInput input = input(1, 700);
    // A rule that means nothing: where there are rules, each stack is added frame by frame.
    FrameRules rules =
        new FrameRules(true, false, false, List.of(), List.of(NamePattern.of("no!such")));
    Profiler.Request request =
        new Profiler.Request(CpuSamples.TIMER, WeightUnit.NANOS, Variant.ONLY, ProfileScope.ALL);
    String byFrame = rows(new Profiler(input, request, null, rules));
    assertTrue(byFrame.length() > 1000);
    assertEquals(byFrame, rows(new Profiler(input, request, null)));
  }

  @Test
  void functionsWeighTheSame() {
    List<String> rows = new ArrayList<>();
    for (int cores : new int[] {1, 2, 7}) {
      rows.add(rows(profiler(input(cores, 700), ProfileScope.ALL)));
      rows.add(rows(profiler(noted(recording, cores, 700), ProfileScope.ALL)));
    }
    assertTrue(rows.getFirst().length() > 1000);
    assertEquals(Collections.nCopies(rows.size(), rows.getFirst()), rows);
  }

  @Test
  void theKernelsHalfIsOneForItsOwnProcessesAndAllOthers() {
    ProfileInput input = input(1, WHOLE);
    FrameLookup names =
        new FrameLookup(
            new CodeMap(input.machine().images(), input.machine().methods(), recording::isKernel),
            null,
            FrameRules.USUAL);
    Set<Integer> others = new HashSet<>();
    profiler(input, ProfileScope.ALL)
        .run(stack -> {
          int kernel = names.layout(stack.process(), stack.key(), true);
          assertEquals(kernel, names.layout(0, stack.key(), true));
          assertEquals(kernel, names.layout(4, stack.key(), true));
          int user = names.layout(stack.process(), stack.key(), false);
          if (user != names.layout(4, stack.key(), false)) {
            others.add(stack.process());
          }
        });
    assertTrue(others.size() > 10 && !others.contains(0));
  }

  @Test
  void manyStacksAreNamedBySeveralThreads(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("stacks.etl");
    BigProfile.write(file, 7_000_000, 100_000, 29);
    try (EtwRecording many = EtwRecording.of(List.of(InputFile.copy(file, "stacks.etl")))) {
      for (boolean byModule : new boolean[] {false, true}) {
        String one = rows(profiler(noted(many, 1, WHOLE), ProfileScope.ALL), byModule, 1);
        for (int cores : new int[] {2, 7}) {
          ProfileInput input = noted(many, cores, 2_000);
          assertTrue(input.stacks().definitions() > 12_000);
          assertEquals(one, rows(profiler(input, ProfileScope.ALL), byModule, cores));
        }
      }
    }
  }

  @Test
  void functionsWithNamesWeighTheSame() throws IOException {
    Path samples = TestData.projectRoot().resolve("samples");
    PdbSearch pdbs = new PdbSearch(List.of(samples.resolve("symbols")));
    try (EtwRecording shop =
        EtwRecording.of(List.of(InputFile.copy(samples.resolve("shop.etl"), "shop.etl")))) {
      List<String> rows = new ArrayList<>();
      for (int cores : new int[] {1, 2, 7}) {
        ProfileInput input = noted(shop, cores, 100);
        Profiler.Request request =
            new Profiler.Request(
                CpuSamples.TIMER, WeightUnit.NANOS, Variant.ONLY, ProfileScope.ALL);
        try (RecordingSymbols symbols = new RecordingSymbols(input.machine().images(), pdbs)) {
          rows.add(rows(new Profiler(input, request, symbols), false, cores));
        }
      }
      assertTrue(rows.getFirst().contains("shopcore.dll!"), rows.getFirst());
      assertEquals(Collections.nCopies(3, rows.getFirst()), rows);
    }
  }

  /** Stops reading while several threads add weights. */
  private static final class StoppingShape implements SharedShape {
    private final EtwRecording recording;
    private final AtomicInteger left = new AtomicInteger(300);

    StoppingShape(EtwRecording recording) {
      this.recording = recording;
    }

    @Override
    public void add(WeightedStack stack) {
      throw new IllegalStateException("not by a thread of its own");
    }

    @Override
    public Share share(FrameLookup names, StackParts parts, int sharers) {
      FrameLookup own = names.another();
      return new Share() {
        @Override
        public FrameLookup names() {
          return own;
        }

        @Override
        public void add(WeightedStack stack) {
          if (left.decrementAndGet() == 0) {
            recording.reading().stop();
          }
        }

        @Override
        public void finish() {
          // Nothing was added up.
        }
      };
    }
  }

  @Test
  void aStopWhileSeveralThreadsAddLeavesWhatIsBeforeTheTimeThatItTells(@TempDir Path folder)
      throws IOException {
    assertStopped(folder, 3, 300, (_, stopped) -> new StoppingShape(stopped));
  }
}

package io.ntrail.benchmarks;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.etl.RecordKind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Profiles of CPU samples with their stacks, by function and by module, beside the walk over all
 * records in time order. Each opens the file anew; one core.
 *
 * <p>The file is given as {@code -p file=PATH}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 2,
    jvmArgs = {"-Xmx256m", "-Xlog:disable", "-Xlog:all=error:stderr"})
public class ProfileBenchmark {
  private static final int KINDS = RecordKind.values().length;
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  /** The recording. */
  @Param({""})
  public String file = "";

  /** Yardstick: all records in time order, counted by kind. */
  @Benchmark
  public long[] walk() {
    long[] counts = new long[KINDS];
    try (EtwRecording recording = RecordingInput.openEtw(List.of(Path.of(file)));
        OrderedCursor cursor = recording.inOrder()) {
      while (cursor.next()) {
        counts[cursor.record().kindOrdinal()]++;
      }
    }
    return counts;
  }

  /** Measures the pass before a profile. */
  @Benchmark
  public long survey() {
    try (EtwRecording recording = RecordingInput.openEtw(List.of(Path.of(file)))) {
      return ProfileInput.of(recording, SOURCES, 1, false).stacks().definitions();
    }
  }

  /** Self and inclusive samples of all functions. */
  @Benchmark
  public long byFunction() {
    return profile(false);
  }

  /** Self and inclusive samples of all modules. */
  @Benchmark
  public long byModule() {
    return profile(true);
  }

  private long profile(boolean modules) {
    try (EtwRecording recording = RecordingInput.openEtw(List.of(Path.of(file)))) {
      ProfileInput input = ProfileInput.of(recording, SOURCES, 1, false);
      Profiler profiler =
          new Profiler(
              input,
              new Profiler.Request(
                  WeightSources.usual(), WeightUnit.SAMPLES, Variant.ONLY, ProfileScope.ALL),
              null);
      FlatProfile flat = new FlatProfile(profiler.functions(), modules);
      profiler.run(flat);
      return profiler.total() + flat.rows(true).size();
    }
  }
}

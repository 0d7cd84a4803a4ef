package io.ntrail.benchmarks;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.cli.Main;
import io.ntrail.cli.text.Terminal;
import java.io.OutputStream;
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
 * Events with all their fields, beside the walk over the bare records. Each is a whole command in a
 * warm machine: it opens the file, surveys it and goes through all records on one core.
 *
 * <p>The file is given as {@code -p file=PATH}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 2,
    jvmArgs = {"-Xmx256m", "-Xlog:disable", "-Xlog:all=error:stderr"})
public class EventsBenchmark {
  /** The recording. */
  @Param({""})
  public String file = "";

  private final SchemaSources sources = new SchemaSources(UserSchemas.NONE);

  /** Yardstick: all records in time order, nothing decoded. */
  @Benchmark
  public long walk() {
    long sum = 0;
    try (EtwRecording recording = RecordingInput.openEtw(List.of(Path.of(file)))) {
      recording.survey(1);
      try (OrderedCursor cursor = recording.inOrder()) {
        while (cursor.next()) {
          sum += cursor.record().size();
        }
      }
    }
    return sum;
  }

  /** All fields of all events taken apart, process and thread attributed; nothing printed. */
  @Benchmark
  public long fields() {
    long sum = 0;
    try (EtwRecording recording = RecordingInput.openEtw(List.of(Path.of(file)))) {
      Events events = Events.of(recording, sources, 1);
      try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
        while (walk.next()) {
          sum += walk.event().payload().size() + walk.event().processId();
        }
      }
    }
    return sum;
  }

  /** {@code events FILE --format jsonl}, thrown away. */
  @Benchmark
  public int jsonLines() {
    return Main.run(
        new String[] {"events", file, "--format", "jsonl", "--cores", "1", "-q"},
        Terminal.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream()));
  }
}

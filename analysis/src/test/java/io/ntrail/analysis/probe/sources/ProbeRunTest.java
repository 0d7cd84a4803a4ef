package io.ntrail.analysis.probe.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProbeRunTest {
  private static final Probe EVENT = new Probe(4, "test", "", "", "event", List.of());

  private record Moment(long timestamp) implements ProbeEvent {
    @Override
    public long wallTimestamp() {
      return 0;
    }
  }

  /** Events at some times. */
  private record Times(List<Long> times) implements ProbeSource {
    @Override
    public List<Probe> all() {
      return List.of(EVENT);
    }

    @Override
    public List<Probe> matching(ProbeDescription description, boolean ignoresCase) {
      return description.name().equals("event") ? all() : List.of();
    }

    @Override
    public ProbeEvent at(long nanos) {
      return new Moment(nanos);
    }

    @Override
    public void run(Set<Probe> enabled, Sink sink) {
      times.forEach(time -> sink.fire(EVENT, new Moment(time)));
    }

    @Override
    public long endNanos() {
      return times.getLast();
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private static ProbeRun.Outcome ran(ByteArrayOutputStream out, String program, Long... times) {
    ProbeRun run =
        new ProbeRun(
            new Times(List.of(times)),
            Parser.parse(
                program, new Macros(List.of("test"), Map.of()), ProbeDescription.Field.NAME, false),
            new Options());
    PrintStream err =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return run.run(out, err, () -> false);
  }

  @Test
  void probesOfTimeFireBetweenEvents() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ProbeRun.Outcome outcome =
        ran(out, "tick-1ms { @ = count(); } event { @e = count(); }", 500_000L, 3_500_000L);
    assertEquals("\n                3\n                2\n", out.toString(StandardCharsets.UTF_8));
    assertEquals(List.of(), outcome.drops());
  }

  @Test
  void aTimeThatIsFarAwayLeavesFiringsOutAndTellsIt() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ProbeRun.Outcome outcome = ran(out, "tick-1ms { @ = count(); }", 500_000L, Long.MAX_VALUE);
    assertEquals("\n          1000001\n", out.toString(StandardCharsets.UTF_8));
    assertEquals(
        List.of("9223371036853 firings of probes of time left out, in times without events"),
        outcome.drops());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "event { exit(0); } | 500000",
        "tick-1ms { exit(0); } | 1000000",
        "BEGIN { exit(0); } | 0",
        "event {} | 3500000",
      })
  void endSeesTheTimeOfExitOrTheEndOfTheEvents(String clause, long time) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ran(out, clause + " event {} END { @ = max(timestamp); }", 500_000L, 3_500_000L);
    String printed = out.toString(StandardCharsets.UTF_8).strip();
    assertTrue(printed.endsWith(" " + time), printed);
  }
}

package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that run already when tracing comes: what they do then is as if it had started them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AttachedProgramsTest {
  private Programs programs;

  @BeforeAll
  void begin(@TempDir Path folder) {
    programs = new Programs(folder);
  }

  @AfterAll
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  private static Map<String, String> counts(CallTable calls) {
    Map<String, String> counts = new TreeMap<>();
    calls.byFunction().forEach((function, row) -> counts.put(function, row.toString()));
    return counts;
  }

  @ParameterizedTest
  @ValueSource(strings = {"counts.c", "throws.cpp", "jump.c", "tails.cpp", "births.c", "wide.c"})
  void itsCallsAreThoseOfAProgramThatWasStarted(String source) throws IOException {
    Path program = Programs.build(source, "attached.c");
    Outcome started = programs.same(new Settings().exports(), program);
    Outcome attached = programs.same(new Settings().exports().attached(), program);
    assertEquals(counts(Programs.exact(started)), counts(Programs.exact(attached)));
  }

  @Test
  void callsOfFibersAreThoseOfAProgramThatWasStarted() throws IOException {
    Path program = Programs.build("fibers.c", "attached.c");
    Map<String, List<Long>> started = records(programs.same(new Settings().exports(), program));
    assertEquals(20L * (6 + 17 + 28 + 39), started.getOrDefault("climb", List.of(0L)).getFirst());
    assertEquals(started, records(programs.same(new Settings().exports().attached(), program)));
  }

  /** Entries and exits: calls that begin in one thread and end in another are none of either's. */
  private static Map<String, List<Long>> records(Outcome traced) throws IOException {
    assertEquals(0, traced.statistics().allDropped(), traced.statistics()::toString);
    assertEquals(0, traced.statistics().damaged(), traced.statistics()::toString);
    Map<String, List<Long>> records = new TreeMap<>();
    traced
        .calls()
        .byFunction()
        .forEach((function, row) ->
            records.put(
                function.substring(function.indexOf('!') + 1), List.of(row.entries, row.exits)));
    return records;
  }

  @Test
  void fortyNineThreadsComeToTheSameResult() throws IOException {
    Path program = Programs.build(List.of("-lgdi32", "-lws2_32"), "workload.cpp", "attached.c");
    Wine.Outcome expected = programs.untraced(program, "");
    Settings settings =
        new Settings()
            .program()
            .modules(Tracing.SYSTEM)
            .chunks(2048)
            .stacks(128)
            .limit(Duration.ofSeconds(200))
            .attached();
    Outcome traced = programs.traced(settings, program);
    Programs.mustEqual(expected, traced);
    assertEquals(0, traced.statistics().damaged(), traced.statistics()::toString);
    assertEquals(0, traced.statistics().noTable(), traced.statistics()::toString);
    assertTrue(traced.statistics().captured().unwinds() > 1000);
  }
}

package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.testkit.Property;
import io.ntrail.testkit.probe.SlowEvent;
import io.ntrail.testkit.probe.SlowProgram;
import io.ntrail.testkit.probe.SlowPrograms;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Random programs over random events print what a second evaluator says, a slow one. */
class RandomProgramsTest {
  private static final int RUNS = Boolean.getBoolean("ntrail.long") ? 50_000 : 1_500;

  private static void check(boolean hasStrings) {
    Property.check(
        RUNS,
        gen -> {
          SlowProgram program = SlowPrograms.draw(gen, hasStrings);
          List<SlowEvent> events = SlowPrograms.events(gen);
          String text = program.text();
          assertEquals(program.output(events), ProbeScript.over(text, events), text);
        });
  }

  @Test
  void numbersVariablesAndAggregationsAgree() {
    check(false);
  }

  @Test
  void stringsAndAssociativeArraysAgree() {
    check(true);
  }
}

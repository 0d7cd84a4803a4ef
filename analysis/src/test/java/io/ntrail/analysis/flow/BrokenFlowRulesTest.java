package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.MutantLoader.Rule;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pt.LibiptCase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * The proof of the decoder with rules that are wrong: each condition, and each case of a switch, is
 * turned round in turn. The cases stay as they are, so the proof has to notice.
 */
class BrokenFlowRulesTest {
  private static final List<String> CLASSES =
      List.of(
          "FlowDecoder",
          "EventPackets",
          "HeaderCheck",
          "TraceHeader",
          "PendingPackets",
          "FlowPlace",
          "CodeWalk",
          "EndlessCheck",
          "StraightWalk",
          "ReturnStack");

  /** Percent of the rules that may be turned round without being noticed; 10 were. */
  private static final int MOST_MISSED = 20;

  private static final int TURNS = 3_000_000;

  private static boolean holds(Rule broken, List<LibiptCase> cases)
      throws ReflectiveOperationException {
    MutantTurns.allow(TURNS);
    try {
      Class<?> proof = new MutantLoader(broken).loadClass(FlowProof.class.getName());
      @SuppressWarnings("unchecked") // the class says so
      Predicate<List<LibiptCase>> predicate =
          (Predicate<List<LibiptCase>>) proof.getDeclaredConstructor().newInstance();
      return predicate.test(cases);
    } catch (RuntimeException _) {
      return false;
    }
  }

  @Test
  void theProofFailsWhereARuleIsWrong() throws IOException, ReflectiveOperationException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<LibiptCase> cases = LibiptCasesTest.cases();
    assertTrue(holds(new Rule("none", -1, "none is broken"), cases));
    List<Rule> rules = new ArrayList<>();
    for (String name : CLASSES) {
      rules.addAll(MutantLoader.rules(name));
    }
    // What two threads hand over is compared with what one does, see WholeFlowTest.
    rules.removeIf(
        rule -> rule.text().contains(".snapshot,") || rule.text().contains("ReturnStack.blocks,"));
    List<Rule> tried = Slice.of(rules, 20);
    List<String> missed = new ArrayList<>();
    for (Rule rule : tried) {
      if (holds(rule, cases)) {
        missed.add(rule.text());
      }
    }
    // Some are equal to the sound ones: of two conditions, either; cases that are the default.
    assertTrue(
        MOST_MISSED * tried.size() >= 100 * missed.size(),
        missed.size() + " of " + tried.size() + ": " + missed);
  }
}

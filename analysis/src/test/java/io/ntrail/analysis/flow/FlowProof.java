package io.ntrail.analysis.flow;

import io.ntrail.testkit.pt.LibiptCase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Proof of the decoder by cases of others and by flows of ours, for mutants of it. */
public final class FlowProof implements Predicate<List<LibiptCase>> {
  private static final List<Class<?>> HAND_WORKED =
      List.of(
          FlowDecoderTest.class,
          FlowRulesTest.class,
          FlowBindingRulesTest.class,
          FlowModesTest.class);

  /** Made by the loader of the mutant. */
  public FlowProof() {}

  @Override
  public boolean test(List<LibiptCase> cases) {
    return LibiptCasesTest.others(cases, true).isEmpty()
        && LibiptCasesTest.others(cases, false).size() == 2
        && handWorked();
  }

  /** Runs each test of the flows that were worked out by hand, of the mutant's loader. */
  private static boolean handWorked() {
    for (Class<?> flows : HAND_WORKED) {
      for (Method test : flows.getDeclaredMethods()) {
        if (test.isAnnotationPresent(Test.class) && !passes(flows, test)) {
          return false;
        }
      }
    }
    return joined();
  }

  @SuppressWarnings("JUnitMethodInvoked") // of the mutant's loader, which no runner knows
  private static boolean joined() {
    try {
      new JoinedFlowTest().theErrorNamesTheTntThatDoesNotFit();
      return true;
    } catch (AssertionError _) {
      return false;
    }
  }

  private static boolean passes(Class<?> flows, Method test) {
    try {
      test.invoke(flows.getDeclaredConstructor().newInstance());
      return true;
    } catch (InvocationTargetException _) {
      return false;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a test that cannot be called: " + test, e);
    }
  }
}

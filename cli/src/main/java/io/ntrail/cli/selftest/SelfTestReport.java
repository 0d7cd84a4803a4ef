package io.ntrail.cli.selftest;

import static java.util.stream.Collectors.joining;

import io.ntrail.cli.selftest.StepResult.State;
import io.ntrail.cli.selftest.StepSkipped.Need;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Report of a self-test, as text or as JSON. */
final class SelfTestReport {
  private static final int STATE_WIDTH = 9;
  private static final int NAME_WIDTH = 12;

  private final PrintStream out;
  private String group = "";

  SelfTestReport(PrintStream out) {
    this.out = out;
  }

  /** Prints what was found about the machine. */
  void machine(TestedMachine machine) {
    out.println("ntrail doctor --self-test: the steps of docs/windows-checklist.md");
    line("ntrail", machine.ntrail());
    line("system", machine.system());
    line("programs", machine.host());
    line("processor", machine.processor());
    line("java", machine.java());
    line(
        "policies",
        machine.policies().entrySet().stream()
            .map(one -> TestedMachine.title(one.getKey()) + " " + one.getValue())
            .collect(joining(", ")));
  }

  private void line(String what, String text) {
    out.println("  " + what + " ".repeat(NAME_WIDTH - what.length()) + text);
  }

  /** Prints the result of a step. */
  void step(StepResult result) {
    Step step = result.step();
    if (!step.group().equals(group)) {
      group = step.group();
      out.println("");
      out.println(group);
    }
    String word = result.state().word();
    Need need = result.needs();
    String needs = need == null ? "" : "needs " + need.text();
    String notes =
        Stream.of(needs, result.note()).filter(one -> !one.isEmpty()).collect(joining(": "));
    String note = notes.isEmpty() ? "" : " (" + notes + ")";
    String time = result.state() == State.SKIPPED ? "" : ", " + Numbers.duration(result.nanos());
    String head = "  " + word + " ".repeat(STATE_WIDTH - word.length());
    out.println(head + step.title() + note + time);
    String indent = " ".repeat(STATE_WIDTH + 2);
    if (result.state() == State.FAILED) {
      if (!result.command().isEmpty()) {
        out.println(indent + "command:  " + result.command());
      }
      out.println(indent + "expected: " + result.expected());
      out.println(indent + "seen:     " + result.seen());
    }
    if (result.state() == State.SKIPPED && !result.command().isEmpty()) {
      out.println(indent + "type: " + result.command());
    }
    out.flush();
  }

  /** Prints the sums. */
  void end(List<StepResult> results, long nanos) {
    out.println("");
    out.println(
        "%d passed, %d failed, %d skipped in %s"
            .formatted(
                count(results, State.PASSED),
                count(results, State.FAILED),
                count(results, State.SKIPPED),
                Numbers.duration(nanos)));
  }

  static long count(List<StepResult> results, State state) {
    return results.stream().filter(result -> result.state() == state).count();
  }

  /** Writes all as one object. */
  static void json(PrintStream out, TestedMachine machine, List<StepResult> results, long nanos) {
    try (Json json = new Json(out)) {
      json.object().text("schema", "ntrail.self-test/1").object("machine");
      json.text("ntrail", machine.ntrail())
          .text("system", machine.system())
          .text("programs", machine.host())
          .text("processor", machine.processor())
          .text("java", machine.java())
          .object("policies");
      machine.policies().forEach((policy, flags) -> json.text(TestedMachine.title(policy), flags));
      json.endObject().endObject();
      for (State state : State.values()) {
        json.number(state.word(), count(results, state));
      }
      json.number("durationNanos", nanos).array("steps");
      for (StepResult result : results) {
        Step step = result.step();
        Need need = result.needs();
        json.object()
            .text("group", step.group())
            .text("title", step.title())
            .text("state", result.state().word())
            .text("needs", need == null ? null : need.word())
            .text("command", known(result.command()))
            .text("note", known(result.note()))
            .text("expected", known(result.expected()))
            .text("seen", known(result.seen()))
            .number("durationNanos", result.nanos())
            .endObject();
      }
      json.endArray().endObject();
    }
    out.println();
  }

  private static @Nullable String known(String text) {
    return text.isEmpty() ? null : text;
  }
}

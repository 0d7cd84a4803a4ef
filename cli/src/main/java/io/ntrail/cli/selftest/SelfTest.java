package io.ntrail.cli.selftest;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.selftest.StepResult.State;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.agent.AgentHost;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * Self-test of tracing on this machine: runs steps one after the other, each within a time limit,
 * and leaves neither processes nor files.
 */
public final class SelfTest {
  private static final String AFTER = "After";

  /**
   * Time limits.
   *
   * @param seconds of all steps together
   * @param patience seconds that what was ended may take to go
   */
  record Limits(int seconds, int patience) {}

  private static final Limits LIMITS = new Limits(600, 5);

  private final AgentHost host;
  private final List<String> itself;
  private final ProgramFiles files;
  private final List<Step> steps;
  private final Limits limits;
  private final AtomicBoolean interrupted = new AtomicBoolean();
  private volatile @Nullable WorkFolder work;
  private volatile @Nullable Bench bench;

  /**
   * @param itself command that starts ntrail, see {@link Bench#itself()}
   */
  SelfTest(
      AgentHost host, List<String> itself, ProgramFiles files, List<Step> steps, Limits limits) {
    this.host = host;
    this.itself = List.copyOf(itself);
    this.files = files;
    this.steps = List.copyOf(steps);
    this.limits = limits;
  }

  /** Runs all steps, and prints the report. */
  public static int run(ParseResult parsed, Terminal terminal) throws IOException {
    Format format = CommonOptions.format(parsed, Format.TEXT, Format.JSON);
    AgentHost host = ProgramHost.of(parsed);
    Terminal output = CommonOptions.output(parsed, terminal);
    SelfTest test = new SelfTest(host, Bench.itself(), ProgramFiles.make(), steps(), LIMITS);
    int code = test.run(output, format == Format.JSON);
    output.close();
    terminal.outputs().complete();
    return code;
  }

  /** Returns all steps of the checklist, in its order. */
  static List<Step> steps() {
    List<Step> steps = new ArrayList<>(StartSteps.all());
    steps.addAll(AttachSteps.all());
    steps.addAll(OtherSteps.all());
    return steps;
  }

  /** Runs the steps, and prints the report as text or as JSON. */
  int run(Terminal terminal, boolean isJson) throws IOException {
    long begun = System.nanoTime();
    SelfTestReport report = new SelfTestReport(terminal.out());
    List<StepResult> results = new ArrayList<>();
    Thread hook = new Thread(this::clean, "self-test");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      WorkFolder folder = WorkFolder.create(limits.patience);
      work = folder;
      Deadline whole = Deadline.in(limits.seconds);
      Bench first = new Bench(host, itself, folder, files, 0, Deadline.in(60).orEarlier(whole));
      bench = first;
      TestedMachine machine = TestedMachine.of(first, host);
      first.clear();
      if (!isJson) {
        report.machine(machine);
      }
      for (int i = 0; i < steps.size(); i++) {
        Step step = steps.get(i);
        show(terminal, step, i + 1);
        add(results, run(folder, step, i + 1, whole), report, isJson);
        boolean isLast = i + 1 == steps.size() || !steps.get(i + 1).group().equals(step.group());
        if (isLast) {
          add(results, leftovers(folder, step.group()), report, isJson);
        }
      }
      add(results, after(folder), report, isJson);
      if (showsProgress(terminal)) {
        terminal.eraseLine();
      }
      long nanos = System.nanoTime() - begun;
      if (isJson) {
        SelfTestReport.json(terminal.out(), machine, results, nanos);
      } else {
        report.end(results, nanos);
      }
      terminal.out().flush();
      return SelfTestReport.count(results, State.FAILED) == 0 ? ExitCode.DONE : ExitCode.FAILED;
    } finally {
      clean();
      removeHook(hook);
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: it runs now.
    }
  }

  private static boolean showsProgress(Terminal terminal) {
    return terminal.errIsTerminal() && !terminal.outIsTerminal();
  }

  private void show(Terminal terminal, Step step, int number) {
    if (showsProgress(terminal)) {
      terminal.rewriteLine("step %d of %d: %s".formatted(number, steps.size(), step.title()));
    }
  }

  private static void add(
      List<StepResult> results, StepResult result, SelfTestReport report, boolean isJson) {
    results.add(result);
    if (!isJson) {
      report.step(result);
    }
  }

  private StepResult run(WorkFolder folder, Step step, int number, Deadline whole)
      throws IOException {
    long begun = System.nanoTime();
    if (whole.isOver() || interrupted.get()) {
      return StepResult.failed(
          step, "", "all steps within " + limits.seconds + " s", "this step was not begun", 0);
    }
    Deadline deadline = Deadline.in(step.seconds()).orEarlier(whole);
    Bench tools = new Bench(host, itself, folder, files, number, deadline);
    bench = tools;
    try {
      String note = step.body().run(tools);
      return StepResult.passed(step, note, System.nanoTime() - begun);
    } catch (StepSkipped e) {
      return StepResult.skipped(step, e);
    } catch (StepFailed e) {
      return failed(step, tools, e.expected(), e.seen(), begun);
    } catch (IOException e) {
      return failed(step, tools, "no error", String.valueOf(e), begun);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed(step, tools, "no interrupt", "an interrupt", begun);
    } finally {
      tools.clear();
    }
  }

  private static StepResult failed(
      Step step, Bench tools, String expected, String seen, long begun) {
    return StepResult.failed(step, tools.lastCommand(), expected, seen, System.nanoTime() - begun);
  }

  private static StepResult leftovers(WorkFolder folder, String group) throws IOException {
    Step step = Step.of(group, "no temporary files are left", _ -> "");
    long begun = System.nanoTime();
    try {
      List<String> left = folder.leftovers();
      long nanos = System.nanoTime() - begun;
      return left.isEmpty()
          ? StepResult.passed(step, "", nanos)
          : StepResult.failed(step, "", "none", left.toString(), nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return StepResult.failed(step, "", "none", "an interrupt", System.nanoTime() - begun);
    }
  }

  /** Ends what is left, which is a failure if there is something. */
  private static StepResult after(WorkFolder folder) throws IOException {
    Step step = Step.of(AFTER, "nothing is running, nothing is left", _ -> "");
    long begun = System.nanoTime();
    List<String> running = List.of();
    try {
      running =
          folder.running().stream()
              .map(one -> one.info().command().orElse("") + " (" + one.pid() + ")")
              .toList();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<String> kept = folder.remove();
    long nanos = System.nanoTime() - begun;
    return running.isEmpty() && kept.isEmpty()
        ? StepResult.passed(step, "", nanos)
        : StepResult.failed(step, "", "nothing", "running " + running + ", files " + kept, nanos);
  }

  /** Ends all processes and removes all files; also on Ctrl+C. */
  private void clean() {
    interrupted.set(true);
    Bench tools = bench;
    if (tools != null) {
      tools.clear();
    }
    WorkFolder folder = work;
    if (folder != null) {
      folder.remove();
    }
  }
}

package io.ntrail.cli.selftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.selftest.ProgramFiles.Kind;
import io.ntrail.cli.selftest.SelfTest.Limits;
import io.ntrail.cli.selftest.StepSkipped.Need;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.selftest.SelfTestImages;
import io.ntrail.live.selftest.SelfTestProgram.Mode;
import io.ntrail.live.selftest.SelfTestProgram.Policy;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code ntrail doctor --self-test} under Wine. */
class DoctorSelfTestTest {
  private static final Limits LIMITS = new Limits(300, 5);

  /** Of steps that leave something. */
  private static final Limits IMPATIENT = new Limits(300, 1);

  /** Runs steps with the Wine of the tests. */
  private static Result run(ProgramFiles files, List<Step> steps, Limits limits, boolean isJson)
      throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    AgentHost host = new AgentHost.Wine(Wine.shared().loader(), Wine.shared().environment());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    SelfTest test = new SelfTest(host, Cli.itself(), files, steps, limits);
    int exit = test.run(Terminal.of(out, err), isJson);
    return new Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private static Result text(Step... steps) throws IOException {
    return run(ProgramFiles.make(), List.of(steps), IMPATIENT, false);
  }

  @Test
  void everyStepPassesOrSaysWhatItNeeds() throws IOException {
    Result result = run(ProgramFiles.make(), SelfTest.steps(), LIMITS, true);
    JsonReader report = result.json();
    assertEquals(List.of(), JsonSchema.named("self-test").strictFindings(report));
    Map<String, String> others = new TreeMap<>();
    for (JsonReader step : report.get("steps").array()) {
      if (!step.get("state").text().equals("passed")) {
        others.put(
            step.get("title").text(),
            Stream.of("needs", "expected", "seen")
                .map(step::get)
                .filter(its -> !its.isNull())
                .map(JsonReader::text)
                .collect(Collectors.joining()));
      }
    }
    // These depend on the Wine: whether it runs programs for x86, and keeps policies.
    others.keySet().removeIf(title -> title.contains("x86") || title.contains("dynamic code"));
    others.remove("with a shadow stack, entries only");
    others.values().removeIf(why -> why.equals("person") || why.equals("administrator"));
    assertEquals(
        Map.of(
            "powershell (.NET) runs while ntdll is traced", "windows",
            "powershell throws and catches", "windows",
            "x64 programs on ARM64", "system"),
        others);
    assertEquals(0, result.exit(), result::out);
  }

  @Test
  void whatAStepHasNotIsNullInJson() throws IOException {
    List<Step> steps =
        List.of(
            Step.of("Before", "passes", _ -> ""),
            Step.person("Before", "is skipped", Need.PERSON, "", "type this"));
    Result result = run(ProgramFiles.make(), steps, LIMITS, true);
    assertEquals(List.of(), JsonSchema.named("self-test").strictFindings(result.json()));
    List<JsonReader> told = result.json().get("steps").array();
    for (String key : List.of("needs", "command", "note", "expected", "seen")) {
      assertTrue(told.get(0).get(key).isNull(), key);
    }
    assertEquals("person", told.get(1).get("needs").text());
    assertEquals("type this", told.get(1).get("command").text());
    assertTrue(told.get(1).get("note").isNull());
  }

  @Test
  void theChecklistListsTheStepsInTheirOrder() throws IOException {
    List<String> listed = new ArrayList<>();
    String group = "";
    Path file = TestData.projectRoot().resolve("docs/windows-checklist.md");
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("## ")) {
        group = line.substring(3);
      } else if (line.startsWith("| ")
          && !line.startsWith("| step |")
          && !line.startsWith("| ---")) {
        listed.add(group + ": " + line.split(" \\| ", -1)[0].substring(2));
      }
    }
    List<String> steps =
        SelfTest.steps().stream().map(step -> step.group() + ": " + step.title()).toList();
    assertEquals(listed, steps);
  }

  @Test
  void aFailedStepShowsCommandAndWhatWasExpectedAndSeen() throws IOException {
    ProgramFiles files = ProgramFiles.make().with(Kind.PROGRAM, SelfTestImages.x86(0));
    Step plan =
        SelfTest.steps().stream()
            .filter(step -> step.title().startsWith("--plan"))
            .findFirst()
            .orElseThrow();
    Result result = run(files, List.of(plan), LIMITS, false);
    assertEquals(1, result.exit());
    assertTrue(result.out().contains("  failed   --plan counts"), result.out());
    assertTrue(result.out().contains("command:  ntrail trace --plan --format json"), result.out());
    assertTrue(result.out().contains("expected: exit code 0"), result.out());
    assertTrue(result.out().contains("seen:     exit code 1: "), result.out());
    assertTrue(result.out().contains("2 passed, 1 failed, 0 skipped"), result.out());
  }

  @Test
  void aStepThatHangsIsEndedWithItsProgram() throws IOException {
    List<Process> hung = new ArrayList<>();
    Step step =
        new Step(
            "Before",
            "hangs",
            "",
            2,
            bench -> {
              Running program = bench.waiting();
              hung.add(program.process());
              program.end();
              return "";
            });
    Result result = text(step);
    assertEquals(1, result.exit());
    assertTrue(result.out().contains("it hung: ready"), result.out());
    assertTrue(result.out().contains("passed   nothing is running"), result.out());
    assertFalse(hung.getFirst().isAlive());
  }

  @Test
  void stepsThatCannotBeginInTimeHaveFailed() throws IOException {
    Step never = Step.of("Before", "never", _ -> "reached");
    Result result = run(ProgramFiles.make(), List.of(never), new Limits(0, 5), false);
    assertEquals(1, result.exit());
    assertTrue(result.out().contains("seen:     this step was not begun"), result.out());
  }

  @Test
  void temporaryFilesAreFoundAndDeleted() throws IOException {
    List<Path> files = new ArrayList<>();
    Step step =
        Step.of(
            "Before",
            "leaves a file",
            bench -> {
              files.add(WorkFolder.write(bench.work().temporary().resolve("left"), new byte[1]));
              return "";
            });
    Result result = text(step);
    assertEquals(1, result.exit());
    assertTrue(result.out().contains("failed   no temporary files are left"), result.out());
    assertTrue(result.out().contains("seen:     [left]"), result.out());
    assertFalse(Files.exists(files.getFirst().getParent().getParent()));
  }

  @Test
  void whatIsStillRunningAtTheEndIsEndedAndReported() throws Exception {
    List<Process> left = new ArrayList<>();
    Step step =
        Step.of(
            "Before",
            "leaves a process",
            bench -> {
              String name = bench.folder().toString();
              left.add(new ProcessBuilder("sh", "-c", "sleep 60; :", name).start());
              return "";
            });
    Result result = text(step);
    assertEquals(1, result.exit());
    assertTrue(result.out().contains("failed   nothing is running"), result.out());
    left.getFirst().waitFor();
  }

  @Test
  void policiesThatCannotBeQueriedAreUnknownNotOff() {
    String said = "check=09af81be\r\n2=unknown\r\n7=00000000\r\n15=0000000";
    assertEquals("unknown", TestedMachine.policy(said, Policy.DYNAMIC_CODE));
    assertEquals("00000000", TestedMachine.policy(said, Policy.CONTROL_FLOW_GUARD));
    assertEquals("unknown", TestedMachine.policy(said, Policy.BINARY_SIGNATURE));
    assertEquals("unknown", TestedMachine.policy(said, Policy.SHADOW_STACK));
  }

  @Test
  void aProgramSaysOfEachPolicyWhatItIs() throws IOException {
    Step step =
        Step.of(
            "Before",
            "policies",
            bench -> bench.program(Mode.POLICIES).end().out().replace("\r\n", " "));
    Result result = text(step);
    String flags = "(unknown|[0-9a-f]{8})";
    String all = "(?s).*check=09af81be 2=%1$s 7=%1$s 8=%1$s 15=%1$s .*".formatted(flags);
    assertTrue(result.out().matches(all), result.out());
  }

  @Test
  void onAnotherSystemThanAskedForItIsRefused() {
    Result result = Cli.run("doctor", "--self-test", "--on", "local");
    assertEquals(4, result.exit());
    assertEquals("", result.out());
    assertEquals(List.of("ntrail: not a Windows machine", "try: --on wine"), result.messages());
  }

  @Test
  void optionsOfTheSelfTestAloneAreWrongUsage() {
    Result result = Cli.run("doctor", "--format", "json");
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("--format needs --self-test"), result.err());
  }
}

package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Every option of every command with JSON is in a call whose JSON is held against its schema, or
 * changes nothing in it, or has its JSON tested elsewhere. Options are those of the commands' own
 * specifications: a new one has to be put down here.
 */
class JsonOptionsTest {
  /** Options that change nothing in JSON, whatever the command, and why. */
  private static final Map<String, String> NO_INFLUENCE =
      Map.ofEntries(
          Map.entry("--ascii", "characters of trees and marks in text"),
          Map.entry("--color", "colours of text"),
          Map.entry("--no-pager", "where text goes"),
          Map.entry("-q", "remarks on standard error; every call has it"),
          Map.entry("-v", "remarks on standard error, but for events and stacks"),
          Map.entry("--format", "every call has it"),
          Map.entry("--csv-safe", "texts of csv"),
          Map.entry("--wide", "columns of text"),
          Map.entry("-o", "where the answer goes, or what else is written"),
          Map.entry("--strict", "the exit code"),
          Map.entry("--exit-code", "the exit code"),
          Map.entry("--cores", "threads; answers are the same on any number, as tests of each say"),
          Map.entry("--symbols-wait", "how long text waits for servers"),
          Map.entry("--on", "how a program is run; the report has the same shape"),
          Map.entry("--report", "where the report goes"));

  /** Options of one command that change nothing in its JSON, and why. */
  private static final Map<String, String> NO_INFLUENCE_THERE =
      Map.ofEntries(
          Map.entry("events --long", "lines of text; refused with other formats"),
          Map.entry("probe -s", "where the program is"),
          Map.entry("probe -l", "a list as dtrace prints it; refused with other formats"),
          Map.entry("probe -p", "a running program, not a started one"),
          Map.entry("probe --for", "how long a program is watched"),
          Map.entry("probe --keep", "where the recording goes"),
          Map.entry("probe --no-stop", "which functions are traced in the end"),
          Map.entry("diff --to", "the answer is a picture or stacks, no JSON"),
          Map.entry("diff --min", "with --to"),
          Map.entry("diff --annotate", "with --to"),
          Map.entry("diff --swap", "with --to"),
          Map.entry("diff --normalize", "with --to"),
          Map.entry("trace -p", "a running program, not a started one: the same report"),
          Map.entry("trace -i", "which functions are traced in the end"),
          Map.entry("pt --addresses", "16 digits a line in every format"));

  /** Options that need a server, or a program that runs, and the test that has their JSON. */
  private static final Map<String, String> ELSEWHERE =
      Map.ofEntries(
          Map.entry(
              "events --server", "SymbolServersTest: which files are found, not what is told"),
          Map.entry("profile --server", "SymbolServersTest"),
          Map.entry("stacks --server", "SymbolServersTest"),
          Map.entry("diff --server", "SymbolServersTest"),
          Map.entry("symbols --server", "SymbolServersTest"),
          Map.entry("symbols --fetch", "SymbolServersTest"),
          Map.entry("record --take-over", "RecordOnMachineTest"),
          Map.entry("record --while", "RecordLifeTest"),
          Map.entry("record --flight-recorder", "RecordLifeTest"),
          Map.entry("record --cancel", "RecordLifeTest"),
          Map.entry("record --stop", "RecordLifeTest"),
          Map.entry("record --event", "RecordLifeTest"),
          Map.entry("record --process", "RecordLifeTest"),
          Map.entry("record --limit", "RecordLifeTest"),
          Map.entry("record --provider", "RecordOnMachineTest"),
          Map.entry("record --profile", "RecordOnMachineTest"),
          Map.entry("record --dotnet", "RecordOnMachineTest"),
          Map.entry("record --log", "RecordOnMachineTest"),
          Map.entry("record --interval", "RecordOnMachineTest"),
          Map.entry("record --sample", "RecordOnMachineTest"),
          Map.entry("record --counters", "RecordOnMachineTest"),
          Map.entry("record --branches", "RecordOnMachineTest"),
          Map.entry("record --branches-without", "RecordOnMachineTest"),
          Map.entry("record --stack-cache", "RecordOnMachineTest"),
          Map.entry("record --heap", "RecordOnMachineTest"),
          Map.entry("record --heap-stacks", "RecordOnMachineTest"),
          Map.entry("record --pool-tags", "RecordOnMachineTest"),
          Map.entry("dump -p", "DumpTest"),
          Map.entry("dump --full", "DumpTest"),
          Map.entry("cut --compress", "CutTest"),
          Map.entry("cut --function", "CutTest"),
          Map.entry("cut --anonymise", "CutTest"),
          Map.entry("cut --split", "CutTest"),
          Map.entry("cut --process", "CutTest"),
          Map.entry("cut --thread", "CutTest"),
          Map.entry("cut --event", "CutTest"),
          Map.entry("cut --time", "CutTest"),
          Map.entry("cut --cpu", "CutTest"),
          Map.entry("cut --where", "CutTest"),
          Map.entry("cut --every", "CutTest"),
          Map.entry("cut --manifest", "CutTest"),
          Map.entry("cut --tmf", "CutTest"),
          Map.entry("merge --compress", "MergeTest"),
          Map.entry("merge --image-path", "MergeTest"),
          Map.entry("merge --manifest", "MergeManifestTest"),
          Map.entry("merge --pack", "MergePackTest"),
          Map.entry("merge -y", "MergePackTest"),
          Map.entry("probe --server", "ProbeSymbolServersTest"),
          Map.entry("profile --image-path", "PtCallsTest"),
          Map.entry("profile --retpoline", "PtCallsTest"),
          Map.entry("calls --image-path", "PtCallsTest"),
          Map.entry("calls --retpoline", "PtCallsTest"),
          Map.entry("diff --image-path", "PtCallsTest"),
          Map.entry("diff --retpoline", "PtCallsTest"),
          Map.entry("pt --process", "RecordedFlowCommandTest"),
          Map.entry("pt --cpu", "RecordedFlowCommandTest"),
          Map.entry("pt --event", "RecordedFlowCommandTest"),
          Map.entry("pt --image-path", "RecordedFlowCommandTest"),
          Map.entry("pt --retpoline", "RecordedFlowCommandTest"),
          Map.entry("pt --for", "PtRecordTest"),
          Map.entry("pt --buffer", "PtRecordTest"),
          Map.entry("pt --timing", "PtRecordTest"),
          Map.entry("pt --mtc", "PtRecordTest"),
          Map.entry("pt --cyc", "PtRecordTest"),
          Map.entry("pt --stop-at", "PtRecordTest"),
          Map.entry("pt --take-over", "PtRecordTest"),
          Map.entry("doctor --self-test", "DoctorSelfTestTest"));

  /** Metrics and the like, which are no candidates of their option. */
  private static final Map<String, String> TESTED_BY_PROFILES =
      Map.of("--metric", "ProfileContractTest has every metric against the schema");

  @Test
  void everyOptionIsInACallOrHasAReason() {
    List<String> missing = new ArrayList<>();
    Map<String, Set<String>> used = wordsByCommand();
    for (CommandSpec command : commandsWithJson()) {
      Set<String> words = used.getOrDefault(command.name(), Set.of());
      for (OptionSpec option : command.options()) {
        boolean inCall = List.of(option.names()).stream().anyMatch(words::contains);
        if (!inCall && !hasReason(command, option)) {
          missing.add(command.name() + " " + option.longestName());
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void everyValueThatAnOptionOffersIsInACall() {
    List<String> missing = new ArrayList<>();
    Map<String, Set<String>> used = wordsByCommand();
    for (CommandSpec command : commandsWithJson()) {
      Set<String> words = used.getOrDefault(command.name(), Set.of());
      for (OptionSpec option : command.options()) {
        boolean isOffered = option.completionCandidates() != null && !hasReason(command, option);
        if (isOffered) {
          for (String value : option.completionCandidates()) {
            if (!words.contains(value)) {
              missing.add(command.name() + " " + option.longestName() + " " + value);
            }
          }
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void reasonsAreOfOptionsThatAreThere() {
    Set<String> there = new HashSet<>();
    for (CommandSpec command : commandsWithJson()) {
      for (OptionSpec option : command.options()) {
        for (String name : option.names()) {
          there.add(name);
          there.add(command.name() + " " + name);
        }
      }
    }
    Set<String> reasons = new TreeSet<>();
    reasons.addAll(NO_INFLUENCE.keySet());
    reasons.addAll(NO_INFLUENCE_THERE.keySet());
    reasons.addAll(ELSEWHERE.keySet());
    reasons.addAll(TESTED_BY_PROFILES.keySet());
    reasons.removeAll(there);
    assertEquals(Set.of(), reasons);
  }

  private static boolean hasReason(CommandSpec command, OptionSpec option) {
    for (String name : option.names()) {
      String there = command.name() + " " + name;
      if (NO_INFLUENCE.containsKey(name)
          || NO_INFLUENCE_THERE.containsKey(there)
          || ELSEWHERE.containsKey(there)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the commands that have JSON: those with a format. */
  private static List<CommandSpec> commandsWithJson() {
    List<CommandSpec> commands = new ArrayList<>();
    for (Commands.Entry entry : Commands.all()) {
      CommandSpec command = entry.make().get().spec();
      if (command.findOption("--format") != null) {
        commands.add(command);
      }
    }
    return commands;
  }

  private static Map<String, Set<String>> wordsByCommand() {
    Map<String, Set<String>> used = new HashMap<>();
    List<String> calls = new ArrayList<>(JsonOptions.calls());
    calls.addAll(TraceReportsTest.calls());
    for (String call : calls) {
      String words = call.replaceFirst("^([0-9]|json) ", "").replace('=', ' ');
      String command = words.substring(0, words.indexOf(' '));
      used.computeIfAbsent(command, k -> new HashSet<>()).addAll(List.of(words.split(" ", -1)));
    }
    return used;
  }
}

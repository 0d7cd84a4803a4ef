package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleCalls;
import io.ntrail.cli.harness.SampleDump;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.cli.harness.SamplePdb;
import io.ntrail.cli.harness.SamplePt;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The written help fits the screen, is complete, and its examples run. */
class HelpTest {
  private static final int LINES = 24;
  private static final int COLUMNS = 100;

  @TempDir private Path folder;

  private static List<String> pages() {
    List<String> names = new ArrayList<>(List.of("ntrail", "formats"));
    Commands.listed().forEach(entry -> names.add(entry.name()));
    return names;
  }

  @Test
  void everyPageFitsTheScreen() {
    for (String name : pages()) {
      Cli.Result result = Cli.run("help", name);
      assertEquals(0, result.exit(), name);
      List<String> lines = result.lines();
      assertTrue(lines.size() <= LINES, name + " has " + lines.size() + " lines");
      for (String line : lines) {
        assertTrue(line.length() <= COLUMNS, line);
        assertEquals(line.stripTrailing(), line);
        assertTrue(line.chars().allMatch(c -> c >= ' ' && c < 0x7F), line);
      }
    }
  }

  @Test
  void theSamePageInEveryWay() {
    for (Commands.Entry entry : Commands.listed()) {
      String name = entry.name();
      Cli.Result page = Cli.run(name, "-h");
      assertEquals(0, page.exit());
      assertTrue(page.out().startsWith("ntrail " + name), page.out());
      assertEquals(page, Cli.run("help", name));
      assertEquals(page, Cli.run(name, "shop.etl", "-h"));
      assertTrue(Cli.run(name, "--help").out().startsWith(page.out()), "--help has it and more");
    }
    Cli.Result first = Cli.run();
    assertEquals(first, Cli.run("-h"));
    assertEquals(first, Cli.run("--help"));
    assertEquals(first, Cli.run("help"));
    for (Commands.Entry entry : Commands.listed()) {
      assertTrue(first.out().contains(entry.name()), "the first page tells of " + entry.name());
    }
  }

  @Test
  void theManualListsEveryOption() {
    for (Commands.Entry entry : Commands.listed()) {
      String manual = Cli.run(entry.name(), "--help").out();
      for (OptionSpec option : entry.make().get().spec().options()) {
        for (String name : option.names()) {
          assertTrue(manual.contains(name), entry.name() + " --help lacks " + name);
        }
        assertFalse(String.join("", option.description()).isBlank(), option.longestName());
        List<String> names = List.of(option.names());
        assertEquals(names.stream().distinct().toList(), names);
      }
      assertTrue(manual.contains("3 a result"), "exit codes");
      manual.lines().forEach(line -> assertTrue(line.length() <= COLUMNS, line));
    }
  }

  /** Options of a help page exist in the command. */
  @Test
  void pagesTellOfNoOptionThatIsNot() {
    Pattern option = Pattern.compile("(?<![\\w-])--?[a-z][a-z-]*");
    for (Commands.Entry entry : Commands.listed()) {
      Map<String, OptionSpec> known = entry.make().get().spec().optionsMap();
      String page = Cli.run(entry.name(), "-h").out();
      for (Matcher matcher = option.matcher(page); matcher.find(); ) {
        String name = matcher.group();
        assertTrue(
            known.containsKey(name) || List.of("-h", "--help", "-vv").contains(name),
            entry.name() + " -h tells of " + name);
      }
    }
  }

  @Test
  void pagesListEveryChoice() {
    Pattern listed = Pattern.compile("(--[a-z-]+) ([a-z0-9-]+(?:\\|[a-z0-9-]+)+)(?![\\w-])");
    int seen = 0;
    for (Commands.Entry entry : Commands.listed()) {
      Map<String, OptionSpec> known = entry.make().get().spec().optionsMap();
      String page = Cli.run(entry.name(), "-h").out();
      for (Matcher matcher = listed.matcher(page); matcher.find(); ) {
        OptionSpec option = known.get(matcher.group(1));
        if (option != null && option.completionCandidates() != null) {
          seen++;
          List<String> choices = new ArrayList<>();
          option.completionCandidates().forEach(choices::add);
          assertEquals(
              String.join("|", choices), matcher.group(2), entry.name() + " -h, " + option);
        }
      }
    }
    assertTrue(seen > 5, "choices: " + seen);
    String metrics =
        WeightSources.all().stream()
            .filter(source -> !source.equals(WeightSources.ofNamedEvents()))
            .map(source -> source.metric().name())
            .collect(Collectors.joining("|"));
    for (String name : List.of("profile", "export")) {
      String page = Cli.run(name, "-h").out();
      assertTrue(page.contains("--metric " + metrics + " "), name + " -h lacks some of " + metrics);
    }
  }

  private static List<String> examples(String page) {
    return page.lines()
        .filter(line -> line.startsWith("  ntrail "))
        .map(line -> line.strip().replaceFirst("   +.*", "").replaceFirst(" +[>|].*", ""))
        .toList();
  }

  @Test
  void everyExampleRuns() throws IOException {
    SampleRecording.make().writeTo(folder.resolve("shop.etl"));
    SampleRecording.make().writeTo(folder.resolve("kernel.etl"));
    // A session without events of the same machine: what both have would be warned of.
    new EtlWriter(SampleRecording.settings()).writeTo(folder.resolve("user.etl"));
    byte[] content = Files.readAllBytes(folder.resolve("shop.etl"));
    Recordings.zip(folder.resolve("customer.zip"), Map.of("a.etl", content));
    Files.write(folder.resolve("crash.dmp"), SampleDump.make());
    Path crashes = Files.createDirectory(folder.resolve("crashes"));
    Files.write(crashes.resolve("a.dmp"), SampleDump.make());
    Files.write(folder.resolve("shop.jtrc"), SampleCalls.make());
    Files.write(folder.resolve("shop.ntr"), SampleTrace.make());
    Files.write(folder.resolve("trace.pt"), SamplePt.make());
    Files.write(folder.resolve("loop.pt"), SamplePt.loop());
    Files.write(folder.resolve("loop.bin"), SamplePt.code());
    for (String name : List.of("shopcore.dll", "ntdll.dll")) {
      Files.write(folder.resolve(name), SampleImage.make());
    }
    Files.write(folder.resolve("shopcore.pdb"), SamplePdb.make());
    SampleRecording.make().writeTo(folder.resolve("later.etl"));
    Files.writeString(folder.resolve("old.collapsed.txt"), "main;parse 3\nmain 1\n");
    Files.writeString(folder.resolve("new.collapsed.txt"), "main;parse 2\nmain;print 4\n");
    int seen = 0;
    for (String name : pages()) {
      List<String> examples = examples(Cli.run("help", name).out());
      assertFalse(examples.isEmpty() && !name.equals("formats"), name + " starts with examples");
      for (String example : examples) {
        seen++;
        List<String> all =
            Pattern.compile("'[^']*'|[^ ]+")
                .matcher(example)
                .results()
                .map(word -> word.group().replace("'", ""))
                .toList();
        List<String> words = all.subList(1, all.size());
        Commands.Entry entry = Commands.named(words.getFirst()).orElseThrow();
        List<String> rest = words.subList(1, words.size());
        assertNotNull(
            new CommandLine(entry.make().get().spec()).parseArgs(rest.toArray(String[]::new)));
        if (List.of("trace", "dump").contains(words.getFirst())
            || example.startsWith("ntrail stacks -p")) {
          // Their programs are the user's; TraceTest, DumpTest and LiveStacksTest run some.
          continue;
        }
        if (example.startsWith("ntrail record start")) {
          // It needs Windows; RecordLifeTest and RecordOnMachineTest run some where it is played.
          continue;
        }
        if (words.contains("--self-test")) {
          // It needs a Wine; DoctorSelfTestTest runs it.
          continue;
        }
        if (words.contains("--man") || words.size() > 1 && words.getFirst().equals("config")) {
          // They write into the user's folders; ManTest and SettingsTest run some.
          continue;
        }
        Object[] here = words.stream().map(word -> here(words.getFirst(), word)).toArray();
        Cli.Result result = Cli.run(here);
        assertEquals(0, result.exit(), example + ": " + result.err());
        assertFalse(result.out().isEmpty(), example);
        // Where names can be had is said, and changes nothing.
        List<String> messages =
            result.messages().stream()
                .filter(line -> !line.matches("try: ntrail symbols .* --fetch --server https://.*"))
                // The PDB of this test has no symbols.
                .filter(line -> !line.equals("warning: no symbol matches Stock*"))
                .filter(line -> !line.endsWith("what was not recorded fires no probe"))
                // Some threads of the sample wait at its end.
                .filter(line ->
                    !line.endsWith(" had not ended when the recording stopped: not included"))
                // Examples are about longer recordings than the samples.
                .filter(line -> !line.contains(" in this time range: the "))
                // The sample of calls lacks some.
                .filter(line ->
                    !line.matches(
                        ".*: 3 records lost; 1 missing record made up for(; 1 call open at .*)?"))
                .toList();
        assertEquals(List.of(), messages, example);
      }
    }
    assertTrue(seen > 12, "examples: " + seen);
  }

  private String here(String command, String word) {
    String files =
        switch (command) {
          case "image" -> "[a-z]+\\.(dll|dmp)|\\.";
          case "symbols" -> "[a-z]+\\.(dll|pdb|etl)";
          case "export", "diff" -> "[a-z.]+\\.(etl|ntr|txt|html)";
          case "calls" -> "[a-z]+\\.ntr|[a-z]+\\.jtrc|\\.";
          case "stacks" -> "[a-z]+\\.(etl|dmp)|crashes/";
          case "pt" -> "[a-z]+\\.pt|[a-z]+\\.bin@.*";
          case "record" -> "[a-z]+\\.reg";
          case "info" -> "[a-z]+\\.(etl|zip|jtrc|ntr|dmp|dll)";
          default -> "[a-z]+\\.(etl|zip|jtrc|ntr|dmp)";
        };
    return word.matches(files) ? folder.resolve(word).toString() : word;
  }

  @Test
  void messagesNameOnlyPagesThatAre() throws IOException {
    Path sources = io.ntrail.testkit.TestData.projectRoot();
    List<Path> files = new ArrayList<>();
    for (String module : List.of("formats", "analysis", "export", "cli")) {
      try (Stream<Path> all = Files.walk(sources.resolve(module).resolve("src/main"))) {
        all.filter(f -> f.toString().matches(".*\\.(java|txt)")).forEach(files::add);
      }
    }
    Pattern named = Pattern.compile("ntrail help ([a-z]+)");
    for (Path file : files) {
      for (Matcher matcher = named.matcher(Files.readString(file)); matcher.find(); ) {
        assertTrue(pages().contains(matcher.group(1)), file + ": " + matcher.group());
      }
    }
  }
}

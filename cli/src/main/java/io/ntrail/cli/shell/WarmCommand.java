package io.ntrail.cli.shell;

import io.ntrail.analysis.parallel.OrderedTasks;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.trace.TraceCommand;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RepeatedRecording;
import io.ntrail.formats.pe.build.TypicalLibrary;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.live.agent.AgentExecutable;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.PlanPractice;
import io.ntrail.live.simulation.SimulatedWindows;
import io.ntrail.live.target.TracePractice;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail warm [FILE]}: runs what people run most, so that the start cache learns the
 * classes. Where it practises traces or everything, with the property {@code ntrail.aot}, the path
 * of the cache, the executables of the agent are kept beside it. Its answers go nowhere. With
 * {@code --answers} it writes {@link WrittenAnswers} instead.
 */
final class WarmCommand implements Command {
  /** Plans of one image: from a thousand calls on, methods are compiled, and later ones at once. */
  private static final int PLANS = 600;

  /** Classes that {@code dump} and {@code stacks -p} need. */
  private static final Pattern LIVE =
      Pattern.compile(
          "io/ntrail/(live/(agent|capture|dump|modules|target)|cli/(dump|stacks))/.*\\.class");

  /** Classes that the images of others need, and those of the samples do not. */
  private static final Pattern IMAGES =
      Pattern.compile(
          "io/ntrail/(formats/pe/(CoffSymbols|Resources|VersionInfo)"
              + "|programs/x86/DecodeDiagnosis).*\\.class");

  /** Bytes of a recording that is long: most of its time is spent in loops over its records. */
  private static final long LONG = 150_000_000;

  /** Numbers that the library sorts as it does those of large files. */
  private static final int MANY = 1_000;

  WarmCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("warm", "Trains the start cache.");
    spec.addOption(CommonOptions.value("COMMAND", "trace or stacks: only what it needs", "--for"));
    spec.addOption(
        CommonOptions.value("FOLDER", "only writes what the launcher answers", "--answers"));
    spec.addPositional(
        CommonOptions.words("FILE", "a small recording, dump, program or PDB", List.of()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) throws IOException {
    String answers = CommonOptions.text(parsed, "--answers", "");
    if (!answers.isEmpty()) {
      WrittenAnswers.write(Path.of(answers));
      return ExitCode.DONE;
    }
    String cache = System.getProperty("ntrail.aot", "");
    // What is practised is nobody's to interrupt, so that no practice comes to it.
    terminal.interruption().begin(() -> {});
    terminal.interruption().end();
    List<String> files = CommonOptions.positionals(parsed);
    String purpose = CommonOptions.text(parsed, "--for", "");
    switch (purpose) {
      case "trace" -> {
        keepAgent(cache);
        TracePractice.run();
        files.forEach(file -> PlanPractice.plan(Path.of(file), PLANS));
        trace();
      }
      case "stacks" -> {
        loadClasses(LIVE);
        practise(files, PractisedCommands::stacks);
      }
      case "info" -> {
        sort();
        readTables();
        practise(files, PractisedCommands::surveys);
      }
      case "profile" -> practise(files, PractisedCommands::profiles);
      case "long-info" -> practiseAtLength(files, Path.of(cache), PractisedCommands::longSurveys);
      case "long-profile" ->
          practiseAtLength(files, Path.of(cache), PractisedCommands::longProfiles);
      case "image", "symbols", "calls" -> {
        loadClasses(IMAGES);
        if (purpose.equals("image")) {
          practiseImage(cache);
        }
        shareWork();
        sort();
        practise(files, PractisedCommands::ofEnding);
      }
      default -> {
        keepAgent(cache);
        HelpTexts.page("ntrail");
        loadClasses(LIVE);
        loadClasses(IMAGES);
        shareWork();
        sort();
        practiseImage(cache);
        practise(files, PractisedCommands::all);
      }
    }
    return ExitCode.DONE;
  }

  /** Keeps the executables of the agent beside the cache. */
  private static void keepAgent(String cache) throws IOException {
    if (!cache.isEmpty()) {
      AgentExecutable.keep(Path.of(cache));
    }
  }

  private static void practise(
      List<String> files, Function<String, List<List<String>>> commandsOfFile) {
    for (String file : files) {
      for (List<String> words : commandsOfFile.apply(file)) {
        CommandRunner.run(words.toArray(String[]::new), nowhere());
      }
    }
  }

  /**
   * Practises with recordings, and with what repeats them until it is long: what is compiled is
   * learned there.
   */
  private static void practiseAtLength(
      List<String> files, Path cache, Function<String, List<List<String>>> commandsOfFile)
      throws IOException {
    practise(files, commandsOfFile);
    Path longer = cache.resolveSibling("train-" + cache.getFileName() + ".etl");
    for (String file : files) {
      try (EtlFile recording = EtlFile.open(InputFile.map(Path.of(file), file), new Gaps());
          OutputFile output = OutputFile.reserve(longer, "--for")) {
        if (!RepeatedRecording.isRepeatable(recording)) {
          continue;
        }
        try (OutputStream out = output.open()) {
          RepeatedRecording.write(recording, out, (int) (LONG / recording.size()));
        }
        output.complete();
      }
      practise(List.of(longer.toString()), commandsOfFile);
      Files.delete(longer);
    }
  }

  /** Practises with a library that has what samples lack. */
  private static void practiseImage(String cache) throws IOException {
    if (cache.isEmpty()) {
      return;
    }
    Path image = Path.of(cache + ".train.dll");
    try {
      try (OutputFile output = OutputFile.reserve(image, "--for")) {
        try (OutputStream out = output.open()) {
          out.write(TypicalLibrary.file());
        }
        output.complete();
      }
      practise(List.of(image.toString()), PractisedCommands::ofEnding);
    } finally {
      Files.deleteIfExists(image);
    }
  }

  /** Lets several threads work, as they do for files that are larger than samples. */
  private static void shareWork() {
    int threads = 2;
    OrderedTasks.run(
        threads,
        threads,
        threads,
        () ->
            new OrderedTasks.Worker<Integer>() {
              @Override
              public Integer result(int task) {
                return task;
              }

              @Override
              public void close() {
                // Has nothing of its own.
              }
            },
        _ -> {});
  }

  /** Reads all schemas of the program: those of the samples have few of the notations. */
  private static void readTables() {
    SchemaTable.kernel().all();
    SchemaTable.clr().all();
  }

  /** Sorts what is in no order: different numbers, and few that come again and again. */
  private static void sort() {
    long[] different = new long[MANY];
    long[] few = new long[MANY];
    for (int i = 0; i < MANY; i++) {
      different[i] = Long.reverse(i);
      few[i] = Long.reverse(i % 3);
    }
    Arrays.sort(different);
    Arrays.sort(few);
  }

  /**
   * Loads classes that samples do not need, such as those of live tracing, most of which cannot be
   * tried without Windows or Wine: a program that is traced waits while they are loaded.
   */
  private static void loadClasses(Pattern meant) {
    ClassLoader loader = WarmCommand.class.getClassLoader();
    for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      try (JarFile jar = new JarFile(path)) {
        jar.stream()
            .map(JarEntry::getName)
            .filter(name -> meant.matcher(name).matches())
            .forEach(name -> load(name, loader));
      } catch (IOException e) {
        // A folder of classes: no start cache is trained with those.
      }
    }
  }

  /** Traces a program of a simulated system: a program that is traced waits for all of this. */
  private static void trace() throws IOException {
    // Processes of a simulated system are none. This one only says that there is no such class.
    AgentHost.Wine java =
        new AgentHost.Wine(Path.of(System.getProperty("java.home"), "bin", "java"), Map.of());
    java.hold().close();
    java.start().close();
    try (SimulatedWindows windows = SimulatedWindows.temporary()) {
      AgentHost host = windows.host();
      Commands.Entry trace = new Commands.Entry("trace", "", false, () -> new TraceCommand(host));
      String recording = windows.folder().resolve("practice.ntr").toString();
      List<String> words = new ArrayList<>(List.of("trace", "-o", recording));
      words.addAll(List.of("-f", SimulatedWindows.FUNCTION, "-f", SimulatedWindows.LATER));
      words.addAll(List.of("--", windows.program().toString()));
      CommandRunner.run(trace, words.toArray(String[]::new), nowhere());
    }
  }

  private static Terminal nowhere() {
    return Terminal.of(new ByteArrayOutputStream(), new ByteArrayOutputStream());
  }

  private static void load(String name, ClassLoader loader) {
    String className = name.substring(0, name.length() - ".class".length()).replace('/', '.');
    try {
      Class.forName(className, false, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(className, e);
    }
  }
}

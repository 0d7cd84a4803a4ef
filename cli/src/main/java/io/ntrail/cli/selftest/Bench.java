package io.ntrail.cli.selftest;

import io.ntrail.cli.selftest.ProgramFiles.Kind;
import io.ntrail.cli.text.JsonDocument;
import io.ntrail.formats.bytes.UserEnvironment;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.selftest.SelfTestImages;
import io.ntrail.live.selftest.SelfTestProgram;
import io.ntrail.live.selftest.SelfTestProgram.Mode;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Tools of a step: a folder of its own with the programs, commands of ntrail and programs as
 * processes. Whatever it started ends with {@link #clear}.
 */
final class Bench {
  /** Options of the JVM that are for this process only. */
  private static final List<String> OWN =
      List.of("-agent", "-javaagent", "-Xrun", "-Djava.io.tmpdir", "-XX:AOTMode", "-XX:AOTCacheO");

  private final AgentHost host;
  private final List<String> itself;
  private final WorkFolder work;
  private final Path folder;
  private final String name;
  private final Deadline deadline;
  private final List<Running> started = new ArrayList<>();
  private boolean isCleared;

  /**
   * @param itself command that starts ntrail, see {@link #itself()}
   * @param number of the step: its programs have names of their own
   */
  Bench(
      AgentHost host,
      List<String> itself,
      WorkFolder work,
      ProgramFiles files,
      int number,
      Deadline deadline)
      throws IOException {
    this.host = host;
    this.itself = itself;
    this.work = work;
    this.deadline = deadline;
    folder = work.folder("step " + number);
    name = "st" + work.id() + "-" + number;
    WorkFolder.write(folder.resolve(name + ".exe"), files.get(Kind.PROGRAM));
    WorkFolder.write(folder.resolve("two words " + name + ".exe"), files.get(Kind.PROGRAM));
    WorkFolder.write(folder.resolve(name + "-cet.exe"), files.get(Kind.SHADOW_STACK));
    WorkFolder.write(folder.resolve(name + "-x86.exe"), files.get(Kind.SLEEPING_X86));
    WorkFolder.write(folder.resolve(SelfTestImages.CHILD), files.get(Kind.PROGRAM));
    WorkFolder.write(folder.resolve(SelfTestImages.LIBRARY), files.get(Kind.LIBRARY));
    WorkFolder.write(folder.resolve(SelfTestImages.X86), files.get(Kind.X86));
  }

  boolean isWindows() {
    return host instanceof AgentHost.Local;
  }

  /** Returns what runs programs for Windows. */
  AgentHost host() {
    return host;
  }

  Path folder() {
    return folder;
  }

  /** Name of the program without {@code .exe}, which no other process has. */
  String name() {
    return name;
  }

  /** Pattern of all functions of the program. */
  String functions() {
    return name + "!*";
  }

  /** Word that starts a program of the folder. */
  String word(String program) {
    return "." + File.separator + program;
  }

  /** Word that starts the program. */
  String word() {
    return word(name + ".exe");
  }

  /** Runs ntrail to its end. */
  Running.Ended ntrail(String... words) throws IOException, InterruptedException {
    return startNtrail(work.temporary(), List.of(words)).end();
  }

  /** Starts ntrail with its input open. */
  Running startNtrail(String... words) throws IOException {
    return startNtrail(work.temporary(), List.of(words));
  }

  /** Starts ntrail with another folder for temporary files. */
  Running startNtrail(Path temporary, List<String> words) throws IOException {
    return start(typed(words), builder(command(temporary, words)));
  }

  /** Runs ntrail with its input and output in files. */
  Running.Ended redirected(Path in, String... words) throws IOException, InterruptedException {
    ProcessBuilder builder = builder(command(work.temporary(), List.of(words)));
    builder.redirectInput(in.toFile());
    return start(typed(List.of(words)) + " < " + in.getFileName(), builder).end();
  }

  /** Returns a command as a person would type it. */
  private static String typed(List<String> words) {
    return words.stream()
        .map(word -> word.matches("[\\w.:\\\\/-]+") ? word : '"' + word + '"')
        .collect(Collectors.joining(" ", "ntrail ", ""));
  }

  private List<String> command(Path temporary, List<String> words) {
    List<String> command = new ArrayList<>(itself);
    command.add(1, "-Djava.io.tmpdir=" + temporary);
    command.addAll(words);
    return command;
  }

  /** Returns the command that starts ntrail as this process was started, without its words. */
  static List<String> itself() {
    String java = File.separatorChar == '\\' ? "java.exe" : "java";
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", java).toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (OWN.stream().noneMatch(option::startsWith)) {
        command.add(option);
      }
    }
    // None runs for long: compiling more would take longer than it saves.
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("io.ntrail.cli.Main");
    return List.copyOf(command);
  }

  /** Starts the program alone, as a person would. */
  Running program(Mode mode) throws IOException {
    return program(name + ".exe", mode.word());
  }

  /** Starts a program of the folder alone. */
  Running program(String file, String word) throws IOException {
    List<String> command = new ArrayList<>();
    ProcessBuilder builder = builder(command);
    if (host instanceof AgentHost.Wine wine) {
      command.add(wine.loader().toString());
      UserEnvironment.restore(builder.environment());
      builder.environment().putIfAbsent("WINEDEBUG", "-all");
      builder.environment().putAll(wine.environment());
    }
    command.addAll(List.of(folder.resolve(file).toString(), word));
    return start(file + " " + word, builder);
  }

  /** Starts the program so that it waits for {@link #stop}. */
  Running waiting() throws IOException, InterruptedException {
    return program(Mode.WAIT).awaitText(SelfTestProgram.READY, 1);
  }

  /** Ends a program that waits, which has to end as if nobody had traced it. */
  void stop(Running program) throws IOException, InterruptedException {
    Path file = folder.resolve(SelfTestProgram.STOP_FILE);
    if (!program.process().isAlive()) {
      throw new StepFailed("the program continues", "it ended: " + program.said());
    }
    WorkFolder.write(file, new byte[0]);
    program.end().exits(Mode.WAIT.exitCode()).says(SelfTestProgram.ENDED);
    Files.delete(file);
  }

  private ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    // Its outputs are files, whatever ours are.
    builder.environment().remove("NTRAIL_TTY");
    if (host instanceof AgentHost.Wine wine) {
      builder.environment().putAll(wine.environment());
    }
    return builder;
  }

  private synchronized Running start(String what, ProcessBuilder builder) throws IOException {
    if (isCleared) {
      throw new StepFailed("time to run " + what, "the self-test is ending");
    }
    int number = started.size();
    Path out = folder.resolve("out" + number);
    Path err = folder.resolve("err" + number);
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    Running running = new Running(what, process, out, err, deadline);
    started.add(running);
    return running;
  }

  /** Waits a moment in which a program does its work. */
  void moment(long millis) throws InterruptedException {
    Thread.sleep(Math.min(millis, deadline.millisLeft()));
  }

  /** Reads a file that a command wrote. */
  Report report(String file) throws IOException {
    Path path = folder.resolve(file);
    if (!Files.exists(path)) {
      throw new StepFailed("a report", "none was written");
    }
    return report(file, Files.readString(path, StandardCharsets.UTF_8));
  }

  /** Reads what a command printed. */
  Report report(String what, String text) {
    try {
      return new Report(what, JsonDocument.parse(text));
    } catch (IOException e) {
      throw new StepFailed("JSON as " + what, String.valueOf(e.getMessage()));
    }
  }

  Deadline deadline() {
    return deadline;
  }

  WorkFolder work() {
    return work;
  }

  /** Returns the last command that was started; empty if there was none. */
  synchronized String lastCommand() {
    return started.isEmpty() ? "" : started.getLast().what();
  }

  /** Ends everything that was started; nothing can be started any more. */
  synchronized void clear() {
    isCleared = true;
    started.forEach(Running::kill);
  }
}

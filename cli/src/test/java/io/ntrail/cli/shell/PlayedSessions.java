package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.record.RecordCommand;
import io.ntrail.cli.record.RecordMachine;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.SessionControl;
import io.ntrail.live.etw.SessionProperties;
import io.ntrail.live.etw.SessionProperties.Buffers;
import io.ntrail.live.windows.WindowsVersion;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * A Windows whose sessions a library under Wine plays, and which asks here for the files that they
 * write.
 */
final class PlayedSessions implements AutoCloseable {
  /** Exit code and both outputs of a command. */
  record Result(int exit, String out, String err) {
    /** Returns the report in JSON, which must be one of a schema. */
    JsonReader json(String schema) throws IOException {
      assertEquals(0, exit, err);
      JsonReader json = JsonReader.parse(out);
      assertEquals(List.of(), JsonSchema.named(schema).strictFindings(json));
      return json;
    }
  }

  /**
   * File that a session is to write.
   *
   * @param why {@code stop} or {@code flush}
   * @param mode LogFileMode of the session
   */
  record Asked(String why, int mode, Path file) {}

  /** Writes a session's file. */
  interface Writer {
    /** Returns the Win32 error of the call that has it written. */
    int write(Asked asked) throws IOException;
  }

  private final Path folder;
  private Optional<WindowsVersion> played = Optional.empty();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final Thread listener;

  /** Plays with files in a folder, of which those of sessions come from a writer. */
  PlayedSessions(Path folder, Writer writer) throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    this.folder = folder;
    Files.createFile(beside(".listens"));
    listener = Thread.ofPlatform().name("played sessions").start(() -> listen(writer));
  }

  /** Has the Windows be of a version. */
  void play(WindowsVersion version) {
    played = Optional.of(version);
  }

  private Path beside(String suffix) {
    return folder.resolve("sessions" + suffix);
  }

  private void listen(Writer writer) {
    try {
      while (!isClosed.get()) {
        if (Files.exists(beside(".ask"))) {
          String[] words = Files.readString(beside(".ask")).split(" ", 3);
          Files.delete(beside(".ask"));
          int error = writer.write(new Asked(words[0], Integer.parseInt(words[1]), file(words[2])));
          Files.writeString(beside(".part"), Integer.toString(error));
          Files.move(beside(".part"), beside(".answer"), StandardCopyOption.ATOMIC_MOVE);
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Has calls fail, or sessions lose events, from now on. */
  void tell(String lines) throws IOException {
    Files.writeString(beside(".fail"), lines);
  }

  /** Ends all sessions without a word, as Windows does when their disk is full. */
  void vanish() throws IOException {
    Files.delete(beside(""));
  }

  /** Returns what was wrong with calls. */
  String wrong() throws IOException {
    return Files.exists(beside(".why")) ? Files.readString(beside(".why")) : "";
  }

  /** Returns the marks that were written. */
  List<String> marks() throws IOException {
    Path marks = beside(".marks");
    return Files.exists(marks) ? Files.readAllLines(marks) : List.of();
  }

  /** Returns the local file of a path there. */
  static Path file(String path) {
    String local = path.startsWith("\\\\?\\unix") ? path.substring(8) : path;
    if (local.startsWith("C:")) {
      local = Wine.shared().prefix() + "/drive_c" + local.substring(2);
    }
    return Path.of(local.replace('\\', '/'));
  }

  /** Returns the machine. */
  private RecordMachine machine() throws IOException {
    return machine(folder, played);
  }

  /** Returns the machine whose state is in a folder: any process may play with it. */
  static RecordMachine machine(Path folder, Optional<WindowsVersion> played) throws IOException {
    Path source =
        TestData.projectRoot().resolve("live/src/test/resources/io/ntrail/live/etw/standin.c");
    Path library =
        WindowsCompiler.MINGW_C.build(List.of(source), "-shared", "-O1", "-Wl,--kill-at");
    Map<String, String> environment = new HashMap<>(Wine.shared().environment());
    environment.put(
        "NTRAIL_STANDIN", "Z:" + folder.resolve("sessions").toString().replace('/', '\\'));
    String its = "Z:" + library.toAbsolutePath().toString().replace('/', '\\');
    return new RecordMachine(
        Optional.of(new AgentHost.Wine(Wine.shared().loader(), environment)),
        its,
        its,
        PlayedSessions::file,
        played);
  }

  /** Asks it with the calls of sessions and its registry, as another program would. */
  <T> T ask(BiFunction<SessionControl, MachineRegistry, T> question) throws IOException {
    RecordMachine machine = machine();
    try (Agent agent = AgentStart.fitting(machine.host().orElseThrow(), Duration.ofMinutes(1));
        MachineRegistry registry = new MachineRegistry(agent)) {
      return question.apply(
          new SessionControl(agent, machine.library(), machine.library()), registry);
    }
  }

  /** Starts a session that is not of {@code record start}, as one that Windows starts itself. */
  void begin(String name, String file, int mode) throws IOException {
    int error =
        ask((control, _) -> {
          control.enablePrivilege(SessionControl.PROFILE_PRIVILEGE);
          return control
              .start(
                  new SessionProperties(
                      name,
                      file,
                      Guid.ZERO,
                      new Buffers(256, 32, 128),
                      mode,
                      64,
                      0,
                      0,
                      Optional.empty(),
                      OptionalLong.empty()))
              .error();
        });
    assertEquals(0, error);
  }

  /** Runs {@code ntrail doctor}. */
  String doctor() throws IOException {
    RecordMachine machine = machine();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Terminal terminal = Terminal.of(out, new ByteArrayOutputStream())) {
      CommandRunner.run(
          new Commands.Entry("doctor", "", false, () -> new DoctorCommand(machine)),
          new String[] {"doctor"},
          terminal);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Runs {@code ntrail record}. */
  Result run(String... words) throws IOException {
    return run(Optional.empty(), words);
  }

  /** Runs it with a terminal that it tells of. */
  Result run(Optional<Consumer<Terminal>> heard, String... words) throws IOException {
    RecordMachine machine = machine();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit;
    try (Terminal terminal = Terminal.of(out, err)) {
      heard.ifPresent(listener -> listener.accept(terminal));
      exit =
          CommandRunner.run(
              new Commands.Entry("record", "", false, () -> new RecordCommand(machine)),
              words,
              terminal);
    }
    return new Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    isClosed.set(true);
    try {
      listener.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Starts {@code ntrail record} in a process of its own.
   *
   * @param words without {@code record}
   */
  Process process(String... words) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", PlayedSessions.class.getName()));
    command.addAll(List.of(folder.toString(), "record"));
    command.addAll(List.of(words));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("process.out").toFile())
        .start();
  }

  /**
   * Runs a command with the sessions of a folder.
   *
   * @param arguments the folder, then the words of the command
   */
  public static void main(String[] arguments) throws IOException {
    RecordMachine machine = machine(Path.of(arguments[0]), Optional.empty());
    System.exit(
        CommandRunner.run(
            new Commands.Entry("record", "", false, () -> new RecordCommand(machine)),
            Arrays.copyOfRange(arguments, 1, arguments.length),
            Terminal.system()));
  }
}

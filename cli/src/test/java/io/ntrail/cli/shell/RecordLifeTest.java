package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.shell.PlayedSessions.Asked;
import io.ntrail.cli.shell.PlayedSessions.Result;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life of a recording, from its start to the merged file, with the Windows that a library under
 * Wine plays: what its sessions write is made here, as the kernel of that Windows would write it.
 */
class RecordLifeTest {
  @TempDir private Path folder;
  private final List<Asked> asked = new ArrayList<>();
  private PlayedSessions windows;
  private int error;
  private PlayedSessions.@Nullable Writer writer;

  @BeforeEach
  void begin() throws IOException {
    windows = new PlayedSessions(folder, this::write);
  }

  @AfterEach
  void end() {
    if (windows != null) {
      windows.close();
    }
  }

  private int write(Asked one) throws IOException {
    asked.add(one);
    if (writer != null) {
      return writer.write(one);
    }
    if (error == 0) {
      PlayedKernel.write(one.file(), windows.marks());
    }
    return error;
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  private Result start(String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of("record", "start", "--kernel", "cpu"));
    words.addAll(List.of(more));
    return windows.run(words.toArray(String[]::new));
  }

  private CannotGoOn refused(String... words) {
    return assertThrows(CannotGoOn.class, () -> windows.run(words));
  }

  @Test
  void aFlightRecorderKeepsProvidersBesideTheKernelAndWritesBoth() throws IOException {
    Result started = start("--dotnet", "--flight-recorder", "--max-size", "16M");
    assertEquals(0, started.exit(), started.err());
    List<String> calls = Files.readAllLines(file("sessions.calls"));
    // 16 MiB each: of 1,024 KiB for the kernel, of 256 KiB for providers; no file, no size of one.
    assertTrue(calls.getFirst().contains(" 1024 16 16 0 400 "), calls.getFirst());
    String user = "StartTrace 6 00000000-0000-0000-0000-000000000000 256 64 64 0 400 0 ntrail-user";
    assertTrue(calls.stream().anyMatch(line -> line.startsWith(user)), calls.toString());
    assertEquals(3, windows.run("record", "status").out().lines().count());
    Path whole = file("first.etl");
    JsonReader report =
        windows.run("record", "snapshot", "-o", whole.toString(), "--format", "json").json("write");
    assertEquals(2, report.get("inputs").array().size());
    assertEquals(2, report.get("sessions").array().size());
    calls = Files.readAllLines(file("sessions.calls"));
    // The kernel's list of what there is, and that of .NET, are asked for before they are written.
    assertEquals("Rundown 7", calls.get(calls.size() - 2));
    assertTrue(calls.getLast().contains("a669021c-c450-4609-a035-5af59af4df18"), calls.getLast());
    Result stopped = windows.run("record", "stop", "-o", file("last.etl").toString());
    assertEquals(0, stopped.exit(), stopped.err());
    assertEquals(
        List.of("first.kernel.etl", "first.user.etl", "last.kernel.etl", "last.user.etl"),
        asked.stream().map(one -> one.file().getFileName().toString()).toList());
    assertTrue(Files.exists(whole) && Files.exists(file("last.etl")));
    assertFalse(Files.exists(file("last.user.etl")));
    assertEquals("no session runs\n", windows.run("record", "list").out());
    assertEquals("", windows.wrong());
  }

  @Test
  void aSnapshotThatFailsHalfWayLeavesNoPart() throws IOException {
    start("--provider", "Microsoft-Windows-DNS-Client", "--flight-recorder");
    writer =
        one -> {
          PlayedKernel.write(one.file(), List.of());
          return one.file().toString().endsWith(".user.etl") ? 112 : 0;
        };
    String[] snapshot = {"record", "snapshot", "-o", file("a.etl").toString()};
    assertTrue(refused(snapshot).message().startsWith("the disk of the recording is full"));
    assertFalse(Files.exists(file("a.kernel.etl")) || Files.exists(file("a.user.etl")));
    writer = null;
    assertEquals(0, windows.run(snapshot).exit());
    assertEquals(2, asked.stream().filter(one -> one.file().endsWith("a.user.etl")).count());
  }

  @Test
  void theSessionOfProvidersIsMergedWithThatOfTheKernel() throws IOException {
    String whole = file("shop.etl").toString();
    Result started = start("--dotnet", "-o", whole);
    assertEquals(0, started.exit(), started.err());
    assertEquals(3, windows.run("record", "status").out().lines().count());
    JsonReader report =
        windows.run("record", "stop", "-o", whole, "--format", "json").json("write");
    List<Path> written =
        asked.stream().filter(one -> one.why().equals("stop")).map(Asked::file).toList();
    assertEquals(List.of(file("shop.kernel.etl"), file("shop.user.etl")), written);
    assertEquals(
        List.of("NT Kernel Logger", "ntrail-user"),
        report.get("sessions").array().stream().map(one -> one.get("name").text()).toList());
    assertEquals(2, report.get("inputs").array().size());
    assertFalse(Files.exists(file("shop.user.etl")));
    assertEquals("no session runs\n", windows.run("record", "list").out());
  }

  @Test
  void stopMergesWhatTheSessionWroteWithIdentitiesOfTheMachine() throws IOException {
    Path whole = file("shop.etl");
    Result started = start("-o", whole.toString());
    assertTrue(started.out().startsWith("recording to \\\\?\\unix"), started.out());
    assertTrue(started.out().contains("record stop merges it into " + whole), started.out());
    windows.tell("lost-events 17\nlost-buffers 3\n");
    JsonReader report = windows.run("record", "stop", "--format", "json").json("write");
    assertEquals(List.of(new Asked("stop", 2, file("shop.kernel.etl"))), asked);
    JsonReader session = report.get("sessions").array().getFirst();
    assertEquals("NT Kernel Logger", session.get("name").text());
    assertEquals(17, session.get("lost").get("events").number());
    assertEquals(whole.toString(), report.get("output").get("path").text());
    assertEquals(1, report.get("added").get("images").number());
    assertEquals(2, report.get("added").get("volumes").number());
    assertFalse(Files.exists(file("shop.kernel.etl")));
    String load = Cli.run("events", whole, "-e", "Image/Load", "--format", "jsonl").out();
    assertTrue(load.contains("C:\\\\shop\\\\shopcore.dll"), load);
    assertEquals("", windows.wrong());
  }

  @Test
  void aMarkIsInTheRecording() throws IOException {
    start("-o", file("shop.etl").toString());
    Result marked = windows.run("record", "mark", "checkout begins");
    assertEquals("marked NT Kernel Logger: checkout begins\n", marked.out());
    windows
        .run("record", "mark", "checkout ends", "NT Kernel Logger", "--format", "json")
        .json("record");
    windows.run("record", "stop");
    List<String> texts =
        Cli.run("events", file("shop.etl"), "-e", "PerfInfo/Mark", "--format", "jsonl")
            .lines()
            .stream()
            .map(line -> JsonReader.parse(line).get("fields").get("Message").text())
            .toList();
    assertEquals(List.of("checkout begins", "checkout ends"), texts);
    assertEquals("", windows.wrong());
    assertEquals("ntrail record list", refused("record", "mark", "too late").nextStep());
  }

  @Test
  void aFlightRecorderIsWrittenWhenAskedAndGoesOn() throws IOException {
    Result started = start("--flight-recorder");
    assertTrue(started.out().startsWith("recording to memory: session NT Kernel Logger, "));
    assertTrue(started.out().contains("at most 128 MiB (ring)"), started.out());
    assertEquals(
        "\"NT Kernel Logger\" keeps its events in memory: there is no file that could be watched",
        refused("record", "watch").message());
    Path first = file("first.etl");
    JsonReader report =
        windows.run("record", "snapshot", "-o", first.toString(), "--format", "json").json("write");
    assertEquals(1, report.get("added").get("images").number());
    Result last = windows.run("record", "stop", "-o", file("last.etl").toString());
    assertTrue(last.out().startsWith("stopped NT Kernel Logger: 0 events"), last.out());
    assertEquals(
        List.of(
            new Asked("flush", 0x400, file("first.kernel.etl")),
            new Asked("flush", 0x400, file("last.kernel.etl"))),
        asked);
    assertTrue(Files.exists(first) && Files.exists(file("last.etl")));
    assertFalse(Files.exists(file("first.kernel.etl")));
    assertEquals("no session runs\n", windows.run("record", "list").out());
    assertEquals("", windows.wrong());
  }

  @Test
  void aSessionWithAFileHasNoSnapshot() throws IOException {
    start("--etl", "C:\\rec\\k.etl");
    CannotGoOn refused = refused("record", "snapshot", "-o", file("a.etl").toString());
    assertEquals(
        "\"NT Kernel Logger\" keeps nothing in memory: it records to C:\\rec\\k.etl",
        refused.message());
  }

  private String[] during(String script, String... more) {
    List<String> words = new ArrayList<>(List.of("record", "start", "--kernel", "cpu"));
    words.addAll(List.of(more));
    words.addAll(List.of("-o", file("shop.etl").toString(), "--while", "sh", "--", "-c", script));
    return words.toArray(String[]::new);
  }

  @Test
  void aProgramIsRecordedWhileItRuns() throws IOException {
    Result ended = windows.run(during("echo shopping; exit 7", "--format", "json"));
    assertEquals(7, ended.exit(), ended.err());
    assertTrue(ended.err().contains("shopping\n"), ended.err());
    JsonReader report = JsonReader.parse(ended.out());
    assertEquals(7, report.get("programExitCode").number());
    assertEquals(file("shop.etl").toString(), report.get("output").get("path").text());
    assertEquals("no session runs\n", windows.run("record", "list").out());
  }

  @Test
  void lossesAreToldWhileTheProgramRuns() throws IOException {
    String fail = folder.resolve("sessions.fail").toString();
    Result ended = windows.run(during("echo lost-events 17 > " + fail + "; sleep 2"));
    assertTrue(ended.err().contains("warning: 17 events and 0 buffers lost so far"), ended.err());
    assertEquals(1, ended.err().lines().filter(line -> line.contains("so far")).count());
    assertTrue(ended.out().contains("sh ended with 0\n"), ended.out());
    assertTrue(ended.out().contains("17 events and 0 buffers lost"), ended.out());
  }

  @Test
  void aProgramThatCannotBeStartedLeavesNothing() throws IOException {
    String[] words = during("");
    words[words.length - 4] = file("none.exe").toString();
    CannotGoOn failed = refused(words);
    assertTrue(failed.message().startsWith("cannot start " + file("none.exe")), failed.message());
    assertEquals("no session runs\n", windows.run("record", "list").out());
    assertFalse(Files.exists(file("shop.kernel.etl")));
  }

  /** A session that has one mark more each time it is made to write. */
  private int grow(Asked one) throws IOException {
    if (one.why().equals("flush")) {
      Files.writeString(
          file("sessions.marks"),
          "mark %d\n".formatted(asked.size()),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
    // Each record is in a buffer of its own, so that the file only grows.
    PlayedKernel.write(one.file(), windows.marks());
    return 0;
  }

  @Test
  void watchPrintsWhatIsNewWithLossesBeside() throws IOException {
    writer = this::grow;
    start("-o", file("shop.etl").toString());
    windows.tell("lost-events 17\nlost-buffers 3\n");
    Result watched = windows.run("record", "watch", "-n", "2", "--format", "jsonl");
    assertEquals(0, watched.exit(), watched.err());
    List<JsonReader> lines = watched.out().lines().map(JsonReader::parse).toList();
    assertEquals(
        List.of("mark 2", "mark 3"),
        lines.stream().map(line -> line.get("fields").get("Message").text()).toList());
    // The process was told of before.
    assertEquals("shop.exe", lines.getFirst().get("process").text());
    assertEquals("warning: 17 events and 3 buffers lost so far\n", watched.err());
    assertEquals("", windows.wrong());
  }

  @Test
  void lossesOfAllSessionsOfARecordingAreToldByName() throws IOException {
    writer = this::grow;
    start("--dotnet", "-o", file("shop.etl").toString());
    windows.tell("lost-events 17\n");
    Result watched = windows.run("record", "watch", "-n", "1");
    assertEquals(
        """
        warning: 17 events and 0 buffers lost so far
        warning: 17 events and 0 buffers of ntrail-user lost so far
        """,
        watched.err());
  }

  @Test
  void aWatchEndsWithTheSessionAndAllItsEvents() throws IOException {
    writer =
        one -> {
          if (asked.size() == 3) {
            windows.tell("query 4201\n");
          }
          return grow(one);
        };
    start("-o", file("shop.etl").toString());
    Result watched = windows.run("record", "watch", "-e", "*/Mark");
    assertEquals(0, watched.exit(), watched.err());
    assertTrue(
        watched.err().startsWith("warning: the session has ended: it was stopped, or failed; "),
        watched.err());
    List<String> rows = watched.out().lines().skip(1).toList();
    assertEquals(2, rows.size(), watched.out());
    assertTrue(rows.getFirst().contains("PerfInfo/Mark") && rows.getFirst().contains("mark 2"));
    assertTrue(rows.getLast().contains("mark 3"), watched.out());
    windows.tell("");
    assertTrue(windows.run("record", "stop").out().contains("shop.etl"));
  }

  @Test
  void aDiskThatIsFullEndsTheSessionAndTheWatchTellsSo() throws IOException {
    writer =
        one -> {
          if (asked.size() == 2) {
            windows.tell("full 112\nlost-buffers 3\n");
          }
          return grow(one);
        };
    Path whole = file("shop.etl");
    start("-o", whole.toString());
    Result watched = windows.run("record", "watch", "-e", "*/Mark");
    assertEquals(0, watched.exit(), watched.err());
    assertEquals(
        "warning: 0 events and 3 buffers lost so far\n"
            + "warning: the session has ended: its disk is full; Windows keeps errors of sessions"
            + " in its event log Microsoft-Windows-Kernel-EventTracing/Admin\n",
        watched.err());
    windows.tell("");
    String message = refused("record", "status").message();
    assertTrue(message.startsWith("no session of this name runs: it was stopped, or has ended by"));
    Result stopped = windows.run("record", "stop", "-o", whole.toString());
    assertTrue(stopped.out().startsWith("the session had ended, and what it wrote is merged: "));
    assertTrue(Files.exists(whole) && !Files.exists(file("shop.kernel.etl")));
  }

  @Test
  void aFileThatEndsEndsItsSession() throws IOException {
    writer = this::grow;
    start("--log", "sequential", "-o", file("shop.etl").toString());
    windows.tell("full 1502\n");
    // The first request to write is already refused.
    Result watched = windows.run("record", "watch");
    assertTrue(
        watched.err().startsWith("warning: the session has ended: its file is full; "),
        watched.err());
  }

  @Test
  void aRecordingOutlivesAKilledProcessAndIsStoppedByName() throws Exception {
    String started = file("started").toString();
    Process process =
        windows.process(
            "start",
            "--kernel",
            "cpu",
            "-o",
            file("shop.etl").toString(),
            "--while",
            "sh",
            "--",
            "-c",
            "touch " + started + "; exec sleep 60");
    List<ProcessHandle> programs = List.of();
    try {
      Await.until("the program runs", () -> Files.exists(file("started")));
      programs = process.descendants().toList();
      // SIGKILL, which nothing can be done about.
      process.destroyForcibly().waitFor();
      Result status = windows.run("record", "status");
      assertTrue(status.out().contains("shop.kernel.etl"), status.out());
      Result stopped = windows.run("record", "stop");
      assertEquals(0, stopped.exit(), stopped.err());
      assertTrue(Files.exists(file("shop.etl")) && !Files.exists(file("shop.kernel.etl")));
      assertEquals("no session runs\n", windows.run("record", "list").out());
    } finally {
      programs.forEach(ProcessHandle::destroyForcibly);
    }
  }

  /** Interrupts when the program runs. */
  private void interrupt(Terminal terminal) {
    try {
      Await.until("the program runs", () -> Files.exists(file("started")));
      Await.until("it is waited for", terminal.interruption()::interrupt);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void ctrlCEndsTheRecordingThoughTheProgramGoesOn() throws IOException {
    String started = file("started").toString();
    Result ended =
        windows.run(
            Optional.of(terminal -> Thread.ofPlatform().start(() -> interrupt(terminal))),
            during("touch " + started + "; exec sleep 5"));
    assertEquals(0, ended.exit(), ended.err());
    assertTrue(ended.out().contains("sh still runs\n"), ended.out());
    assertTrue(Files.exists(file("shop.etl")));
    assertEquals("no session runs\n", windows.run("record", "list").out());
  }

  @Test
  void ctrlCEndsAWatchAndTheSessionGoesOn() throws IOException {
    start("-o", file("shop.etl").toString());
    writer =
        one -> {
          Files.writeString(file("started"), "");
          return grow(one);
        };
    Optional<Consumer<Terminal>> told =
        Optional.of(terminal -> Thread.ofPlatform().start(() -> interrupt(terminal)));
    assertEquals(0, windows.run(told, "record", "watch").exit());
    assertTrue(windows.run("record", "status").out().contains("shop.kernel.etl"));
  }

  @Test
  void aFullDiskIsToldAndTheFlightRecorderGoesOn() throws IOException {
    start("--flight-recorder");
    error = 112;
    CannotGoOn full = refused("record", "snapshot", "-o", file("a.etl").toString());
    assertTrue(full.message().startsWith("the disk of the recording is full"), full.message());
    assertEquals("a file on another disk", full.nextStep());
    error = 0;
    assertEquals(0, windows.run("record", "snapshot", "-o", file("b.etl").toString()).exit());
    String stopped = windows.run("record", "stop").out();
    assertTrue(stopped.endsWith("- what was in memory is gone: stop -o NAME.etl writes it\n"));
  }

  private String query() throws IOException {
    return Wine.shared()
        .run(
            folder,
            new byte[0],
            Duration.ofMinutes(2),
            "reg",
            "query",
            "HKLM\\SYSTEM\\CurrentControlSet\\Control\\WMI\\GlobalLogger")
        .text();
  }

  @Test
  void theNextStartIsSetUpInTheRegistryAndCancelled() throws IOException {
    // What xbootmgr sets for these groups and stacks, as published.
    String groups = "PROC_THREAD+LOADER+DISK_IO+DISK_IO_INIT+DPC+CSWITCH+DISPATCHER+PROFILE";
    String stacks = "Profile+CSwitch+ReadyThread";
    String[] boot = {
      "record", "boot", "--kernel", groups, "--stacks", stacks, "--etl", "C:\\rec\\boot.etl"
    };
    Result set = windows.run(boot);
    assertTrue(set.out().startsWith("the next start of this machine will be recorded\n"));
    assertTrue(set.out().contains("undo: ntrail record boot --cancel\n"), set.out());
    String values = query();
    assertTrue(values.matches("(?s).*Start +REG_DWORD +0x1\\s.*"), values);
    assertTrue(values.matches("(?s).*FileName +REG_SZ +C:\\\\rec\\\\boot.etl\\s.*"), values);
    assertTrue(
        values.matches("(?s).*EnableKernelFlags +REG_BINARY +07070000860200000{48}\\s.*"), values);
    String filter = "2E0F00002405000032050000";
    assertTrue(values.matches("(?s).*StackWalkingFilter +REG_BINARY +" + filter + "\\s.*"), values);
    assertTrue(values.matches("(?s).*BufferSize +REG_DWORD +0x400\\s.*"), values);
    assertTrue(values.matches("(?s).*ClockType +REG_DWORD +0x1\\s.*"), values);
    CannotGoOn again = refused(boot);
    assertTrue(again.message().endsWith("to C:\\rec\\boot.etl"), again.message());
    assertEquals("ntrail record boot --cancel", again.nextStep());
    assertEquals(
        "the next start of this machine is not recorded\n",
        windows.run("record", "boot", "--cancel").out());
    assertFalse(query().matches("(?s).*(Start|FileName|EnableKernelFlags) .*"), query());
    JsonReader none = windows.run("record", "boot", "--cancel", "--format", "json").json("record");
    assertTrue(none.get("notes").toString().contains("no recording of the next start was set up"));
  }

  @Test
  void theRecordingOfAStartIsStoppedAndMerged() throws IOException {
    windows.run("record", "boot", "--kernel", "cpu", "--etl", "C:\\boot.etl");
    // The Global Logger is the kernel's one session, which others may have taken.
    start("--etl", "C:\\other.etl");
    CannotGoOn none = refused("record", "boot", "--stop", "-o", file("boot.etl").toString());
    assertEquals("no recording of this start runs: GlobalLogger", none.message());
    start("--etl", "C:\\boot.etl", "--take-over");
    Result stopped = windows.run("record", "boot", "--stop", "-o", file("boot.etl").toString());
    assertEquals(0, stopped.exit(), stopped.err());
    assertTrue(stopped.err().endsWith("over the same file: ntrail record boot --cancel\n"));
    assertTrue(stopped.out().contains("added the PDB ids of 1 image"), stopped.out());
    windows.run("record", "boot", "--cancel");
    assertEquals("", windows.wrong());
  }

  @Test
  void whatAMergeCannotWriteStaysInTheFileOfTheSession() throws IOException {
    start("-o", file("shop.etl").toString());
    CannotGoOn failed = refused("record", "stop", "-o", file("none/shop.etl").toString());
    String kernel = file("shop.kernel.etl").toString();
    assertEquals(
        "cannot write %s: no such folder; the recording is stopped, and its files stay: %s"
            .formatted(file("none/shop.etl"), kernel),
        failed.message());
    assertEquals("ntrail merge %s -o OTHER.etl".formatted(kernel), failed.nextStep());
    CannotGoOn again =
        assertThrows(CannotGoOn.class, () -> start("-o", file("shop.etl").toString()));
    assertEquals(kernel + " is there: a recording that was not merged", again.message());
    assertTrue(Files.exists(file("shop.kernel.etl")));
  }

  @Test
  void aSessionThatEndedByItselfIsMergedByTheNameOfItsRecording() throws IOException {
    Path whole = file("shop.etl");
    start("-o", whole.toString());
    PlayedKernel.write(file("shop.kernel.etl"), List.of());
    windows.vanish();
    assertEquals("ntrail record list", refused("record", "stop").nextStep());
    Result stopped = windows.run("record", "stop", "-o", whole.toString());
    assertEquals(0, stopped.exit(), stopped.err());
    assertTrue(
        stopped.out().startsWith("the session had ended, and what it wrote is"), stopped.out());
    assertTrue(Files.exists(whole));
    assertFalse(Files.exists(file("shop.kernel.etl")));
  }
}

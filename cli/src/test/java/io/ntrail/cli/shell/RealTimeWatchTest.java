package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.record.RecordMachine;
import io.ntrail.cli.shell.PlayedSessions.Result;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.etw.SessionControl;
import io.ntrail.live.etw.SessionMode;
import io.ntrail.live.etw.SessionProperties;
import io.ntrail.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ntrail record watch} of sessions without a file, with the Windows that a library under
 * Wine plays: it hands out events that are written there by hand, in C.
 */
class RealTimeWatchTest {
  private static final String NAME = "others";

  @TempDir private Path folder;
  private PlayedSessions windows;

  @BeforeEach
  void begin() throws IOException {
    windows = new PlayedSessions(folder, _ -> 0);
  }

  @AfterEach
  void end() {
    if (windows != null) {
      windows.close();
    }
  }

  private Path beside(String suffix) {
    return folder.resolve("sessions" + suffix);
  }

  /** Starts a session as another program does; it has no file. */
  private void started(int mode) throws IOException {
    RecordMachine machine = PlayedSessions.machine(folder, Optional.empty());
    try (Agent agent = AgentStart.fitting(machine.host().orElseThrow(), Duration.ofSeconds(30))) {
      SessionProperties properties =
          new SessionProperties(
              NAME,
              "",
              Guid.ZERO,
              new SessionProperties.Buffers(64, 4, 8),
              mode,
              0,
              1,
              0,
              Optional.empty(),
              OptionalLong.empty());
      assertEquals(0, new SessionControl(agent, machine.library(), "").start(properties).error());
    }
  }

  private void handsOut(String... words) throws IOException {
    Files.writeString(beside(".events"), String.join("\n", words) + "\n");
  }

  /** Returns what was printed by a watch that had nothing to complain of. */
  private List<JsonReader> watch(String... more) throws IOException {
    Result watched = watched(more);
    assertEquals("", watched.err());
    return watched.out().lines().map(JsonReader::parse).toList();
  }

  private Result watched(String... more) throws IOException {
    return watched(Optional.empty(), more);
  }

  private Result watched(Optional<Consumer<Terminal>> heard, String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of("record", "watch", NAME, "--format", "jsonl"));
    words.addAll(List.of(more));
    Result watched = windows.run(heard, words.toArray(String[]::new));
    assertEquals(0, watched.exit(), watched.err());
    assertEquals("", windows.wrong());
    assertFalse(Files.exists(beside(".open")), "the trace was left open");
    return watched;
  }

  /** Does something, from another thread, once events were handed out. */
  private void once(String what, Await.Condition action) {
    Thread.ofPlatform()
        .start(() -> {
          try {
            Await.until("events are handed out", () -> Files.exists(beside(".handed")));
            Await.until(what, action);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private CannotGoOn refused() {
    return assertThrows(CannotGoOn.class, () -> windows.run("record", "watch", NAME));
  }

  private static List<String> texts(List<JsonReader> lines, String name) {
    return lines.stream()
        .map(line -> line.get(name))
        .map(value -> value.isNull() ? "none" : value.text())
        .toList();
  }

  @Test
  void eventsArePrintedWithWhatWasHandedOut() throws IOException {
    started(SessionMode.REAL_TIME);
    handsOut(
        "manifest 513", "process 0", "stacks 64", "described 0", "sample 0", "class 0", "text 0");
    List<JsonReader> lines = watch("-n", "7");
    assertEquals(
        List.of(
            "GC/Stop",
            "Process/Start",
            "GC/Stop",
            "Checkout",
            "PerfInfo/SampleProf",
            "none",
            "none"),
        texts(lines, "event"));
    // Nothing tells of the process before it starts; later its name is known.
    assertTrue(lines.getFirst().get("process").isNull());
    assertEquals("shop.exe", lines.get(2).get("process").text());
    JsonReader stop = lines.getFirst();
    assertEquals(513, stop.get("fields").get("Count").number());
    assertEquals(2, stop.get("fields").get("Depth").number());
    assertEquals(7, stop.get("fields").get("ClrInstanceID").number());
    assertEquals("Microsoft-Windows-DotNETRuntime", stop.get("provider").text());
    assertEquals("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", stop.get("activityId").text());
    assertEquals(2, stop.get("cpu").number());
    assertEquals(40, stop.get("pid").number());
    assertEquals(4660, stop.get("tid").number());
    assertEquals(4, stop.get("level").number());
    assertEquals("0x1", stop.get("keywords").text());
    JsonReader process = lines.get(1).get("fields");
    assertEquals("shop.exe", process.get("ImageFileName").text());
    assertEquals("S-1-5-18", process.get("UserSID").text());
    JsonReader described = lines.get(3);
    assertEquals("MyShop", described.get("provider").text());
    assertEquals(42, described.get("fields").get("Total").number());
    assertEquals("books", described.get("fields").get("Shop").text());
    JsonReader sample = lines.get(4);
    assertEquals("0x7ff812345678", sample.get("fields").get("InstructionPointer").text());
    assertEquals(4660, sample.get("tid").number());
    assertEquals("01020304", lines.get(5).get("payload").text());
    assertEquals("ready to sell", lines.get(6).get("fields").get("Message").text());
    // 1,000 ticks of Wine's performance counter, which has 10,000,000 a second.
    long first = stop.get("timeNanos").number();
    assertEquals(first + 600_000, lines.get(6).get("timeNanos").number());
    assertTrue(
        Duration.between(Instant.parse(stop.get("utc").text()), Instant.now()).abs().toMinutes()
            < 10);
  }

  @Test
  void filtersAndTextAreThoseOfEvents() throws IOException {
    started(SessionMode.REAL_TIME);
    handsOut("process 0", "manifest 1", "sample 0", "manifest 2");
    Result watched = windows.run("record", "watch", NAME, "-e", "GC/*", "-n", "2");
    assertEquals(0, watched.exit(), watched.err());
    List<String> rows = watched.out().lines().toList();
    assertEquals(3, rows.size(), watched.out());
    assertTrue(rows.get(1).contains("40  4660  Microsoft-Windows-DotNETRuntime/GC/Stop"));
    assertTrue(rows.get(1).endsWith("Count=1 Depth=2 ClrInstanceID=7"), rows.get(1));
    assertTrue(rows.get(2).contains("Count=2"), rows.get(2));
  }

  @Test
  void lossesOfTheSessionAndOnTheWayAreToldBesideTheEvents() throws IOException {
    started(SessionMode.REAL_TIME);
    windows.tell("lost-events 17\nlost-buffers 3\nbuffer-lost 21\n");
    handsOut("lost 32", "lost 32", "lost 33", "manifest 1");
    Result watched = watched("-n", "1");
    assertEquals(1, watched.out().lines().count(), watched.out());
    assertEquals(
        """
        warning: 17 events and 3 buffers lost so far
        warning: 21 events lost so far, as Windows tells with buffers
        warning: Windows has told of losses without their number so far: of events 2 times, of buffers 1 time, of events that waited on the disk 0 times
        """,
        watched.err());
  }

  @Test
  void eventsThatComeFasterThanTheyAreTakenAreCounted() throws IOException {
    started(SessionMode.REAL_TIME);
    // 30 MB at once, for a ring of 16 MiB.
    handsOut("manifest 1", "larges 500", "gone 0");
    Result watched = watched("-e", "GC/*");
    assertEquals(1, watched.out().lines().count(), watched.out());
    String told =
        "(?s).*warning: [1-9]\\d* events came faster than they were printed, and were not.*";
    assertTrue(watched.err().matches(told), watched.err());
  }

  @Test
  void aWatchEndsWithTheSessionAndAllItsEvents() throws IOException {
    started(SessionMode.REAL_TIME);
    handsOut("flood 1000", "gone 0");
    Result watched = watched();
    List<JsonReader> lines = watched.out().lines().map(JsonReader::parse).toList();
    assertEquals("warning: Windows hands out no more events of the session\n", watched.err());
    assertEquals(1000, lines.size());
    for (int i = 0; i < 1000; i++) {
      assertEquals(i, lines.get(i).get("fields").get("Count").number());
    }
  }

  @Test
  void ctrlCEndsAWatchAndTheSessionOfOthersGoesOn() throws IOException {
    started(SessionMode.REAL_TIME);
    handsOut("manifest 1");
    Consumer<Terminal> interrupting =
        terminal -> once("it is waited for", terminal.interruption()::interrupt);
    watched(Optional.of(interrupting));
    assertTrue(windows.run("record", "list").out().contains(NAME));
  }

  @Test
  void aSessionThatIsStoppedMeanwhileIsTold() throws IOException {
    started(SessionMode.REAL_TIME);
    handsOut("manifest 1");
    Consumer<Terminal> stopping =
        _ ->
            once(
                "the session ends",
                () -> {
                  windows.vanish();
                  return true;
                });
    Result watched = watched(Optional.of(stopping));
    assertEquals(1, watched.out().lines().count(), watched.out());
    assertTrue(
        watched.err().startsWith("warning: the session has ended: it was stopped, or failed"),
        watched.err());
  }

  @Test
  void aSessionWithAnUnknownClockHasTimesThatWindowsConverts() throws IOException {
    started(SessionMode.REAL_TIME);
    windows.tell("clock 3\n");
    handsOut("manifest 1");
    Result watched = watched("-n", "1");
    assertEquals(
        "warning: the clock of the session is not known: Windows converts its times, and stacks of"
            + " kernel events are not found\n",
        watched.err());
    Instant time = Instant.parse(JsonReader.parse(watched.out().strip()).get("utc").text());
    assertTrue(Duration.between(time, Instant.now()).abs().toMinutes() < 10, time.toString());
  }

  @Test
  void whoMayNotHaveTheEventsIsTold() throws IOException {
    started(SessionMode.REAL_TIME);
    windows.tell("OpenTraceW 5\n");
    CannotGoOn denied = refused();
    assertEquals(CannotGoOn.Reason.NOT_POSSIBLE, denied.reason());
    assertEquals(
        "events of running sessions need administrator rights (OpenTrace: 5, ERROR_ACCESS_DENIED)",
        denied.message());
    assertTrue(denied.nextStep().contains("Performance Log Users"), denied.nextStep());
    windows.tell("ProcessTrace 4201\n");
    assertTrue(refused().message().contains("(ProcessTrace: 4201"), refused().message());
  }

  @Test
  void aSessionThatHandsNothingOutIsRefused() throws IOException {
    started(SessionMode.BUFFERING);
    assertEquals(
        "\"others\" keeps its events in memory: there is no file that could be watched",
        refused().message());
    assertFalse(Files.exists(beside(".open")));
  }
}

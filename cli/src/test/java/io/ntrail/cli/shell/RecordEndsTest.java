package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.shell.PlayedSessions.Asked;
import io.ntrail.cli.shell.PlayedSessions.Result;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.BootProviders;
import io.ntrail.live.etw.SessionMode;
import io.ntrail.live.windows.WindowsVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ends of recordings with several sessions, of which some ended before, with the Windows that a
 * library under Wine plays.
 */
class RecordEndsTest {
  private static final String IMAGE =
      "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
          + "\\Image File Execution Options\\leftshop.exe";

  @TempDir private Path folder;
  private final List<Asked> asked = new ArrayList<>();
  private PlayedSessions windows;

  @BeforeEach
  void begin() throws IOException {
    windows = new PlayedSessions(folder, this::write);
    windows.play(new WindowsVersion(10, 0, 22621, "", 0, 1, ""));
  }

  @AfterEach
  void end() {
    if (windows != null) {
      windows.close();
    }
  }

  private int write(Asked one) throws IOException {
    asked.add(one);
    PlayedKernel.write(one.file(), List.of());
    return 0;
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  private String windowsName(String name) {
    return "\\\\?\\unix" + file(name).toString().replace('/', '\\');
  }

  private Result run(String line, String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
    words.addAll(List.of(more));
    return windows.run(words.toArray(String[]::new));
  }

  private List<String> names() {
    return asked.stream().map(one -> one.file().getFileName().toString()).toList();
  }

  private OptionalInt flags() throws IOException {
    return windows.ask((_, registry) -> registry.find(IMAGE, "TracingFlags"));
  }

  @Test
  void aFlightRecorderKeepsHeapsBesideTheKernel() throws IOException {
    Result started =
        run("record start --kernel PROC_THREAD+LOADER --heap leftshop.exe --flight-recorder");
    assertEquals(0, started.exit(), started.err());
    List<String> calls = Files.readAllLines(file("sessions.calls"));
    // 128 MiB each, in buffers of 1,024 KiB; the heaps' has no file either, and no size of one.
    String heaps = "StartTrace 6 222962ab-6180-4b88-a825-346b75f2a24a 1024 128 128 0 400 80ff0488 ";
    assertTrue(calls.getLast().startsWith(heaps), calls.toString());
    assertTrue(calls.getLast().endsWith(" ntrail-heap "), calls.toString());
    JsonReader report =
        run("record snapshot --format json -o", file("first.etl").toString()).json("write");
    assertEquals(2, report.get("sessions").array().size());
    assertEquals(OptionalInt.of(1), flags());
    Result stopped = run("record stop -o", file("last.etl").toString());
    assertEquals(0, stopped.exit(), stopped.err());
    assertEquals(
        List.of("first.kernel.etl", "first.heap.etl", "last.kernel.etl", "last.heap.etl"), names());
    assertTrue(Files.exists(file("last.etl")) && !Files.exists(file("last.heap.etl")));
    assertEquals(OptionalInt.empty(), flags());
    // Heaps alone, too.
    assertEquals(0, run("record start --heap 4312 --flight-recorder").exit());
    assertEquals(0, run("record stop -o", file("heap.etl").toString()).exit());
    assertEquals("heap.heap.etl", names().getLast());
    assertEquals("", windows.wrong());
  }

  @Test
  void whatASessionOfHeapsLeavesWhenItEndsByItselfIsToldAndDeleted() throws IOException {
    String start = "record start --heap leftshop.exe --etl C:\\h.etl";
    Result started = run(start);
    String undo = "reg delete \"" + IMAGE + "\" /v TracingFlags /f";
    assertTrue(started.out().contains("until record stop; by hand: " + undo), started.out());
    assertTrue(windows.doctor().contains("nothing is left of sessions"));
    windows.vanish();
    String told = "ntrail-heap ended by itself and left TracingFlags of leftshop.exe: ";
    String doctor = windows.doctor().replaceAll("\\s+", " ");
    assertTrue(doctor.contains(told + "ntrail record list deletes it, or " + undo), doctor);
    assertEquals(OptionalInt.of(1), flags());
    Result listed = run("record list");
    assertTrue(listed.err().contains("note: " + told + "it is deleted now\n"), listed.err());
    assertEquals(OptionalInt.empty(), flags());
    assertFalse(run("record list").err().contains("TracingFlags"));
    // Also where somebody stops what has ended.
    run(start);
    windows.vanish();
    assertThrows(CannotGoOn.class, () -> run("record stop"));
    assertEquals(OptionalInt.empty(), flags());
    // One that runs keeps its own.
    run(start);
    assertFalse(run("record list").err().contains("TracingFlags"));
    assertEquals(OptionalInt.of(1), flags());
    run("record stop");
    assertEquals(OptionalInt.empty(), flags());
  }

  @Test
  void aPartWhoseSessionEndedBeforeIsMergedWithTheOthers() throws IOException {
    Path whole = file("shop.etl");
    run("record start --kernel cpu --dotnet -o", whole.toString());
    PlayedKernel.write(file("shop.kernel.etl"), List.of());
    assertEquals(0, windows.ask((control, _) -> control.stop("ntrail")).error());
    asked.clear();
    Result stopped = run("record stop");
    assertEquals(0, stopped.exit(), stopped.err());
    // .NET is waited for with requests to write, which the last one ends.
    assertEquals(List.of("shop.user.etl"), names().stream().distinct().toList());
    assertTrue(
        stopped.out().contains("the session had ended, and what it wrote is merged"),
        stopped.out());
    assertTrue(Files.exists(whole));
    assertFalse(Files.exists(file("shop.kernel.etl")) || Files.exists(file("shop.user.etl")));
  }

  @Test
  void aStateThatIsLateAtTheStartIsTold() throws IOException {
    String start =
        "record start --provider Microsoft-Windows-DNS-Client:0xF:4:state-at-start --etl C:\\a.etl";
    windows.tell("capture 1460\n");
    String late =
        "state of provider 1c95126e-7eea-49a9-a3fe-a378b03ddb4d: not all of its processes answered"
            + " in 10 s";
    Result started = run(start);
    assertEquals(0, started.exit(), started.err());
    assertEquals("warning: " + late + "\n", started.err());
    JsonReader json = run(start + " --take-over --format json").json("record");
    assertTrue(json.get("notes").toString().contains(late), json.get("notes").toString());
    windows.tell("");
    assertEquals("", run(start + " --take-over").err());
  }

  private String profile() throws IOException {
    return Files.writeString(
            file("u.wprp"),
            """
            <WindowsPerformanceRecorder Version="1.0"><Profiles>
            <EventCollector Id="E" Name="Events"/>
            <Profile Id="U.Verbose.File" Name="U" LoggingMode="File" DetailLevel="Verbose">
              <Collectors><EventCollectorId Value="E"><EventProviders>
              <EventProvider Id="D" Name="Microsoft-Windows-DNS-Client"/></EventProviders>
              </EventCollectorId></Collectors></Profile></Profiles></WindowsPerformanceRecorder>
            """)
        .toString();
  }

  @Test
  void aBootOfProvidersAloneIsSetUpEndedAndCancelled() throws IOException {
    String user = "C:\\providers.etl";
    String[] boot = {"record", "boot", "--profile", profile(), "--etl", user};
    Result set = windows.run(boot);
    assertTrue(set.out().contains("key        " + BootProviders.KEY + "\n"), set.out());
    assertFalse(set.out().contains("kernel     "), set.out());
    assertEquals(
        user, windows.ask((_, registry) -> registry.text(BootProviders.KEY, "FileName")).get());
    CannotGoOn again = assertThrows(CannotGoOn.class, () -> windows.run(boot));
    assertTrue(again.message().endsWith(BootProviders.KEY + ", to " + user), again.message());
    windows.begin(BootProviders.SESSION, user, SessionMode.SEQUENTIAL);
    Result stopped = run("record boot --stop -o", file("boot.etl").toString());
    assertEquals(0, stopped.exit(), stopped.err());
    assertEquals(List.of("providers.etl"), names());
    assertTrue(Files.exists(file("boot.etl")));
    assertTrue(stopped.err().contains("the next start is recorded, too"), stopped.err());
    // What ended by itself is named with the way to it.
    CannotGoOn none =
        assertThrows(
            CannotGoOn.class, () -> run("record boot --stop -o", file("c.etl").toString()));
    assertEquals("ntrail merge " + PlayedSessions.file(user) + " -o boot.etl", none.nextStep());
    Files.delete(PlayedSessions.file(user));
    assertEquals(
        "the next start of this machine is not recorded\n", run("record boot --cancel").out());
    assertEquals(
        OptionalInt.empty(),
        windows.ask((_, registry) -> registry.find(BootProviders.KEY, "Start")));
    assertEquals("", windows.wrong());
  }

  @Test
  void theSessionsOfABootAreStoppedAndMergedTogether() throws IOException {
    windows.begin(
        "ntrail-boot",
        windowsName("b.kernel.etl"),
        SessionMode.SEQUENTIAL | SessionMode.SYSTEM_LOGGER);
    windows.begin(BootProviders.SESSION, windowsName("b.user.etl"), SessionMode.SEQUENTIAL);
    JsonReader report =
        run("record boot --stop --logger autologger --format json -o", file("boot.etl").toString())
            .json("write");
    assertEquals(List.of("b.kernel.etl", "b.user.etl"), names());
    assertEquals(2, report.get("inputs").array().size());
    assertEquals(
        List.of("ntrail-boot", BootProviders.SESSION),
        report.get("sessions").array().stream().map(one -> one.get("name").text()).toList());
    assertTrue(Files.exists(file("boot.etl")) && !Files.exists(file("b.user.etl")));
    assertEquals("no session runs\n", run("record list").out());
    assertEquals("", windows.wrong());
  }

  @Test
  void aCancelOfTheOtherLoggerLeavesAllAndNamesIt() throws IOException {
    assertEquals(0, run("record boot --kernel cpu --logger autologger --etl C:\\b.etl").exit());
    String told = run("record boot --cancel").out();
    assertTrue(told.startsWith("no recording of the next start was set up: "), told);
    assertTrue(told.endsWith("ntrail record boot --cancel --logger autologger\n"), told);
    assertEquals(
        "the next start of this machine is not recorded\n",
        run("record boot --cancel --logger autologger").out());
  }
}

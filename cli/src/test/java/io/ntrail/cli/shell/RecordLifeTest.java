package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.shell.PlayedSessions.Asked;
import io.ntrail.cli.shell.PlayedSessions.Result;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.machine.MachineQuestions;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life of a recording, from its start to the merged file, with the Windows that a library under
 * Wine plays: what its sessions write is made here, as the kernel of that Windows would write it.
 */
class RecordLifeTest {
  private static final Path DLL = TestData.projectRoot().resolve("samples/shopcore.dll");
  private static final long BASE = 0x7FF8_0000_0000L;

  @TempDir private Path folder;
  private final List<Asked> asked = new ArrayList<>();
  private PlayedSessions windows;
  private int error;

  @BeforeEach
  void begin() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
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
    if (error == 0) {
      kernelEvents().writeTo(one.file());
    }
    return error;
  }

  /** Returns what the kernel has logged: an image of this machine that is loaded. */
  private static EtlWriter kernelEvents() throws IOException {
    Wine wine = Wine.shared();
    Path shop = Files.createDirectories(wine.prefix().resolve("drive_c/shop"));
    Files.copy(DLL, shop.resolve("shopcore.dll"), StandardCopyOption.REPLACE_EXISTING);
    byte[] dll = Files.readAllBytes(DLL);
    int pe = (int) LittleEndian.getU32(dll, 0x3C);
    int stamp = (int) LittleEndian.getU32(dll, pe + 8);
    int size = (int) LittleEndian.getU32(dll, pe + 0x50);
    RunningWindows machine =
        MachineQuestions.ask(new AgentHost.Wine(wine.loader(), wine.environment()));
    EtlSettings settings =
        EtlSettings.windows11()
            .version(6, 1, machine.build(), 1, 5)
            .perfFreq(machine.ticksPerSecond())
            .bootTime(machine.bootTime());
    String path = "\\Device\\HarddiskVolume1\\shop\\shopcore.dll";
    EtlRecord image =
        EtlRecords.system(8, 0x030A)
            .version(3)
            .time(settings.startTicks() + 1)
            .thread(40, 8)
            .payload(KernelPayloads.image(BASE, size, 40, 0, stamp, path))
            .build();
    return new EtlWriter(settings).log(0, image).flush();
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
    kernelEvents().writeTo(file("shop.kernel.etl"));
    windows.vanish();
    assertEquals("ntrail record list", refused("record", "stop").nextStep());
    Result stopped = windows.run("record", "stop", "-o", whole.toString());
    assertEquals(0, stopped.exit(), stopped.err());
    assertTrue(stopped.out().startsWith("the session had ended by itself"), stopped.out());
    assertTrue(Files.exists(whole));
    assertFalse(Files.exists(file("shop.kernel.etl")));
  }
}

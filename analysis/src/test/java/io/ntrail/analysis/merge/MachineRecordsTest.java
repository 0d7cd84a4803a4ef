package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.Additions.Missing;
import io.ntrail.analysis.merge.Additions.SystemFacts;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.formats.identity.RunningWindows.Volume;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Facts about the recorded system that a merge on its machine adds. */
class MachineRecordsTest {
  private static final int HEADER = 48;

  /** Mappings of Windows' mergers that are left out: they name no volume with a drive letter. */
  private static final Set<String> NOT_ADDED =
      Set.of(
          "\\??\\\\",
          "\\Device\\vmsmb\\",
          "\\GLOBAL??\\",
          "\\DriverStores\\BSPDRIVERS\\",
          "\\DriverStore\\Nodes\\");

  /** Recordings that Windows' mergers have written, and the machine names in those with one. */
  private static final Map<String, List<String>> MERGED =
      Map.of(
          "diaghub", List.of(),
          "sonde-test", List.of(),
          "etwanalyzer-TraceLoggingTester", List.of("Magnon"),
          "demikernel-PktMon", List.of(),
          "perfview-SelfDescribingSingleEvent", List.of(),
          "perfview-net452-x64", List.of("W8", "brianrob-w8"),
          "pyetw-out", List.of(),
          "perfview-net45-x86-win7", List.of("JEFFSCHW-GC2"));

  @TempDir private Path folder;

  /** A file that was written, and what was added to it. */
  @SuppressWarnings("ArrayRecordComponent") // compared by its parts
  private record Merged(byte[] file, Additions additions) {}

  private Merged merged(MachineRecords machine, byte[]... files) throws IOException {
    Path to = folder.resolve("merged.etl");
    List<InputFile> inputs = new ArrayList<>();
    for (byte[] file : files) {
      inputs.add(InputFile.of(file, "in" + inputs.size() + ".etl"));
    }
    try (EtwRecording recording = EtwRecording.of(inputs);
        SeekableByteChannel channel =
            Files.newByteChannel(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      RecordingMerge.write(recording, channel, false, List.of(), machine);
    }
    byte[] bytes = Files.readAllBytes(to);
    Files.delete(to);
    return new Merged(bytes, machine.additions());
  }

  private byte[] merged(byte[] file) throws IOException {
    return merged(MachineRecords.without(""), file).file;
  }

  /** Returns where the records of SystemConfigEx begin in a file that is not compressed. */
  private static List<Integer> configuration(byte[] file) {
    byte[] guid = new LittleEndian().guid(ClassGuids.SYSTEM_CONFIG_EX).toByteArray();
    List<Integer> found = new ArrayList<>();
    for (int at = 0; at + HEADER <= file.length; at += 8) {
      boolean isFull = (file[at + 2] == 10 || file[at + 2] == 20) && file[at + 3] == -64;
      if (isFull && Arrays.equals(file, at + 24, at + 40, guid, 0, 16)) {
        found.add(at);
      }
    }
    return found;
  }

  private static byte[] record(byte[] file, int at) {
    return Arrays.copyOfRange(file, at, at + LittleEndian.getU16(file, at));
  }

  /** Returns the two texts of a record behind some bytes of its payload. */
  private static List<String> texts(byte[] record, int skipped) {
    String both =
        new String(
            record, HEADER + skipped, record.length - HEADER - skipped, StandardCharsets.UTF_16LE);
    return Arrays.asList(both.split("\0", -1)).subList(0, 2);
  }

  /** Returns the machine whose merger has written some records, booted as a header tells. */
  private static RunningWindows machine(byte[] file, List<String> names) {
    int pointer = file[72 + 2] == 1 ? 4 : 8;
    int payload = 72 + 32;
    int boot = payload + 56 + 2 * pointer + 176;
    List<String> paths = List.of();
    List<String> build = List.of();
    long installed = 0;
    List<Volume> volumes = new ArrayList<>();
    for (int at : configuration(file)) {
      byte[] record = record(file, at);
      switch (record[4]) {
        case 32 -> {
          installed = LittleEndian.getU64(record, HEADER);
          build = texts(record, 8);
        }
        case 33 -> paths = texts(record, 0);
        case 35 -> {
          List<String> mapping = texts(record, 0);
          if (mapping.getLast().matches("[A-Z]:\\\\")) {
            volumes.add(new Volume(mapping.getFirst(), mapping.getLast()));
          }
        }
        default -> {
          // Another fact.
        }
      }
    }
    return new RunningWindows(
        LittleEndian.getU64(file, boot),
        LittleEndian.getU64(file, boot + 8),
        (int) LittleEndian.getU32(file, payload + 8),
        names,
        paths.getFirst(),
        paths.getLast(),
        installed,
        build.getFirst(),
        build.getLast(),
        volumes);
  }

  /** Returns the records that are to be added, in hexadecimal, sorted. */
  private static List<String> comparable(byte[] file) {
    return configuration(file).stream()
        .map(at -> record(file, at))
        .filter(record ->
            record[4] == 32
                || record[4] == 33
                || record[4] == 35 && !NOT_ADDED.contains(texts(record, 0).getFirst()))
        .map(HexFormat.of()::formatHex)
        .sorted()
        .toList();
  }

  /** Makes the records of SystemConfigEx those of another class, so that they are missing. */
  private static byte[] without(byte[] file) {
    byte[] copy = file.clone();
    configuration(file).forEach(at -> Arrays.fill(copy, at + 24, at + 40, (byte) 0x11));
    return copy;
  }

  @Test
  void whatIsAddedHasTheBytesOfWindowsMergers() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (Map.Entry<String, List<String>> one : MERGED.entrySet()) {
      byte[] theirs = merged(TestData.gunzip("etl/" + one.getKey() + ".etl.gz"));
      RunningWindows machine = machine(theirs, one.getValue());
      Merged ours = merged(MachineRecords.of(machine), without(theirs));
      assertEquals(List.of(), ours.additions.missing(), one.getKey());
      assertEquals(comparable(theirs), comparable(ours.file), one.getKey());
      assertEquals(
          new SystemFacts(machine.volumes().size(), 1, 1), ours.additions.system(), one.getKey());
    }
  }

  @Test
  void timesAreThoseOfTheHeaderAndOfTheLastRecord() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    // The merger of Visual Studio put what it added to these three into the file diaghub.
    byte[] theirs = TestData.gunzip("etl/diaghub.etl.gz");
    byte[] ours =
        merged(
                MachineRecords.of(machine(theirs, List.of("LIHA-TEST"))),
                TestData.gunzip("etl/diaghub.kernel.1.etl.gz"),
                TestData.gunzip("etl/diaghub.user_injected.1.etl.gz"),
                TestData.gunzip("etl/diaghub.user_paged.1.etl.gz"))
            .file;
    assertEquals(comparable(theirs), comparable(ours));
  }

  @Test
  void mergingAgainAddsNothing() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    RunningWindows machine =
        machine(TestData.gunzip("etl/diaghub.etl.gz"), List.of("liha-test", "other"));
    byte[] kernel = TestData.gunzip("etl/diaghub.kernel.1.etl.gz");
    byte[] once = merged(MachineRecords.of(machine), kernel).file;
    Merged again = merged(MachineRecords.of(machine), once);
    assertArrayEquals(once, again.file);
    assertEquals(SystemFacts.NONE, again.additions.system());
    assertEquals(List.of(), again.additions.missing());
  }

  @Test
  void factsThatOneInputHasAreNotAskedFor() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] theirs = TestData.gunzip("etl/diaghub.etl.gz");
    byte[] kernel = TestData.gunzip("etl/diaghub.kernel.1.etl.gz");
    RunningWindows machine = machine(theirs, List.of("liha-test"));
    Merged both = merged(MachineRecords.of(machine), kernel, theirs);
    assertEquals(comparable(theirs), comparable(both.file));
    assertEquals(SystemFacts.NONE, both.additions.system());
  }

  // A recording of a machine of the tests.

  private static final long BOOT = 134_000_000_005_000_000L;
  private static final int BUILD = 26100;
  private static final EtlSettings SETTINGS =
      EtlSettings.windows11().version(10, 0, BUILD, 1, 5).bootTime(BOOT).perfFreq(10_000_000);

  private static EtlWriter writer(String... names) {
    EtlWriter writer = new EtlWriter(SETTINGS);
    for (String name : names) {
      LittleEndian payload = new LittleEndian().u32(3000).u32(4).u32(8192).u32(4096).u32(65536);
      byte[] text = Arrays.copyOf(name.getBytes(StandardCharsets.UTF_16LE), 512);
      writer.log(
          0,
          EtlRecords.system(8, 0x0B0A)
              .version(2)
              .time(SETTINGS.startTicks() + 5)
              .payload(payload.bytes(text).zeros(276).toByteArray())
              .build());
    }
    return writer.flush();
  }

  private static RunningWindows here(long boot, int build, String... names) {
    return new RunningWindows(
        boot,
        10_000_000,
        build,
        List.of(names),
        "C:\\Windows\\system32",
        "C:\\Windows\\",
        0,
        "22621.1.amd64fre.ni_release.220506-1250",
        "Windows 11 Pro",
        List.of(new Volume("\\Device\\HarddiskVolume3\\", "C:\\")));
  }

  private List<String> whyNot(RunningWindows machine, EtlWriter writer) throws IOException {
    Additions additions = merged(MachineRecords.of(machine), writer.toByteArray()).additions;
    boolean isAdded = additions.system().equals(new SystemFacts(1, 1, 1));
    assertTrue(isAdded || additions.system().equals(SystemFacts.NONE), additions.toString());
    assertEquals(isAdded, additions.missing().isEmpty());
    return additions.missing().stream().map(Missing::why).distinct().toList();
  }

  @Test
  void onlyTheMachineAndBootOfTheRecordingAddToIt() throws IOException {
    assertEquals(List.of(), whyNot(here(BOOT, BUILD), writer()));
    assertEquals(List.of(), whyNot(here(BOOT, BUILD, "VM", "vm"), writer("vm")));
    // The clock was set, and the name tells.
    assertEquals(List.of(), whyNot(here(BOOT + 90_000_000, BUILD, "VM"), writer("vm")));
    for (RunningWindows other :
        List.of(
            here(BOOT + 90_000_000, BUILD, "VM"),
            here(BOOT - 110_000_000, BUILD, "VM"),
            here(BOOT, BUILD + 1, "VM"))) {
      assertEquals(1, whyNot(other, writer()).size(), other.toString());
    }
    assertEquals(
        List.of("recorded on PC7, this machine is VM or vm.local"),
        whyNot(here(BOOT, BUILD, "VM", "vm.local"), writer("PC7")));
    // Files of two machines that look alike.
    assertEquals(
        List.of("recorded on PC7, this machine is VM"),
        whyNot(here(BOOT, BUILD, "VM"), writer("VM", "PC7")));
  }

  @Test
  void anotherBootIsToldWithItsTime() throws IOException {
    List<String> why = whyNot(here(BOOT + 10, BUILD), writer());
    assertEquals(
        List.of("recorded without a machine name, and its boot time is not exactly this one's"),
        why);
    why = whyNot(here(133_000_000_000_000_000L, BUILD, "VM"), writer("VM"));
    assertEquals(1, why.size());
    assertTrue(why.getFirst().contains("this one at 2022-06-18T04:26:40.0000000Z"), why.toString());
  }

  @Test
  void whatTheMachineDoesNotTellIsListed() throws IOException {
    RunningWindows silent =
        new RunningWindows(
            BOOT,
            10_000_000,
            BUILD,
            List.of(),
            "",
            "C:\\Windows\\",
            0,
            "",
            "Windows 11 Pro",
            List.of(new Volume("\\Device\\HarddiskVolume3\\", "C:\\")));
    Additions additions = merged(MachineRecords.of(silent), writer().toByteArray()).additions;
    assertEquals(new SystemFacts(1, 0, 0), additions.system());
    assertEquals(
        List.of(
            new Missing("system fact", "system paths", "this machine does not tell it"),
            new Missing("system fact", "build of Windows", "this machine does not tell it")),
        additions.missing());
  }

  @Test
  void theNameCountsInRecordsOfEitherHeader() throws IOException {
    LittleEndian payload = new LittleEndian().zeros(20);
    EtlWriter writer = new EtlWriter(SETTINGS);
    writer.log(
        0,
        EtlRecords.full(8, UUID.fromString("01853a65-418f-4f36-aefc-dc0f1d2fd235"))
            .opcode(10)
            .version(3)
            .time(SETTINGS.startTicks() + 5)
            .payload(payload.utf16z("PC7").toByteArray())
            .build());
    assertEquals(
        List.of("recorded on PC7, this machine is VM"),
        whyNot(here(BOOT, BUILD, "VM"), writer.flush()));
  }

  @Test
  void recordingsOf32BitWindowsHaveRecordsOfTheirs() throws IOException {
    EtlSettings settings =
        EtlSettings.windows7(4).version(6, 1, BUILD, 1, 5).bootTime(BOOT).perfFreq(10_000_000);
    byte[] file =
        merged(MachineRecords.of(here(BOOT, BUILD)), new EtlWriter(settings).toByteArray()).file;
    List<Integer> kinds = configuration(file).stream().map(at -> (int) file[at + 2]).toList();
    // Two of paths and build, and six mappings.
    assertEquals(Collections.nCopies(8, 10), kinds);
  }

  @Test
  void factsThatDoNotFitAreListed() throws IOException {
    EtlSettings settings =
        EtlSettings.windows11().bufferSize(1024).bootTime(BOOT).perfFreq(10_000_000);
    RunningWindows machine = here(BOOT, BUILD);
    RunningWindows lengthy =
        new RunningWindows(
            machine.bootTime(),
            machine.ticksPerSecond(),
            machine.build(),
            machine.names(),
            machine.systemDirectory(),
            machine.windowsDirectory(),
            machine.installed(),
            "lab.".repeat(200),
            machine.productName(),
            machine.volumes());
    Additions additions =
        merged(MachineRecords.of(lengthy), new EtlWriter(settings).toByteArray()).additions;
    assertEquals(new SystemFacts(1, 1, 0), additions.system());
    assertEquals(
        List.of(new Missing("system fact", "build of Windows", "its buffers are too small")),
        additions.missing());
  }

  @Test
  void withoutAMachineAllThatIsMissingIsListed() throws IOException {
    Merged merged = merged(MachineRecords.without("not on Windows"), writer().toByteArray());
    assertEquals(
        Stream.of("drive letters", "system paths", "build of Windows")
            .map(name -> new Missing("system fact", name, "not on Windows"))
            .toList(),
        merged.additions.missing());
    assertEquals(List.of(), configuration(merged.file));
  }
}

package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.machine.MachineCounts;
import io.ntrail.analysis.etw.machine.Sampling;
import io.ntrail.analysis.etw.machine.SystemConfiguration;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.EtwSummary;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Contents of recordings, as other readers counted them and by their bytes. */
class OverviewTest {
  private static final long T = EtlSettings.windows11().startTicks();
  private static final UUID PROVIDER = UUID.fromString("d3b7c0f4-51c2-4a0e-9e1b-0f6d2c8a7e55");
  private static final UUID PDB = UUID.fromString("5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708");

  private final EtlWriter writer = new EtlWriter(EtlSettings.windows11());
  private long time = T;

  private static Overview real(String... names) {
    List<Path> paths =
        Stream.of(names).map(name -> TestData.file("etl/" + name + ".etl.gz")).toList();
    try (EtwRecording recording = RecordingInput.openEtw(paths)) {
      return Overview.of(recording, 2);
    }
  }

  private static Overview written(EtlWriter writer) {
    try (EtwRecording recording =
        EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "written")))) {
      return Overview.of(recording, 1);
    }
  }

  private void log(EtlRecords record, LittleEndian payload) {
    writer.log(0, record.time(++time).payload(payload).build());
  }

  private void perf(int pointer, int hook, int version, LittleEndian payload) {
    log(EtlRecords.perfInfo(pointer, hook).version(version), payload);
  }

  private static SystemConfiguration hardware(Overview overview) {
    return overview.hardware();
  }

  /** Totals of the recordings' README; images joined by a script over the decoded records. */
  @Test
  void samplesAndImagesOfRealRecordings() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Overview x64 = real("perfview-net452-x64");
    Sampling sampling = x64.sampling();
    assertEquals(79_528, sampling.samples());
    assertEquals(6_320, sampling.busy());
    assertEquals(List.of(10_000L), sampling.intervals());
    assertTrue(sampling.busyWithStack() > 6_200 && sampling.busyWithStack() <= 6_320);
    assertEquals(709, x64.contents().images());
    assertEquals(679, x64.contents().imagesWithPdbId());
    Overview win7 = real("perfview-net45-x86-win7");
    assertEquals(16_865, win7.sampling().samples());
    assertEquals(4_854, win7.sampling().busy());
    assertTrue(win7.sampling().busyWithStack() <= 4_854);
    assertEquals(728, win7.contents().images());
    assertEquals(707, win7.contents().imagesWithPdbId());
    assertEquals(18_532, win7.sources().stackRecords());
    Overview none = real("etwanalyzer-TraceLoggingTester");
    assertEquals(new Sampling(List.of(), 0, 0, 0), none.sampling());
    assertEquals(2_489, none.contents().images());
    assertEquals(2_371, none.contents().imagesWithPdbId());
  }

  /**
   * Read from the bytes at these offsets of the files: CPU at 0x15d23c0 and BuildInfo at 0x1925b00;
   * 0x216be68 and 0x20097f8; 0x37d730 (kernel.1) and 0x632ac8.
   */
  @Test
  void machinesOfRealRecordings() {
    assumeTrue(TestData.available(), TestData.MISSING);
    assertEquals(
        new SystemConfiguration(
            "JEFFSCHW-GC2",
            4,
            2993,
            3584,
            "x64",
            "7601.19160.amd64fre.win7sp1_gdr.160211-0600",
            "Windows 7 Enterprise"),
        hardware(real("perfview-net45-x86-win7")));
    SystemConfiguration newer = hardware(real("etwanalyzer-TraceLoggingTester"));
    assertEquals(
        new SystemConfiguration(
            "MAGNON",
            20,
            3494,
            65_349,
            "x64",
            "26100.4652.amd64fre.ge_release.240331-1435",
            "Windows 10 Pro"),
        newer);
    assertEquals(26_100, newer.build());
    // One file of a recording has the CPUs, another one the build.
    assertEquals(
        new SystemConfiguration(
            "liha-test",
            4,
            2295,
            16_384,
            "x64",
            "19041.1.amd64fre.vb_release.191206-1406",
            "Windows 10 Enterprise"),
        hardware(real("diaghub", "diaghub.kernel.1")));
    assertEquals(
        new SystemConfiguration(null, 0, 0, 0, null, null, null),
        hardware(real("airbus-AMSITrace")));
    assertEquals(0, hardware(real("airbus-AMSITrace")).build());
  }

  @Test
  void everyRecordingAddsUpOnAnyNumberOfCores() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<Path> files;
    try (Stream<Path> all = Files.list(TestData.file("etl"))) {
      files = all.filter(f -> f.toString().endsWith(".etl.gz")).sorted().toList();
    }
    KernelEvents kernel = new KernelEvents();
    SchemaTable table = SchemaTable.kernel();
    for (Path file : files) {
      try (EtwRecording recording = RecordingInput.openEtw(List.of(file))) {
        Overview one = Overview.of(recording, 1);
        Overview many = Overview.of(recording, 3);
        assertEquals(one.hardware(), many.hardware(), file::toString);
        assertEquals(one.sampling(), many.sampling(), file::toString);
        assertEquals(one.contents(), many.contents(), file::toString);
        assertEquals(one.sources(), many.sources(), file::toString);
        ProviderCounts sources = one.sources();
        EtwSummary.Part total = one.summary().total();
        assertEquals(total.records(), sources.events() + sources.stackRecords());
        assertEquals(total.recordBytes(), sources.bytes() + sources.stackBytes());
        List<ProviderCounts.Row> rows = sources.rows();
        assertEquals(sources.events(), rows.stream().mapToLong(ProviderCounts.Row::events).sum());
        assertEquals(sources.bytes(), rows.stream().mapToLong(ProviderCounts.Row::bytes).sum());
        assertTrue(rows.stream().allMatch(row -> row.withStack() <= row.events()));
        Sampling sampling = one.sampling();
        assertTrue(sampling.busyWithStack() <= sampling.busy(), file::toString);
        // The whole model counts the same processes and threads.
        Machine machine = recording.survey(2, () -> new Machine(recording, kernel, table, false));
        assertEquals(machine.processCount(), one.contents().processes(), file::toString);
        assertEquals(machine.threadCount(), one.contents().threads(), file::toString);
        EtwSummary.Part alone = EtwSummary.of(recording, 2).total();
        assertEquals(alone.records(), total.records());
        assertEquals(alone.firstNanos(), total.firstNanos());
        assertEquals(alone.lastNanos(), total.lastNanos());
      }
    }
  }

  private static LittleEndian sample(int pointer, int tid, int count, int flags) {
    return new LittleEndian().pointer(pointer, 0x1000).u32(tid).u16(count).u8(flags).u8(0);
  }

  @Test
  void aSampleIsIdleOnlyInTheIdleThreadOutsideOfRoutines() {
    perf(8, 0x0F2E, 2, sample(8, 0, 1, 0));
    perf(8, 0x0F2E, 2, sample(8, 0, 1, 4));
    perf(8, 0x0F2E, 2, sample(8, 0, 1, 1));
    perf(8, 0x0F2E, 2, sample(8, 0, 1, 2));
    perf(8, 0x0F2E, 2, sample(8, 12, 1, 0));
    assertEquals(new Sampling(List.of(), 5, 3, 0), written(writer).sampling());
    // Several in one record, and none that is said to be one.
    perf(8, 0x0F2E, 2, sample(8, 12, 10, 0));
    perf(8, 0x0F2E, 2, sample(8, 12, 0, 0));
    perf(8, 0x0F2E, 2, sample(8, 0, 7, 0));
    assertEquals(new Sampling(List.of(), 23, 14, 0), written(writer).sampling());
    // Without flags, of 32 bits; and one that is cut.
    perf(4, 0x0F2E, 1, new LittleEndian().u32(0x1000).u32(12).u16(3));
    perf(4, 0x0F2E, 1, new LittleEndian().u32(0x1000).u32(0).u16(3));
    perf(8, 0x0F2E, 2, new LittleEndian().u64(0x1000).u32(12));
    assertEquals(new Sampling(List.of(), 29, 17, 0), written(writer).sampling());
  }

  @Test
  void samplesInBatches() {
    LittleEndian batch = new LittleEndian().u32(3).u32(0);
    batch.bytes(sample(8, 12, 2, 0).toByteArray()).bytes(sample(8, 0, 1, 0).toByteArray());
    perf(8, 0x0F37, 2, batch.bytes(sample(8, 0, 1, 1).toByteArray()));
    LittleEndian small = new LittleEndian().u32(2).bytes(sample(4, 12, 1, 0).toByteArray());
    perf(4, 0x0F37, 2, small.bytes(sample(4, 0, 5, 0).toByteArray()));
    // One that names more than it has.
    perf(8, 0x0F37, 2, new LittleEndian().u32(-1).u32(0).bytes(sample(8, 12, 1, 0).toByteArray()));
    perf(8, 0x0F37, 2, new LittleEndian().u32(1));
    assertEquals(new Sampling(List.of(), 11, 5, 0), written(writer).sampling());
  }

  @Test
  void busySamplesWithStacks() {
    for (int tid : new int[] {12, 12, 0}) {
      perf(8, 0x0F2E, 2, sample(8, tid, 4, 0));
    }
    long second = time - 1;
    long idle = time;
    for (long named : new long[] {second, second, idle}) {
      perf(8, 0x1820, 2, KernelPayloads.stack(named, 4, 12, 0x1000));
    }
    Overview overview = written(writer);
    assertEquals(new Sampling(List.of(), 12, 8, 4), overview.sampling());
    assertEquals(3, overview.sources().stackRecords());
    assertEquals(4, overview.sources().events(), "with the header's record");
  }

  @Test
  void intervalsOfTheProfilingTimerOnly() {
    perf(8, 0x0F49, 3, KernelPayloads.interval(0, 10_000, "Timer"));
    perf(8, 0x0F49, 3, KernelPayloads.interval(2, 65_536, "TotalIssues"));
    perf(8, 0x0F4A, 3, KernelPayloads.interval(0, 10_000, "Timer"));
    assertEquals(List.of(10_000L), written(writer).sampling().intervals());
    perf(8, 0x0F48, 2, new LittleEndian().u32(0).u32(1221).u32(10_000));
    assertEquals(List.of(1221L, 10_000L), written(writer).sampling().intervals());
  }

  @Test
  void ofSeveralMachinesTheFirst() {
    log(EtlRecords.system(8, 0x0B0A).version(3), KernelPayloads.cpu(2904, 8, 16_384, "LAB-07"));
    log(EtlRecords.system(8, 0x0B0A).version(3), KernelPayloads.cpu(3000, 4, 8192, "LAB-08"));
    SystemConfiguration told = written(writer).hardware();
    assertEquals(new SystemConfiguration("LAB-07", 8, 2904, 16_384, "x64", null, null), told);
    LittleEndian build = new LittleEndian().u64(0).utf16z("9200.1.arm64fre.win8_rtm");
    log(EtlRecords.full(8, ClassGuids.SYSTEM_CONFIG_EX).opcode(32), build.utf16z("Windows 8"));
    assertEquals(9200, written(writer).hardware().build());
    assertEquals("x64", written(writer).hardware().architecture(), "the CPU's record knows best");
  }

  private void image(long base, int pid, long size, String path) {
    log(EtlRecords.system(8, 0x030A).version(3), KernelPayloads.image(base, size, pid, 1, 2, path));
  }

  private void merge(UUID guid, int opcode, int version, LittleEndian payload) {
    log(EtlRecords.full(8, guid).opcode(opcode).version(version), payload);
  }

  @Test
  void oneFileInManyPlacesIsOneImage() {
    String path = "\\Device\\HarddiskVolume3\\Windows\\System32\\a.dll";
    image(0x10_0000, 12, 0x1000, path);
    image(0x20_0000, 16, 0x1000, path.replace("a.dll", "A.DLL"));
    image(0x30_0000, 16, 0x1000, "\\SystemRoot\\System32\\a.dll");
    image(0x40_0000, 16, 0x2000, path);
    assertEquals(new MachineCounts(0, 0, 3, 0, 0), written(writer).contents());
    // The id of one place is that of the file; one where nothing was loaded says nothing.
    merge(ClassGuids.IMAGE_ID, 36, 2, KernelPayloads.rsds(0x20_0000, 16, PDB, 1, "a.pdb"));
    merge(ClassGuids.IMAGE_ID, 36, 2, KernelPayloads.rsds(0x20_0000, 99, PDB, 1, "a.pdb"));
    assertEquals(new MachineCounts(0, 0, 3, 1, 0), written(writer).contents());
    String[][] volumes = {
      {"\\Device\\HarddiskVolume3\\", "C:\\"}, {"\\SystemRoot\\", "C:\\Windows\\"}
    };
    for (String[] volume : volumes) {
      merge(ClassGuids.SYSTEM_CONFIG_EX, 35, 0, KernelPayloads.twoTexts(volume[0], volume[1]));
    }
    assertEquals(new MachineCounts(0, 0, 2, 1, 0), written(writer).contents());
  }

  @Test
  void sourcesAreTasksAndProviders() {
    LittleEndian ready = KernelPayloads.readyThread(12, 1, 1, 1);
    perf(8, 0x0524, 4, KernelPayloads.cswitch(12, 0, 8, 0, 0, 2));
    perf(8, 0x0532, 2, ready);
    perf(8, 0x0532, 2, ready);
    perf(8, 0x0529, 2, new LittleEndian().u64(1));
    EtlRecord unknown = EtlRecords.event(8, PROVIDER, 7).time(++time).build();
    writer.log(0, unknown);
    writer.log(0, EtlRecords.event(8, PROVIDER, 8).time(++time).build());
    List<ProviderCounts.Row> rows = written(writer).sources().rows();
    ProviderCounts.Row threads = rows.getFirst();
    assertEquals("Thread", threads.name());
    assertTrue(threads.task() && threads.described());
    assertEquals("ReadyThread", threads.opcodes().getFirst());
    assertEquals(4, threads.events());
    ProviderCounts.Row bare =
        rows.stream().filter(row -> !row.described()).findFirst().orElseThrow();
    assertEquals(PROVIDER.toString(), bare.name());
    assertNull(bare.provider());
    assertEquals(2, bare.types());
    assertEquals(2L * unknown.bytes().length, bare.bytes());
  }
}

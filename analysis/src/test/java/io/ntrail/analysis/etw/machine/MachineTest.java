package io.ntrail.analysis.etw.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Whom events belong to, and what files are called, as a person would find from the records. */
class MachineTest {
  private static final long T = EtlSettings.windows11().startTicks();
  private static final UUID PROVIDER = UUID.fromString("d3b7c0f4-51c2-4a0e-9e1b-0f6d2c8a7e55");
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  private static final SchemaTable TABLE = SchemaTable.kernel();

  private static final int START = 1;
  private static final int END = 2;
  private static final int RUNDOWN_START = 3;
  private static final int RUNDOWN_END = 4;

  private final EtlWriter writer = new EtlWriter(EtlSettings.windows11());

  private static EtlRecord kernel(long time, int hook, int version, LittleEndian payload) {
    return EtlRecords.system(8, hook).version(version).time(T + time).payload(payload).build();
  }

  private static EtlRecord process(long time, int kind, int pid, String image) {
    LittleEndian payload = KernelPayloads.process(pid, 4, 1, 0, image, image + " --now");
    return kernel(time, 0x300 | kind, 4, payload);
  }

  private static EtlRecord thread(long time, int kind, int pid, int tid) {
    return kernel(time, 0x500 | kind, 3, KernelPayloads.thread(pid, tid, 0x1000, 8, ""));
  }

  private static EtlRecord event(long time, int pid, int tid) {
    return EtlRecords.event(8, PROVIDER, 1).time(T + time).thread(pid, tid).build();
  }

  /** A record that only the CPU's context switches can attribute. */
  private static EtlRecord call(long time) {
    LittleEndian payload = new LittleEndian().u64(0xFFFF_F800_0000_1000L);
    return EtlRecords.perfInfo(8, 0x0F33).version(2).time(T + time).payload(payload).build();
  }

  private static EtlRecord cswitch(long time, int to, int from) {
    LittleEndian payload = KernelPayloads.cswitch(to, from, 8, 8, 0, 5);
    return EtlRecords.perfInfo(8, 0x0524).version(4).time(T + time).payload(payload).build();
  }

  private static EtlRecord fileName(long time, int type, long key, String name) {
    return kernel(time, 0x400 | type, 2, KernelPayloads.fileName(key, name));
  }

  private static EtlRecord disk(long time, long key) {
    LittleEndian payload = KernelPayloads.disk(0, 0, 4096, 0, key, 1, 10, 1);
    return EtlRecords.compact(8, 0x010A).version(3).time(T + time).payload(payload).build();
  }

  private static EtlRecord volume(long time, String kernelPath, String drive) {
    return EtlRecords.full(8, ClassGuids.SYSTEM_CONFIG_EX)
        .opcode(35)
        .time(T + time)
        .payload(KernelPayloads.twoTexts(kernelPath, drive))
        .build();
  }

  private static EtwRecording open(EtlWriter... writers) {
    List<InputFile> inputs = new ArrayList<>();
    for (EtlWriter each : writers) {
      inputs.add(InputFile.of(each.toByteArray(), "written" + inputs.size()));
    }
    return EtwRecording.of(inputs);
  }

  private static String told(EventReader event) {
    return event.process() + "(" + event.processId() + "," + event.threadId() + ")";
  }

  /** Every event from one time on: time, type, and whom it belongs to. */
  private static List<String> walked(EtwRecording recording, int cores, long from, long to) {
    Events events = Events.of(recording, SOURCES, cores);
    List<String> lines = new ArrayList<>();
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build(), from, to)) {
      while (walk.next()) {
        EventReader event = walk.event();
        lines.add(
            event.record().ticks() - T + " " + event.type() + " " + told(event) + file(event));
      }
    }
    return lines;
  }

  private static String file(EventReader event) {
    int token = event.payload().find("FileObject");
    boolean value = token >= 0 && event.payload().token(token) == Payload.Token.VALUE;
    return value ? " " + event.meaning(token) : "";
  }

  /** Returns the text after the type in the lines of one type of event, by time. */
  private Map<Long, String> of(String type) {
    Map<Long, String> told = new TreeMap<>();
    try (EtwRecording recording = open(writer)) {
      for (String line : walked(recording, 2, Long.MIN_VALUE, Long.MAX_VALUE)) {
        String[] words = line.split(" ", 2);
        if (words[1].startsWith(type + " ")) {
          told.put(Long.valueOf(words[0]), words[1].substring(type.length() + 1));
        }
      }
    }
    return told;
  }

  private void log(int cpu, EtlRecord... records) {
    for (EtlRecord record : records) {
      writer.log(cpu, record);
    }
  }

  private Map<Long, String> events() {
    return of(PROVIDER + "/1");
  }

  @Test
  void processIdsThatAreUsedAgainMeanTheProcessOfTheirTime() {
    log(
        0,
        process(100, START, 40, "first.exe"),
        event(150, 40, 1),
        process(200, END, 40, "first.exe"),
        event(250, 40, 1),
        process(300, START, 40, "second.exe"),
        event(300, 40, 2),
        event(350, 40, 2),
        process(400, START, 40, "third.exe"),
        event(450, 40, 3));
    assertEquals(
        Map.of(
            150L, "first.exe(40,1)",
            // What a process leaves behind is its own until its id is used again.
            250L, "first.exe(40,1)",
            300L, "second.exe(40,2)",
            350L, "second.exe(40,2)",
            450L, "third.exe(40,3)"),
        events());
  }

  @Test
  void whatStartedBeforeTheRecordingWasThereFromItsFirstEventOn() {
    log(
        0,
        event(10, 40, 1),
        event(10, 50, 1),
        event(10, 60, 1),
        process(100, RUNDOWN_START, 40, "old.exe"),
        process(110, START, 60, "new.exe"),
        process(120, END, 50, "ends.exe"),
        event(130, 50, 1),
        event(130, 70, 1),
        process(900, RUNDOWN_END, 70, "told-late.exe"));
    try (EtwRecording recording = open(writer)) {
      Events events = Events.of(recording, SOURCES, 1);
      Machine machine = events.machine();
      assertEquals(4, machine.processCount());
      long at = T + 10;
      assertEquals("old.exe", image(machine, 40, at));
      assertEquals("ends.exe", image(machine, 50, at));
      assertEquals("null", image(machine, 60, at));
      assertEquals("new.exe", image(machine, 60, T + 110));
      assertEquals("told-late.exe", image(machine, 70, at));
      assertEquals("null", image(machine, 80, at));
      assertEquals("old.exe --now", String.valueOf(life(machine, 40, at).commandLine()));
      assertEquals(4, life(machine, 40, at).parent());
    }
  }

  private static ProcessInstance life(Machine machine, int pid, long key) {
    ProcessInstance life = machine.process(pid, key);
    return life == null ? new ProcessInstance(pid, -1, "null", null) : life;
  }

  private static String image(Machine machine, int pid, long key) {
    return life(machine, pid, key).image();
  }

  @Test
  void aRundownOfALifeThatIsKnownIsNotASecondLife() {
    log(
        0,
        process(100, RUNDOWN_START, 40, "one.exe"),
        process(150, START, 41, "two.exe"),
        process(900, RUNDOWN_END, 40, "one.exe"),
        process(900, RUNDOWN_END, 41, "two.exe"),
        process(901, END, 41, "two.exe"),
        process(901, END, 41, "two.exe"));
    try (EtwRecording recording = open(writer)) {
      assertEquals(2, Events.of(recording, SOURCES, 2).machine().processCount());
    }
  }

  @Test
  void threadIdsThatAreUsedAgainMeanTheThreadOfTheirTime() {
    log(
        0,
        process(1, RUNDOWN_START, 40, "a.exe"),
        process(2, RUNDOWN_START, 50, "b.exe"),
        process(3, RUNDOWN_START, 60, "c.exe"),
        thread(4, RUNDOWN_START, 40, 7),
        cswitch(5, 7, 0),
        call(10),
        thread(20, END, 40, 7),
        thread(30, START, 50, 7),
        call(40),
        thread(50, START, 60, 7),
        call(60),
        cswitch(70, 0, 7),
        call(80));
    Map<Long, String> calls = of("PerfInfo/SysClEnter");
    assertEquals("a.exe(40,7)", calls.get(10L));
    assertEquals("b.exe(50,7)", calls.get(40L));
    assertEquals("c.exe(60,7)", calls.get(60L));
    assertEquals("Idle(0,0)", calls.get(80L));
  }

  @Test
  void threadsOnlyInARundownWereThereAllAlong() {
    log(
        0,
        cswitch(5, 7, 0),
        call(10),
        cswitch(15, 8, 7),
        call(20),
        thread(900, RUNDOWN_END, 40, 7),
        process(900, RUNDOWN_END, 40, "a.exe"));
    Map<Long, String> calls = of("PerfInfo/SysClEnter");
    assertEquals("a.exe(40,7)", calls.get(10L));
    assertEquals("null(-1,8)", calls.get(20L));
  }

  @Test
  void recordsWithoutIdsBelongToTheThreadOnTheirCpu() {
    log(
        0,
        process(1, RUNDOWN_START, 40, "a.exe"),
        process(1, RUNDOWN_START, 50, "b.exe"),
        thread(2, RUNDOWN_START, 40, 7),
        thread(2, RUNDOWN_START, 50, 9),
        call(3));
    log(0, cswitch(5, 7, 0), call(10), call(30));
    log(200, cswitch(6, 9, 0), call(11), cswitch(20, 0, 9), call(31));
    log(1, call(12));
    Map<Long, String> calls = of("PerfInfo/SysClEnter");
    assertEquals("null(-1,-1)", calls.get(3L), "before the first switch");
    assertEquals("a.exe(40,7)", calls.get(10L));
    assertEquals("a.exe(40,7)", calls.get(30L));
    assertEquals("b.exe(50,9)", calls.get(11L));
    assertEquals("Idle(0,0)", calls.get(31L));
    assertEquals("null(-1,-1)", calls.get(12L), "a CPU without any switch");
  }

  @Test
  void fileKeysThatAreUsedAgainMeanTheFileOfTheirTime() {
    log(
        0,
        disk(5, 0xA0),
        fileName(10, 0x20, 0xA0, "\\Device\\HarddiskVolume3\\one.db"),
        disk(20, 0xA0),
        fileName(30, 0x23, 0xA0, "\\Device\\HarddiskVolume3\\one.db"),
        disk(35, 0xA0),
        fileName(40, 0x20, 0xA0, "\\Device\\HarddiskVolume3\\two.db"),
        disk(50, 0xA0),
        disk(51, 0xB0),
        disk(52, 0xC0),
        fileName(900, 0x24, 0xB0, "\\Device\\HarddiskVolume3\\late.db"));
    Map<Long, String> disks = of("DiskIo/Read");
    // Before the first name of a key, and after its file was deleted, that name is the best one.
    disks.replaceAll((time, told) -> told.substring(told.lastIndexOf(' ') + 1));
    assertEquals("\\Device\\HarddiskVolume3\\one.db", disks.get(5L));
    assertEquals("\\Device\\HarddiskVolume3\\one.db", disks.get(20L));
    assertEquals("\\Device\\HarddiskVolume3\\one.db", disks.get(35L));
    assertEquals("\\Device\\HarddiskVolume3\\two.db", disks.get(50L));
    assertEquals("\\Device\\HarddiskVolume3\\late.db", disks.get(51L));
    assertEquals("null", disks.get(52L));
    try (EtwRecording recording = open(writer)) {
      FileNames files = Events.of(recording, SOURCES, 1).machine().files();
      assertEquals(4, files.count());
      assertEquals(0, files.leftOut());
      assertEquals("\\Device\\HarddiskVolume3\\two.db", files.at(0xA0, T + 50));
      assertNull(files.at(0xD0, T + 50));
    }
  }

  @Test
  void pathsHaveTheDriveOfTheirLongestMappedPrefix() {
    log(
        0,
        volume(1, "\\Device\\HarddiskVolume3\\", "C:\\"),
        volume(2, "\\Device\\HarddiskVolume3\\Mounted\\", "D:\\"),
        volume(3, "\\Device\\HarddiskVolume31\\", "E:\\"));
    try (EtwRecording recording = open(writer)) {
      Volumes volumes = Events.of(recording, SOURCES, 2).machine().volumes();
      assertTrue(volumes.known());
      assertEquals("C:\\a.db", volumes.path("\\Device\\HarddiskVolume3\\a.db"));
      assertEquals("C:\\a.db", volumes.path("\\device\\harddiskVOLUME3\\a.db"));
      assertEquals("D:\\a.db", volumes.path("\\Device\\HarddiskVolume3\\Mounted\\a.db"));
      assertEquals("E:\\a.db", volumes.path("\\Device\\HarddiskVolume31\\a.db"));
      assertEquals("\\Device\\Mup\\a.db", volumes.path("\\Device\\Mup\\a.db"));
      assertEquals("a.db", volumes.path("a.db"));
      assertEquals("", volumes.path(""));
    }
  }

  /** Any records of a few processes, threads and files on a few CPUs. */
  private static List<EtlRecord> any(Gen g, int count) {
    List<EtlRecord> records = new ArrayList<>();
    long time = 0;
    for (int i = 0; i < count; i++) {
      time += g.below(3);
      int pid = 40 + g.below(3);
      int tid = 4 + g.below(5);
      int kind = 1 + g.below(4);
      records.add(
          switch (g.below(8)) {
            case 0 -> process(time, kind, pid, "p" + g.below(4) + ".exe");
            case 1 -> thread(time, kind, pid, tid);
            case 2, 3 -> cswitch(time, g.below(5) == 4 ? 0 : tid, 4);
            case 4 -> fileName(time, g.oneOf(0, 0x20, 0x23, 0x24), g.below(3), "f" + g.below(9));
            case 5 -> disk(time, g.below(3));
            case 6 -> event(time, pid, tid);
            default -> call(time);
          });
    }
    return records;
  }

  private static EtlWriter written(Gen g, List<EtlRecord> records) {
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    Map<Integer, EtlBuffer> open = new TreeMap<>();
    int buffers = 0;
    for (EtlRecord record : records) {
      int cpu = g.below(3);
      EtlBuffer buffer = open.get(cpu);
      if (buffer == null || g.below(6) == 5) {
        buffer = EtlBuffer.of(cpu, 0x1C, ++buffers);
        open.put(cpu, buffer);
        writer.buffer(buffer);
      }
      buffer.add(record);
    }
    return writer;
  }

  @Test
  void aWalkFromALaterTimeAgreesWithTheWholeWalk() {
    Property.check(
        100,
        g -> {
          EtlWriter any = written(g, any(g, g.length(80)));
          long from = g.below(100);
          long to = from + g.below(60);
          try (EtwRecording recording = open(any)) {
            List<String> whole = walked(recording, 1, Long.MIN_VALUE, Long.MAX_VALUE);
            List<String> expected =
                whole.stream()
                    .filter(line -> {
                      long ticks = Long.parseLong(line.substring(0, line.indexOf(' ')));
                      return ticks >= from && ticks < to;
                    })
                    .toList();
            // A tick of these recordings is 100 ns.
            assertEquals(expected, walked(recording, 1, from * 100, to * 100));
          }
        });
  }

  @Test
  void twoFilesOnOneClockAgreeWithOneFile() {
    Property.check(
        100,
        g -> {
          List<EtlRecord> records = any(g, g.length(60));
          EtlWriter both = new EtlWriter(EtlSettings.windows11());
          EtlWriter first = new EtlWriter(EtlSettings.windows11());
          EtlWriter second = new EtlWriter(EtlSettings.windows11());
          long last = -1;
          for (int i = 0; i < records.size(); i++) {
            EtlRecord record = records.get(i);
            // Equal times of several CPUs would leave the order open.
            if (record.time() > last) {
              last = record.time();
              int cpu = g.below(2);
              both.log(cpu, record);
              (g.flag() ? first : second).log(cpu, record);
            }
          }
          try (EtwRecording one = open(both);
              EtwRecording two = open(first, second)) {
            assertTrue(two.oneClock());
            List<String> expected = walked(one, 1, 0, Long.MAX_VALUE);
            List<String> merged = walked(two, 2, 0, Long.MAX_VALUE);
            // Both files have a header record.
            assertEquals(expected.getFirst(), merged.removeFirst());
            assertEquals(expected, merged);
          }
        });
  }

  @Test
  void theNumberOfCoresMakesNoDifference() {
    Property.check(
        Slice.count(1500, 300),
        g -> {
          EtlWriter any = written(g, any(g, g.length(200)));
          List<String> one;
          try (EtwRecording recording = open(any)) {
            one = walked(recording, 1, Long.MIN_VALUE, Long.MAX_VALUE);
          }
          for (int cores : new int[] {2, 7}) {
            try (EtwRecording recording = open(any)) {
              assertEquals(one, walked(recording, cores, Long.MIN_VALUE, Long.MAX_VALUE));
            }
          }
        });
  }

  /** The machine as several collectors see it that each read some of the buffers. */
  private static Machine collected(EtwRecording recording, Gen g) {
    KernelEvents kernel = new KernelEvents();
    List<Machine> parts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      parts.add(new Machine(recording, kernel, TABLE, true));
    }
    EtlFile file = recording.files().getFirst();
    try (RecordCursor cursor = file.cursor(new Gaps())) {
      for (int b = 0; b < file.buffers().count(); b++) {
        Machine part = parts.get(g.below(3));
        cursor.open(b);
        while (cursor.next()) {
          part.visit(0, cursor);
        }
      }
    }
    Machine first = parts.remove(g.below(3));
    parts.forEach(first::merge);
    first.settle();
    return first;
  }

  @Test
  void itMakesNoDifferenceWhichCollectorSawWhat() {
    Property.check(
        100,
        g -> {
          try (EtwRecording recording = open(written(g, any(g, g.length(80))))) {
            Machine one = collected(recording, g);
            Machine other = collected(recording, g);
            for (long key = T; key < T + 160; key++) {
              for (int id = 0; id < 3; id++) {
                assertEquals(life(one, 40 + id, key), life(other, 40 + id, key));
                assertEquals(one.files().at(id, key), other.files().at(id, key));
              }
              for (int tid = 4; tid < 9; tid++) {
                assertEquals(one.processOfThread(tid, key), other.processOfThread(tid, key));
              }
            }
          }
        });
  }
}

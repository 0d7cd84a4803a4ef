package io.ntrail.analysis.flow.recorded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.TimedFlow.Trust;
import io.ntrail.analysis.flow.recorded.CodeRun.Encoded;
import io.ntrail.analysis.flow.recorded.CodeRun.Part;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pt.PtEncoder;
import io.ntrail.testkit.pt.PtOptions;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of code of real images that Unicorn ran: the answers are what ran. */
class RecordedTraceTest {
  private static final long USER = 0x7FFB_3B40_0000L;
  private static final long KERNEL = 0xFFFF_F803_1234_0000L;
  private static final long STACK = 0x70_0000_0000L;
  private static final long DATA = 0x71_0000_0000L;
  private static final long NARROW_STACK = 0x7000_0000L;
  private static final int ROOM = 0x40000;
  private static final int PID = 4000;
  private static final int TID = 4008;
  private static final int RING = 4096;

  @TempDir private Path folder;

  private UnicornMachine machine;

  @BeforeEach
  void startMachine() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Optional<UnicornMachine> started = UnicornMachine.in(folder, 64);
    assumeTrue(started.isPresent(), UnicornMachine.MISSING);
    machine = started.get();
  }

  @AfterEach
  void endMachine() throws IOException {
    if (machine != null) {
      machine.close();
    }
  }

  /** Runs a function with some data and a stack. */
  private CodeRun call(RealImage image, long function, int most, long... arguments)
      throws IOException {
    int[] registers = {1, 2, 8, 9};
    long[] general = new long[16];
    for (int i = 0; i < arguments.length; i++) {
      general[registers[i]] = arguments[i];
    }
    general[UnicornMachine.SP] = STACK + ROOM / 2;
    machine.setRegisters(general, new long[0]);
    return CodeRun.of(machine, image, function, 0x1234_5678L, most);
  }

  private void memory() throws IOException {
    machine.reset(64);
    machine.map(STACK, ROOM);
    machine.map(DATA, ROOM);
    byte[] bytes = new byte[ROOM];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 7 ^ i >> 5);
    }
    machine.write(DATA, bytes);
  }

  private static PtEncoder encoder(int timing, int psbBytes, int interrupts) {
    return new PtEncoder(
        new PtOptions(
            true, false, false, timing > 0, timing > 1, false, 0, psbBytes, interrupts, 0),
        64,
        1);
  }

  private List<Flow> read(TraceRecording recording) throws IOException {
    return Flow.all(recording.toByteArray(), folder);
  }

  @Test
  void everyOptionWordGivesTheInstructionsThatRan() throws IOException {
    RealImage user = RealImage.of("pe/windows/kernel32.dll", USER);
    RealImage kernel = RealImage.of("pe/windows/WdBoot.sys", KERNEL);
    user.saveTo(folder);
    kernel.saveTo(folder);
    memory();
    user.loadInto(machine, user.space());
    kernel.loadInto(machine, kernel.space());
    List<Part> functions = runsOf(user, user.exports());
    List<Part> driver = runsOf(kernel, kernel.functions());
    for (int timing = 0; timing < 3; timing++) {
      for (int mode = 0; mode < 3; mode++) {
        for (boolean isWrapped : new boolean[] {false, true}) {
          List<Part> parts = new ArrayList<>();
          if (mode != 1) {
            parts.addAll(functions);
          }
          if (mode != 0) {
            parts.addAll(driver);
          }
          Encoded run = CodeRun.encode(encoder(timing, 300, 400), CodeSize.BITS64, parts);
          long word = 1 | timing << 4 | 3 << 8 | (isWrapped ? 0 : 3 << 16) | (long) mode << 24;
          TraceRecording recording = new TraceRecording().process(PID, TID, "shop.exe");
          user.foundIn(recording, PID);
          kernel.foundIn(recording, 0);
          recording.onto(10, 1, TID, 0).traced(50_000, 1, PID, TID, word, run.stream());
          Flow flow = read(recording).getFirst();
          String what = "timing " + timing + ", mode " + mode + ", wrapped " + isWrapped;
          List<Long> expected = run.inRing(isWrapped ? RING : 8 * RING);
          assertEquals(List.of(), flow.errors(), what);
          assertEquals(expected, flow.addresses(), what);
          assertFalse(expected.isEmpty(), what);
          if (run.stream().length > RING) {
            assertEquals(isWrapped, expected.size() < run.addresses().size(), what);
          }
          assertEquals(timing > 0, flow.result().knowsTime(), what);
        }
      }
    }
  }

  @Test
  void codeIsThatOfTheImagesAtTheTimeOfTheEvent() throws IOException {
    RealImage first = RealImage.of("pe/windows/kernel32.dll", USER);
    RealImage second = RealImage.of("pe/windows/PSCRIPT5.DLL", USER);
    first.saveTo(folder);
    second.saveTo(folder);
    Encoded before = ranIn(first);
    Encoded after = ranIn(second);
    long word = 3L << 16 | 1;
    TraceRecording recording = new TraceRecording().process(PID, TID, "shop.exe");
    String path = TraceRecording.systemPath(first.name());
    recording.load(100, PID, USER, first.size(), first.stamp(), path);
    recording.traced(400, 0, PID, TID, word, before.stream());
    recording.unload(500, PID, USER, first.size(), first.stamp(), path);
    recording.traced(550, 0, PID, TID, word, after.stream());
    recording.load(
        600, PID, USER, second.size(), second.stamp(), TraceRecording.systemPath(second.name()));
    recording.traced(900, 0, PID, TID, word, after.stream());
    List<Flow> flows = read(recording);
    assertEquals(before.addresses(), flows.get(0).addresses());
    assertEquals(List.of(), flows.get(1).addresses());
    assertTrue(
        flows.get(1).errors().getFirst().contains("the recording tells of nothing there"),
        flows.get(1).errors().getFirst());
    assertEquals(after.addresses(), flows.get(2).addresses());
    assertEquals(List.of(), flows.get(2).errors());
  }

  private Encoded ranIn(RealImage image) throws IOException {
    memory();
    image.loadInto(machine, image.space());
    return CodeRun.encode(encoder(0, 300, 0), CodeSize.BITS64, runsOf(image, image.functions()));
  }

  @Test
  void codeOfAProgramOf32BitsIsFollowedBesideThatOf64() throws IOException {
    RealImage wide = RealImage.of("pe/windows/kernel32.dll", USER);
    RealImage narrow = RealImage.of("pe/windows/KernelBase.dll", 0x7540_0000L);
    wide.saveTo(folder);
    narrow.saveTo(folder);
    Encoded in64 = ranIn(wide);
    machine.reset(32);
    machine.map(NARROW_STACK, ROOM);
    narrow.loadInto(machine, narrow.space());
    List<Part> parts = new ArrayList<>();
    int ran = 0;
    for (long function : narrow.exports()) {
      long[] registers = new long[8];
      registers[UnicornMachine.SP] = NARROW_STACK + ROOM / 2;
      machine.setRegisters(registers, new long[0]);
      CodeRun run =
          CodeRun.of(machine, narrow, function, 0x1234_5678L, 2_000)
              .encodable(narrow.space(), CodeSize.BITS32);
      if (!run.addresses().isEmpty() && ran < 6000) {
        parts.add(new Part(run, narrow.space()));
        ran += run.addresses().size();
      }
    }
    assertTrue(ran > 1000, ran + " instructions ran");
    PtOptions options = new PtOptions(true, false, false, false, false, false, 0, 300, 0, 0);
    Encoded in32 = CodeRun.encode(new PtEncoder(options, 32, 1), CodeSize.BITS32, parts);
    TraceRecording recording = new TraceRecording().process(PID, TID, "shop.exe");
    wide.foundIn(recording, PID);
    narrow.foundIn(recording, PID);
    recording.traced(400, 0, PID, TID, 3L << 16 | 1, in32.stream());
    recording.traced(800, 0, PID, TID, 3L << 16 | 1, in64.stream());
    List<Flow> flows = read(recording);
    assertEquals(List.of(), flows.get(0).errors());
    assertEquals(in32.addresses(), flows.get(0).addresses());
    assertEquals(in64.addresses(), flows.get(1).addresses());
  }

  @Test
  void timesAreExactWhereTheClockIsTheCounter() throws IOException {
    RealImage image = RealImage.of("pe/windows/kernel32.dll", USER);
    image.saveTo(folder);
    memory();
    image.loadInto(machine, image.space());
    Encoded run =
        CodeRun.encode(encoder(2, 300, 0), CodeSize.BITS64, runsOf(image, image.functions()));
    for (boolean isCounter : new boolean[] {false, true}) {
      EtlSettings settings = EtlSettings.windows11();
      TraceRecording recording =
          new TraceRecording(isCounter ? settings.clock(3) : settings)
              .process(PID, TID, "shop.exe");
      image.foundIn(recording, PID);
      recording.traced(90_000_000, 0, PID, TID, 3L << 16 | 3 << 8 | 2 << 4 | 1, run.stream());
      Flow flow = read(recording).getFirst();
      assertEquals(run.addresses(), flow.addresses());
      List<Long> nanos = flow.nanos();
      assertTrue(nanos.getLast() <= flow.piece().piece().eventNanos());
      assertTrue(nanos.getLast() > flow.piece().piece().eventNanos() - 10_000);
      // 8 cycles are a tick of the crystal, of 84 ticks of the counter, of 2,904 million a second.
      long expected = Math.round(run.addresses().size() / 8.0 * 84 / 2.904);
      long passed = nanos.getLast() - nanos.getFirst();
      assertTrue(Math.abs(passed - expected) < expected / 20 + 100, passed + " not " + expected);
      assertEquals(isCounter, flow.trusts().contains(Trust.PACKET));
    }
  }

  @Test
  void damagedRecordingsEndWithoutAnException() throws IOException {
    RealImage image = RealImage.of("pe/windows/kernel32.dll", USER);
    image.saveTo(folder);
    memory();
    image.loadInto(machine, image.space());
    Encoded run =
        CodeRun.encode(encoder(2, 300, 400), CodeSize.BITS64, runsOf(image, image.functions()));
    TraceRecording recording = new TraceRecording().process(PID, TID, "shop.exe");
    image.foundIn(recording, PID);
    for (int i = 1; i < 4; i++) {
      recording.traced(1000L * i, i, PID, TID, i == 1 ? 0x321 : 0x3_0321, run.stream());
    }
    byte[] file = recording.toByteArray();
    int data = Damage.bufferOffsets(file).get(1);
    int changed = 0;
    List<Flow> whole = Flow.all(file, folder);
    for (int seed = 0; seed < Slice.count(400, 40); seed++) {
      List<Flow> left = Flow.all(Damage.flipBits(file, seed, 400, data, file.length), folder);
      assertTrue(left.size() <= 3);
      changed +=
          left.size() == 3 && left.get(2).addresses().equals(whole.get(2).addresses()) ? 0 : 1;
    }
    assertTrue(changed > 5, changed + " were changed");
    for (int length = data; length < file.length; length += 9973) {
      assertTrue(Flow.all(Damage.cutAt(file, length), folder).size() <= 3);
    }
  }

  /** Runs functions of an image, one behind the other. */
  private List<Part> runsOf(RealImage image, List<Long> functions) throws IOException {
    List<Part> parts = new ArrayList<>();
    int ran = 0;
    for (long function : functions) {
      if (ran > 6000) {
        break;
      }
      CodeRun run = call(image, function, 2_000, DATA, DATA + 64, 400, DATA + 256);
      run = run.encodable(image.space(), CodeSize.BITS64);
      if (!run.addresses().isEmpty()) {
        parts.add(new Part(run, image.space()));
        ran += run.addresses().size();
      }
    }
    assertTrue(ran > 1000, ran + " instructions of " + image.name() + " ran");
    return parts;
  }
}

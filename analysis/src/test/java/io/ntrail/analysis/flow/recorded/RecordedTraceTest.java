package io.ntrail.analysis.flow.recorded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.recorded.CodeRun.Encoded;
import io.ntrail.analysis.flow.recorded.CodeRun.Part;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.TestData;
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
    assertTrue(ran > 3000, ran + " instructions of " + image.name() + " ran");
    return parts;
  }
}

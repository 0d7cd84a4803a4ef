package io.ntrail.analysis.flow.recorded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.calls.FlowCallSink.Entry;
import io.ntrail.analysis.flow.recorded.CodeRun.Encoded;
import io.ntrail.analysis.flow.recorded.CodeRun.Part;
import io.ntrail.analysis.flow.recorded.PieceTail.Block;
import io.ntrail.analysis.flow.recorded.PieceTail.Call;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pt.PtEncoder;
import io.ntrail.testkit.pt.PtOptions;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last instructions before an event are those of a function that Unicorn ran. */
class PieceTailTest {
  private static final long USER = 0x7FFB_3B40_0000L;
  private static final long STACK = 0x70_0000_0000L;
  private static final long DATA = 0x71_0000_0000L;
  private static final int ROOM = 0x40000;
  private static final int PID = 4000;
  private static final int TID = 4008;
  private static final int RING = 4096;
  private static final long UNTIMED = 1;

  @TempDir private Path folder;

  private UnicornMachine machine;
  private RealImage image;
  private Encoded run;

  /** Instructions before each function that was run: an interrupt is there. */
  private final Set<Integer> interrupts = new HashSet<>();

  @BeforeEach
  void runFunctions() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Optional<UnicornMachine> started = UnicornMachine.in(folder, 64);
    assumeTrue(started.isPresent(), UnicornMachine.MISSING);
    machine = started.get();
    image = RealImage.of("pe/windows/kernel32.dll", USER);
    image.saveTo(folder);
    machine.reset(64);
    machine.map(STACK, ROOM);
    machine.map(DATA, ROOM);
    image.loadInto(machine, image.space());
    List<Part> parts = new ArrayList<>();
    int ran = 0;
    for (long function : image.exports()) {
      long[] general = new long[16];
      general[1] = DATA;
      general[2] = DATA + 64;
      general[8] = 400;
      general[UnicornMachine.SP] = STACK + ROOM / 2;
      machine.setRegisters(general, new long[0]);
      CodeRun one =
          CodeRun.of(machine, image, function, 0x1234_5678L, 2_000)
              .encodable(image.space(), CodeSize.BITS64);
      if (!one.addresses().isEmpty() && ran < 5_000) {
        interrupts.add(ran);
        parts.add(new Part(one, image.space()));
        ran += one.addresses().size();
      }
    }
    PtOptions options = new PtOptions(true, false, false, false, false, false, 0, 300, 0, 0);
    run = CodeRun.encode(new PtEncoder(options, 64, 1), CodeSize.BITS64, parts);
    assertTrue(run.addresses().size() > 3_000, run.addresses().size() + " instructions ran");
  }

  @AfterEach
  void endMachine() throws IOException {
    if (machine != null) {
      machine.close();
    }
  }

  /** Returns the tail of the only piece of a recording. */
  private PieceTail tail(long options, byte[] stream, int most) throws IOException {
    TraceRecording recording = new TraceRecording().process(PID, TID, "shop.exe");
    image.foundIn(recording, PID);
    recording.onto(10, 1, TID, 0).traced(50_000, 1, PID, TID, options, stream);
    List<PieceTail> tails = new ArrayList<>();
    try (EtwRecording read =
            EtwRecording.of(List.of(InputFile.of(recording.toByteArray(), "written")));
        RecordedTrace trace =
            RecordedTrace.of(read, 1, List.of(Flow.stores(folder)), new PdbSearch(List.of()));
        PieceWalk walk = trace.walk(Flow.settings())) {
      walk.walk(
          0,
          piece -> {
            tails.add(new PieceTail(piece, most));
            return tails.getLast();
          });
    }
    return tails.getFirst();
  }

  private static List<Long> addresses(PieceTail tail) {
    List<Long> addresses = new ArrayList<>();
    for (int i = 0; i < tail.size(); i++) {
      addresses.add(tail.address(i));
    }
    return addresses;
  }

  /** Option word of a ring that holds all. */
  private static long whole() {
    return UNTIMED | 5 << 16;
  }

  @Test
  void theLastInstructionsAreThoseThatRanLast() throws IOException {
    List<Long> ran = run.addresses();
    for (int most : new int[] {1, 2, 7, 200, 1_000, ran.size()}) {
      PieceTail tail = tail(whole(), run.stream(), most);
      assertEquals(ran.subList(ran.size() - most, ran.size()), addresses(tail), most + " wanted");
      assertTrue(tail.isComplete(), tail.why(0));
      assertEquals("", tail.why(0));
    }
  }

  @Test
  void blocksAreTheInstructionsInOrder() throws IOException {
    for (int most : new int[] {1, 50, 999}) {
      PieceTail tail = tail(whole(), run.stream(), most);
      int next = 0;
      for (Block block : tail.blocks()) {
        assertEquals(next, block.first());
        assertEquals(tail.address(next), block.address());
        next += block.instructions();
      }
      assertEquals(most, next);
    }
  }

  @Test
  void callsAreThoseOfTheCallInstructionsThatRan() throws IOException {
    int most = 1_500;
    PieceTail tail = tail(whole(), run.stream(), most);
    List<Long> ran = run.addresses();
    List<String> expected = new ArrayList<>();
    for (int i = ran.size() - most; i < ran.size(); i++) {
      if (!interrupts.contains(i) && isCallTo(ran.get(i - 1), ran.get(i))) {
        int first = i - (ran.size() - most);
        expected.add("%d: %x from %x".formatted(first, ran.get(i), ran.get(i - 1)));
      }
    }
    List<String> found = new ArrayList<>();
    for (Call call : tail.calls()) {
      if (call.how() == Entry.CALL) {
        found.add("%d: %x from %x".formatted(call.first(), call.address(), call.from()));
      }
    }
    assertEquals(expected, found);
    assertTrue(found.size() > 5, found.size() + " calls");
  }

  /** Returns whether a call instruction ran, and not an interrupt behind it. */
  private boolean isCallTo(long address, long next) {
    AddressSpace code = image.space();
    Bytes bytes = code.readUpTo(address, InstructionDecoder.LONGEST);
    Instruction instruction = new Instruction();
    int length =
        InstructionDecoder.of(CodeSize.BITS64).decode(bytes, 0, bytes.length(), instruction);
    boolean isCall =
        instruction.flowClass() == FlowClass.DIRECT_CALL
            || instruction.flowClass() == FlowClass.INDIRECT_CALL;
    return isCall && next != address + length;
  }

  @Test
  void ofAWrappedRingFewerAreThereAndItIsTold() throws IOException {
    List<Long> left = run.inRing(RING);
    assertTrue(run.stream().length > RING && left.size() < run.addresses().size());
    PieceTail few = tail(UNTIMED, run.stream(), left.size());
    assertEquals(left, addresses(few));
    assertTrue(few.isComplete());
    PieceTail more = tail(UNTIMED, run.stream(), left.size() + 1);
    assertEquals(left, addresses(more));
    assertFalse(more.isComplete());
    assertEquals("the ring wrapped: what ran before was overwritten", more.why(100));
  }
}

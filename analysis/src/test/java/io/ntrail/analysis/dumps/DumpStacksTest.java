package io.ntrail.analysis.dumps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.stacks.HandlerStep;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.ShadowStackCheck;
import io.ntrail.analysis.stacks.SnapshotCode;
import io.ntrail.analysis.stacks.SnapshotStacks;
import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.analysis.stacks.ThreadActivity;
import io.ntrail.analysis.stacks.ThreadStack;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.SharedDumps;
import io.ntrail.testkit.pe.LoaderView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stacks of dumps: made ones whose frames a person can follow, and shared ones. */
class DumpStacksTest {
  private static final long IMAGE = 0x7FF7_0000_0000L;
  private static final long STACK = 0x10_0000L;
  private static final int STACK_SIZE = 0x1000;

  /** A program of Microsoft's compiler; objdump lists its unwind data in data/pe/expected. */
  private static final String PROGRAM = "pe/eh/seh_probe-msvc-x86_64-fh3-no-gs-o0.exe";

  @TempDir private Path folder;

  private static DumpRecording open(byte[] content) {
    return DumpRecording.open(InputFile.of(content, "a.dmp"), new Gaps());
  }

  private static SnapshotStacks stacks(DumpRecording dump, DumpView view, Path... pdbs) {
    return new SnapshotStacks(
        new DumpSnapshot(dump, view), new PdbSearch(List.of(pdbs)), SymbolStores.none());
  }

  private static ThreadStack first(SnapshotStacks stacks) {
    return stacks.stack(stacks.process().threads().getFirst());
  }

  private static List<String> places(ThreadStack stack) {
    return stack.frames().stream().map(f -> f.trust().word() + " " + f.place()).toList();
  }

  /**
   * A thread in the __try of the function at 0x10b0 (frame of 0x88 bytes), which was called from
   * the __try of the one at 0x1050 (0x38 bytes), which nothing called.
   */
  private static MinidumpBuilder inTry(long... shadow) throws IOException {
    byte[] image = LoaderView.map(Files.readAllBytes(TestData.file(PROGRAM)));
    byte[] stack = new byte[STACK_SIZE];
    LittleEndian.putU64(stack, 0x88, IMAGE + 0x1070);
    LittleEndian.putU64(stack, 0x88 + 8 + 0x38, 0);
    byte[] context = MinidumpBuilder.x64(IMAGE + 0x10F8, 1, 2, 3, 4, STACK, 6, 7, 8, 9, 10, 11, 12);
    MinidumpBuilder dump =
        new MinidumpBuilder()
            .system(9, 10, 0, 19045)
            .thread(7, 0, STACK, stack, context)
            .exception(7, 0xC000_0005L, IMAGE + 0x10F8, context, 0, 0x18)
            .module(IMAGE, image.length, 1, "C:\\x\\seh_probe.exe")
            .memory(IMAGE, image);
    if (shadow.length > 0) {
      LittleEndian words = new LittleEndian();
      LongStream.of(shadow).forEach(words::u64);
      dump.memory(0x20_0000L, words.toByteArray());
    }
    return dump;
  }

  @Test
  void handlersComeInTheOrderOfFramesAndTables() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    DumpRecording dump = open(inTry().toByteArray());
    try (dump;
        SnapshotStacks stacks = stacks(dump, dump.view())) {
      ThreadStack stack = first(stacks);
      assertEquals(StackWalk.End.END_OF_STACK, stack.end());
      assertEquals(
          List.of("context seh_probe.exe+0x10f8", "unwind seh_probe.exe+0x1070"), places(stack));
      assertEquals(IMAGE + 0x1070, stack.frames().getFirst().returnAddress());
      // The bytes of both tables as objdump prints them: begin, end, handler, target.
      assertEquals(
          List.of(
              "0 finally 0x2501 runs when the frame is left",
              "0 filter 0x2539 decides; if it takes the exception, 0x7ff700001131 goes on",
              "1 filter 0x24e0 decides; if it takes the exception, 0x7ff700001086 goes on"),
          stacks.handlers(stack).stream().map(DumpStacksTest::text).toList());
    }
  }

  private static String text(HandlerStep step) {
    return "%d %s 0x%x %s".formatted(step.frame(), step.kind().word(), step.rva(), step.action());
  }

  @Test
  void theInstructionNamesItsRegisters() throws IOException {
    byte[] code = new byte[0x40];
    byte[] load = {0x48, (byte) 0x8B, 0x41, 0x18};
    byte[] before = {0x48, (byte) 0x83, (byte) 0xEC, 0x28};
    System.arraycopy(before, 0, code, 0, 4);
    System.arraycopy(load, 0, code, 4, 4);
    byte[] context = MinidumpBuilder.x64(0x5_0004L, 0xA, 0, 3, 4, STACK, 6, 7, 8);
    DumpRecording dump =
        open(
            new MinidumpBuilder()
                .system(9, 10, 0, 19045)
                .thread(7, 0, STACK, new byte[64], context)
                .memory(0x5_0000L, code)
                .toByteArray());
    try (dump;
        SnapshotStacks stacks = stacks(dump, dump.view())) {
      SnapshotCode listing = new SnapshotCode(stacks.process());
      assertEquals("mov rax, qword ptr [rcx+0x18]", listing.at(0x5_0004L).orElseThrow().text());
      SnapshotThread thread = stacks.process().threads().getFirst();
      assertEquals(
          List.of(new SnapshotCode.Value("rcx", 0), new SnapshotCode.Value("rax", 0xA)),
          listing.operands(0x5_0004L, thread.start().orElseThrow()));
      assertEquals(
          List.of("48 83 ec 28", "48 8b 41 18", "00 00"),
          listing.around(0x5_0000L, 0x5_0004L, 5, 1).stream()
              .map(SnapshotCode.Line::bytes)
              .toList());
      assertEquals(
          List.of("48 8b 41 18"),
          listing.around(0x5_0003L, 0x5_0004L, 5, 0).stream()
              .map(SnapshotCode.Line::bytes)
              .toList(),
          "nothing before an instruction that no start leads to");
    }
  }

  @Test
  void framesOutsideOfModulesSaySo() throws IOException {
    byte[] context = MinidumpBuilder.x64(0x9_0000L, 1, 2, 3, 4, STACK, 0, 0, 0);
    MinidumpBuilder made =
        new MinidumpBuilder()
            .system(9, 10, 0, 19045)
            .thread(7, 0, STACK, new byte[64], context)
            .thread(8, 0, 0, new byte[0], MinidumpBuilder.x64(0x8_0010L, 1, 2, 3, 4, 0x77_0000L))
            .thread(9, 0, 0, new byte[0], new byte[0])
            .unloaded(0x8_0000L, 0x1000, "C:\\x\\old.dll")
            .memoryInfo(0x9_0000L, 0x1000, 0x1000, 4, 0x2_0000);
    DumpRecording dump = open(made.toByteArray());
    try (dump;
        SnapshotStacks stacks = stacks(dump, dump.view())) {
      List<SnapshotThread> threads = stacks.process().threads();
      assertEquals(
          "0x90000 (no module, memory that is not executable)",
          stacks.stack(threads.getFirst()).frames().getFirst().text());
      assertEquals(
          "0x80010 (in old.dll+0x10, which was unloaded)",
          stacks.stack(threads.get(1)).frames().getFirst().text());
      assertEquals(ThreadActivity.RUNS, stacks.activity(threads.getFirst()));
      assertEquals(ThreadActivity.NO_STACK, stacks.activity(threads.get(1)));
      assertEquals(ThreadActivity.NO_REGISTERS, stacks.activity(threads.get(2)));
      ThreadStack none = stacks.stack(threads.get(2));
      assertEquals(List.of(), none.frames());
      assertEquals("its registers are not in the dump", none.why());
    }
  }

  @Test
  void threadsBehindSystemCallsWait() throws IOException {
    for (String call : List.of("0F05", "0F34", "CD2E", "64FF15C0000000", "BA00000477FFD2")) {
      byte[] bytes = java.util.HexFormat.of().parseHex("909090909090909090" + call + "C3");
      long ip = 0x5_0000L + bytes.length - 1;
      byte[] context = MinidumpBuilder.x64(ip, 1, 2, 3, 4, STACK, 0, 0, 0);
      DumpRecording dump =
          open(
              new MinidumpBuilder()
                  .system(9, 10, 0, 19045)
                  .thread(7, 0, STACK, new byte[64], context)
                  .memory(0x5_0000L, bytes)
                  .toByteArray());
      try (dump;
          SnapshotStacks stacks = stacks(dump, dump.view())) {
        assertEquals(
            ThreadActivity.WAITS, stacks.activity(stacks.process().threads().getFirst()), call);
      }
    }
  }

  /** The five frames of data/dumps/README.md, and what its snapshot says of their lines. */
  @Test
  void framesOfX86HaveTheirLinesAndInlinedFunctions() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path pdb = Files.write(folder.resolve("crash.pdb"), TestData.gunzip("pdb/sentry/crash.pdb.gz"));
    DumpRecording dump = open(SharedDumps.read("sentry/windows.dmp"));
    try (dump;
        SnapshotStacks stacks = stacks(dump, dump.programView(), pdb)) {
      ThreadStack stack = first(stacks);
      List<NamedFrame> code = stack.frames().stream().filter(f -> !f.isInlined()).toList();
      assertEquals(
          List.of(0x2A2A3DL, 0x2A2D97L, 0x7506_62C4L, 0x771D_0F79L, 0x771D_0F44L),
          code.stream().map(NamedFrame::ip).toList());
      assertEquals("main:35", code.getFirst().function() + ":" + code.getFirst().line());
      assertEquals("__scrt_common_main_seh:283", code.get(1).function() + ":" + code.get(1).line());
      assertEquals(StackWalk.End.END_OF_STACK, stack.end());
      assertEquals(3, stack.frames().size() - code.size(), "crash, start and invoke_main");
    }
  }

  @Test
  void bothSidesOfA32BitProcessAreWalked() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assumeTrue(SharedDumps.XZ.available(), SharedDumps.XZ.missing());
    DumpRecording dump = open(SharedDumps.wow64());
    try (dump;
        SnapshotStacks program = stacks(dump, dump.programView());
        SnapshotStacks other = stacks(dump, dump.view())) {
      ThreadStack stack = first(program);
      // eip and esp of data/dumps/README.md.
      assertEquals(0x77CE_01FDL, stack.frames().getFirst().ip());
      assertEquals(0x37_F5B8L, stack.frames().getFirst().sp());
      assertEquals(StackWalk.End.END_OF_STACK, stack.end());
      assertEquals("NtWaitForMultipleObjects", stack.frames().getFirst().function());
      assertEquals(ThreadActivity.WAITS, stack.activity());
      List<String> wide = places(first(other));
      assertEquals("context wow64cpu.dll+0x2e09", wide.getFirst());
      assertEquals("unwind ntdll.dll!LdrInitializeThunk + 0xe", wide.getLast());
    }
  }

  @Test
  void theShadowStackOfADumpShowsThatGuessesAreWrong() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    DumpRecording dump = open(SharedDumps.read("breakpad/tiny-exe-with-cet-xsave.dmp"));
    try (dump;
        SnapshotStacks stacks = stacks(dump, dump.view())) {
      // SSP of data/dumps/README.md.
      assertEquals(0xCB_C83F_EFC8L, stacks.process().threads().getFirst().shadowStack());
      ThreadStack stack = first(stacks);
      ShadowStackCheck check = stacks.shadowStack(stack).orElseThrow();
      assertTrue(check.differs().isPresent(), "frames that were found by scanning");
    }
  }
}

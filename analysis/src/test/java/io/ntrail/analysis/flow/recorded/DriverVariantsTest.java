package io.ntrail.analysis.flow.recorded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.recorded.CodeRun.Encoded;
import io.ntrail.analysis.flow.recorded.CodeRun.Part;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import io.ntrail.programs.kernelcode.CodeSite;
import io.ntrail.programs.kernelcode.CodeVariant;
import io.ntrail.programs.kernelcode.KernelCode;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.LayeredSpace;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pt.PtEncoder;
import io.ntrail.testkit.pt.PtOptions;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Every site of real drivers, run by Unicorn in the form of the file and in each form that a kernel
 * gives it, as a recording with a piece for each: the flow is what ran, and where streams of two
 * variants differ, the wrong one is found out.
 */
class DriverVariantsTest {
  /**
   * All 6,784 sites of imports, and those of pointers and switches; a slice has a quarter of one
   * driver.
   */
  @SuppressWarnings("unused")
  static final List<String> FILES =
      Slice.of(
          List.of(
              "pt/dvrt/amdppm.sys",
              "pt/dvrt/acpi.sys",
              "pt/dvrt/WdBoot.sys",
              "pdb/win10/Wdf01000.sys",
              "pdb/sysinf/systeminformer.sys"),
          5);

  private static final long BASE = 0xFFFF_F803_1234_0000L;
  private static final long STACK = 0x7000_0000L;
  private static final int ROOM = 0x10000;
  private static final int PID = 4;
  private static final int TID = 40;
  private static final int MOST = 16;
  private static final long KERNEL = 0x0100_0001L;

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

  /** Runs from every site of a variant, each as a stream. */
  private List<Encoded> streams(KernelImages images, CodeVariant variant, boolean isCompressing)
      throws IOException {
    KernelCode code = images.code(variant);
    machine.reset(64);
    images.loadInto(machine, code);
    machine.map(STACK, ROOM);
    List<AddressSpace> layers = new ArrayList<>(List.of(code.space()));
    images.modules().forEach(module -> layers.add(module.space()));
    AddressSpace all = new LayeredSpace("all", layers);
    List<Encoded> streams = new ArrayList<>();
    for (CodeSite site : Slice.of(code.sites(), 4)) {
      CodeRun run = run(images, site);
      PtEncoder encoder =
          new PtEncoder(
              new PtOptions(isCompressing, false, false, false, false, false, 0, 4096, 0, 0),
              64,
              1);
      streams.add(CodeRun.encode(encoder, CodeSize.BITS64, List.of(new Part(run, all))));
    }
    return streams;
  }

  private CodeRun run(KernelImages images, CodeSite site) throws IOException {
    long start = images.driver().base() + site.rva();
    boolean isImport = site.form().symbol() == Symbol.GUARD_IMPORT_CONTROL_TRANSFER;
    long[] registers = new long[16];
    if (!isImport) {
      // Whatever register a switch uses.
      Arrays.fill(registers, images.function());
    }
    registers[UnicornMachine.SP] = STACK + ROOM / 2;
    machine.setRegisters(registers, new long[0]);
    long caller = images.function() + 8;
    KernelImages.pointer(machine, STACK + ROOM / 2, caller);
    CodeRun run =
        CodeRun.of(
            machine, start, site.form().isCall() ? start + site.form().length() : caller, MOST);
    assertTrue(run.addresses().size() > 1, () -> "site at " + Long.toHexString(start));
    return run;
  }

  private TraceRecording recording(KernelImages images, List<Encoded> streams) throws IOException {
    TraceRecording recording =
        new TraceRecording(EtlSettings.windows11()).process(PID, TID, "System");
    images.driver().foundIn(recording, 0);
    images.driver().saveTo(folder);
    for (RealImage module : images.modules()) {
      module.foundIn(recording, 0);
      module.saveTo(folder);
    }
    for (int i = 0; i < streams.size(); i++) {
      recording.traced(1000L + 10L * i, 0, PID, TID, KERNEL, streams.get(i).stream());
    }
    return recording;
  }

  @ParameterizedTest
  @FieldSource("FILES")
  void everySiteIsFollowedAsItRanAndAWrongVariantIsFoundOut(String file) throws IOException {
    KernelImages images = KernelImages.of(file, BASE);
    for (boolean isCompressing : new boolean[] {false, true}) {
      List<List<Encoded>> all = new ArrayList<>();
      for (CodeVariant variant : CodeVariant.values()) {
        all.add(streams(images, variant, isCompressing));
      }
      for (CodeVariant ran : CodeVariant.values()) {
        if (ran == CodeVariant.IMPORT_REGISTER && isLikeSlots(all)) {
          continue;
        }
        List<Encoded> streams = all.get(ran.ordinal());
        try (EtwRecording etw =
                EtwRecording.of(
                    List.of(InputFile.of(recording(images, streams).toByteArray(), "written")));
            RecordedTrace trace =
                RecordedTrace.of(etw, 1, List.of(Flow.stores(folder)), new PdbSearch(List.of()))) {
          String what = file + " " + ran + (isCompressing ? ", returns compressed" : "");
          int[] numbers = IntStream.range(0, streams.size()).toArray();
          List<DriverVariant> found =
              trace.chooseVariants(numbers, Flow.settings(), new StoppableWork<>(""));
          assertEquals(1, found.size(), what);
          assertEquals(ran, found.getFirst().variant(), what + " " + found);
          assertTrue(found.getFirst().isDecided(), what + " " + found);
          try (PieceWalk walk = trace.walk(Flow.settings())) {
            for (int i = 0; i < streams.size(); i++) {
              Flow flow = Flow.of(walk, i);
              assertEquals(List.of(), flow.errors(), what + " site " + i);
              assertEquals(streams.get(i).addresses(), flow.addresses(), what + " site " + i);
            }
          }
          for (CodeVariant wrong : CodeVariant.values()) {
            assertFoundOut(trace, all, ran, wrong, what);
          }
        }
      }
    }
  }

  /**
   * Tells that every stream of calls through r10 is one of calls through slots as well: compressed
   * returns do not tell them apart, nor do jumps.
   */
  private static boolean isLikeSlots(List<List<Encoded>> all) {
    List<Encoded> slots = all.get(CodeVariant.IMPORT_OPTIMIZATION.ordinal());
    List<Encoded> register = all.get(CodeVariant.IMPORT_REGISTER.ordinal());
    return IntStream.range(0, slots.size())
        .allMatch(i -> Arrays.equals(slots.get(i).stream(), register.get(i).stream()));
  }

  /** A variant with which another stream would have come speaks against itself at each site. */
  private static void assertFoundOut(
      RecordedTrace trace,
      List<List<Encoded>> all,
      CodeVariant ran,
      CodeVariant wrong,
      String what) {
    List<Encoded> streams = all.get(ran.ordinal());
    for (int i = 0; i < streams.size(); i++) {
      boolean isSame =
          Arrays.equals(streams.get(i).stream(), all.get(wrong.ordinal()).get(i).stream());
      long against = trace.against(i, wrong, Flow.settings());
      int site = i;
      if (ran == wrong) {
        assertEquals(0, against, () -> what + " site " + site);
      } else if (!isSame) {
        assertTrue(against > 0, () -> what + " as " + wrong + " site " + site);
      }
    }
  }
}

package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.SpacePiece;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.BreakpadStackRecords;
import io.ntrail.testkit.pe.PeSamples;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the caller's stack pointer and the place of the return address with what dump_syms
 * computed from the same unwind data, for the body of every function.
 */
class DumpSymsRulesTest {
  private static final long STACK = 0x10_0000;

  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @ParameterizedTest
  @CsvSource({
    "dumpsyms-basic-opt64.dll,basic-opt64.dll,1462",
    "dumpsyms-basic64-dwarf.dll,basic64-dwarf.dll,49",
    "dumpsyms-dump_syms_regtest64.exe,dump_syms_regtest64.exe,195",
    "dumpsyms-mozwer.dll,mozwer.dll,1547"
  })
  void callersAreWhereDumpSymsSays(String name, String rows, int count) throws IOException {
    byte[] bytes = PeSamples.of("toolchains", name).bytes();
    PeImage image = withoutCode(PeImage.ofFile(InputFile.of(bytes, name)));
    long base = image.headers().imageBase();
    LoadedModule module =
        new LoadedModule(name, base, image.headers().sizeOfImage(), Optional.of(image));
    VirtualUnwinder unwinder =
        new VirtualUnwinder(
            SpacePiece.filled(0, "nothing", 1, 0), LoadedModules.of(List.of(module)));
    int compared = 0;
    for (BreakpadStackRecords.Cfi row : BreakpadStackRecords.of(rows).cfi()) {
      FunctionEntry entry = unwinder.lookup().entry(base + row.begin()).orElseThrow();
      long body = entry.begin() + entry.chain().info().prologSize();
      String cfa = row.changes().isEmpty() ? row.cfa() : row.changes().getLast().cfa();
      FrameRegisters registers = FrameRegisters.x64();
      for (int i = 0; i < registers.count(); i++) {
        // In the middle of memory whose words are their own addresses.
        registers.set(i, STACK + 0x8_0000 + 0x1000L * i);
      }
      registers.setIp(body);
      if (!row.changes().isEmpty()) {
        // One version of the program counts from rsp always, as it is right behind the prologue.
        setFrameRegister(entry.chain().info(), registers);
      }
      long expected = evaluate(cfa, registers);
      String place = name + " " + Long.toHexString(row.begin());
      UnwindStep step = unwinder.unwind(registers, new StackMemory(new OwnAddresses()));
      assertEquals(UnwindStep.Caller.class, step.getClass(), place + " " + step);
      assertEquals(expected, registers.sp(), place);
      assertEquals(".cfa 8 - ^", row.ra(), place);
      assertEquals(expected - 8, registers.ip(), place);
      compared++;
    }
    assertEquals(count, compared);
  }

  /** Returns an image without its code: what cannot be read is taken for the body of a function. */
  private static PeImage withoutCode(PeImage image) {
    List<ImageView.Extent> extents =
        image.view().extents().stream()
            .filter(extent -> !image.isExecutable(extent.rva()))
            .toList();
    return PeImage.ofMemory(ImageView.of(image.name(), extents));
  }

  private static void setFrameRegister(UnwindInfo info, FrameRegisters registers) {
    long since = 0;
    for (UnwindCode code : info.codes()) {
      switch (code.operation()) {
        case UWOP_PUSH_NONVOL -> since += 8;
        case UWOP_ALLOC_SMALL, UWOP_ALLOC_LARGE -> since += code.value();
        case UWOP_SET_FPREG -> {
          registers.set(code.register(), registers.sp() + since + code.value());
          return;
        }
        default -> {}
      }
    }
  }

  /** Returns the value of {@code $register number +}. */
  private static long evaluate(String cfa, FrameRegisters registers) {
    String[] words = cfa.split(" ", -1);
    assertEquals("+", words[2], cfa);
    for (int i = 0; i < registers.count(); i++) {
      if (words[0].equals("$" + UnwindCode.generalName(i))) {
        return registers.get(i) + Long.parseLong(words[1]);
      }
    }
    throw new IllegalArgumentException(cfa);
  }

  /** A megabyte of memory of which each word is its own address. */
  private static final class OwnAddresses implements AddressSpace {
    private static final Bytes WORDS = words();

    private static Bytes words() {
      LittleEndian words = new LittleEndian(1 << 20);
      for (long at = 0; at < 1 << 20; at += 8) {
        words.u64(STACK + at);
      }
      return Bytes.copyOf(words.toByteArray(), "words");
    }

    @Override
    public String name() {
      return "words";
    }

    @Override
    public Optional<MemoryRegion> regionAt(long address) {
      return Optional.empty();
    }

    @Override
    public Bytes readUpTo(long address, int most) {
      return WORDS.slice((int) (address - STACK), most);
    }
  }
}

package io.ntrail.analysis.dumps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.SharedDumps;
import io.ntrail.testkit.pe.LoaderView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory of dumps by address, and images out of it. */
class DumpMemoryTest {
  @TempDir Path folder;

  private static DumpRecording open(byte[] content) {
    return DumpRecording.open(InputFile.of(content, "a.dmp"), new Gaps());
  }

  /** Files of modules are looked for in the test's folder. */
  private ImageSource files() {
    SymbolPath path =
        new SymbolPath(List.of(new SymbolPath.Folder(folder)), List.of(), folder.resolve("store"));
    return ImageSource.of(SymbolStores.of(path, SymbolPath.Host.here()));
  }

  private static String hex(Bytes bytes) {
    return HexFormat.of().formatHex(bytes.array(0, bytes.length()));
  }

  /** LLDB prints the same instructions at the fault. */
  @Test
  void theCodeAtTheFaultIsThatOfLldb() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    try (DumpRecording dump = open(SharedDumps.read("lldb/sigsegv.dmp"))) {
      // movl $0, 0 ; leaq 0x1f45(%rip), %rcx
      assertEquals(
          "c7042500000000000000" + "00" + "488d0d451f0000", hex(dump.read(0x7FF7_A131_10D9L, 18)));
      DamagedInput missing =
          assertThrows(DamagedInput.class, () -> dump.read(0x7FF7_A131_0000L, 4));
      assertTrue(missing.what().startsWith("memory at 0x7ff7a1310000 cannot be read"));
    }
  }

  @Test
  void regionsAreThoseThatTheDumpLists() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    try (DumpRecording dump = open(SharedDumps.read("breakpad/tiny-exe-with-cet-xsave.dmp"))) {
      DumpedModule ntdll = dump.modules().named("ntdll").getFirst();
      MemoryRegion header = dump.regionAt(ntdll.base()).orElseThrow();
      assertEquals(ntdll.base(), header.start());
      assertEquals(0x1000, header.length());
      assertEquals(Set.of(Access.READ), header.access());
      assertEquals("C:\\WINDOWS\\SYSTEM32\\ntdll.dll", header.owner());
      MemoryRegion code = dump.regionAt(ntdll.base() + 0x1000).orElseThrow();
      assertTrue(code.access().contains(Access.EXECUTE));
      assertFalse(code.access().contains(Access.WRITE));
      assertTrue(dump.regionAt(0x1000).isEmpty());
    }
  }

  @Test
  void withoutAListSavedRangesAndModulesAreTheRegions() {
    byte[] content =
        new MinidumpBuilder()
            .module(0x1_0000, 0x1000, 1, "a.dll")
            .module(0x1_1000, 0x1000, 1, "b.dll")
            .memory(0x1_0800, new byte[0x1000])
            .thread(5, 0, 0x5000, new byte[0x100], new byte[0])
            .toByteArray();
    try (DumpRecording dump = open(content)) {
      assertEquals(
          new MemoryRegion(0x1_0800, 0x800, Set.of(), "a.dll"),
          dump.regionAt(0x1_0900).orElseThrow());
      assertEquals(
          new MemoryRegion(0x1_1000, 0x800, Set.of(), "b.dll"),
          dump.regionAt(0x1_1000).orElseThrow());
      assertEquals(
          new MemoryRegion(0x1_1000, 0x1000, Set.of(), "b.dll"),
          dump.regionAt(0x1_1F00).orElseThrow());
      assertEquals("stack of thread 5", dump.regionAt(0x50FF).orElseThrow().owner());
      assertTrue(dump.regionAt(0x5100).isEmpty());
    }
  }

  private byte[] crash() throws IOException {
    byte[] file = TestData.gunzip("pdb/sentry/crash.exe.gz");
    Files.write(folder.resolve("crash.exe"), file);
    return file;
  }

  /** The dump has 256 bytes around the fault; the program was not loaded at its preferred base. */
  @Test
  void codeThatWasNotSavedComesFromTheFileRelocated() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    crash();
    byte[] content = SharedDumps.read("sentry/windows.dmp");
    try (DumpRecording dump = open(content).images(files());
        DumpRecording alone = open(content)) {
      DumpedModule program = dump.modules().program().orElseThrow();
      assertTrue(program.hasFile());
      // main begins with push 0x2a38f3 at 0x2a2920: an address after relocation.
      assertEquals("68f3382a00", hex(dump.read(0x2A_2920, 5)));
      assertEquals(0, alone.readUpTo(0x2A_2920, 5).length());
      // From the file into what was saved, and on.
      Bytes across = dump.readUpTo(0x2A_2900, 0x400);
      assertEquals(0x400, across.length());
      long saved = dump.memory().saved().start(dump.memory().saved().at(0x2A_2A3D));
      int into = (int) (saved - 0x2A_2900);
      assertEquals(hex(alone.read(saved, 256)), hex(across.slice(into, 256)));
      // What the program could write is not taken from the file.
      assertEquals(0, dump.readUpTo(0x2A_6000, 4).length());
      // The image that is put together has the section in one piece.
      PeImage whole = program.wholeImage().orElseThrow();
      assertEquals(hex(across), hex(whole.view().window(0x2900, 0x400)));
      ImageComparison comparison =
          ImageComparison.of(program, program.file().orElseThrow().image());
      assertEquals(256, comparison.compared());
      assertEquals(List.of(), comparison.differences());
    }
  }

  /** A whole image in memory, of which some bytes were changed. */
  @Test
  void bytesThatDifferFromTheFileAreFoundAndThoseOfTheMemoryCount() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] file = crash();
    byte[] memory = LoaderView.map(file);
    PeImage image = PeImage.ofFile(InputFile.of(file, "crash.exe"));
    long base = image.headers().imageBase();
    memory[0x2910] = (byte) 0xEB;
    memory[0x2911] = (byte) 0xFE;
    memory[0x2A00] ^= 0x55;
    // .data, and the first slot of the import table.
    memory[0x6000] ^= 1;
    int slots = (int) image.directory(io.ntrail.formats.pe.DataDirectory.IAT).rva();
    LittleEndian.putU32(memory, slots, 0x7700_1234);
    byte[] content =
        new MinidumpBuilder()
            .system(0, 10, 0, 19045)
            .module(base, memory.length, image.headers().timestamp(), "C:\\x\\crash.exe")
            .memory(base, memory)
            .toByteArray();
    try (DumpRecording dump = open(content).images(files())) {
      DumpedModule module = dump.modules().program().orElseThrow();
      PeImage other = module.file().orElseThrow().image();
      ImageComparison comparison = ImageComparison.of(module, other);
      assertEquals(
          List.of("2910 2 .text ebfe 558d", "2a00 1 .text"),
          comparison.differences().stream()
              .map(d ->
                  Long.toHexString(d.rva())
                      + " "
                      + d.length()
                      + " "
                      + d.section()
                      + (d.length() == 2 ? " " + hex(d.memory()) + " " + hex(d.file()) : ""))
              .toList());
      assertTrue(comparison.aside() >= 0x1000 + 4, comparison.aside() + " aside");
      assertEquals(0, comparison.notSaved());
      // The image is the one in memory.
      assertEquals(0xFEEB, module.image().orElseThrow().view().u16(0x2910));
      assertEquals("ebfe", hex(dump.read(base + 0x2910, 2)));
    }
  }

  @Test
  void anImageInMemoryIsReadAtTheBaseThatItHas() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] memory = LoaderView.map(crash());
    byte[] content =
        new MinidumpBuilder()
            .module(0x7770_0000, memory.length, 1, "crash.exe")
            .memory(0x7770_0000, memory)
            .toByteArray();
    try (DumpRecording dump = open(content)) {
      DumpedModule module = dump.modules().program().orElseThrow();
      PeImage image = module.image().orElseThrow();
      assertEquals(0x7770_0000, image.headers().imageBase());
      assertEquals(
          "3249d99d-0c40-4931-8610-f4e4fb0b6936", module.pdb().orElseThrow().guid().toString());
      assertEquals(module.loaded(), dump.modules().at(0x7770_2910).orElseThrow());
    }
  }

  /** Headers and a part of the code: the rest is no zeros. */
  @Test
  void aPartlySavedImageHasHoles() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] memory = LoaderView.map(crash());
    byte[] content =
        new MinidumpBuilder()
            .module(0x7770_0000, memory.length, 1, "crash.exe")
            .memory(0x7770_0000, Arrays.copyOf(memory, 0x1000))
            .memory(0x7770_2900, Arrays.copyOfRange(memory, 0x2900, 0x2A00))
            .toByteArray();
    try (DumpRecording dump = open(content)) {
      PeImage image = dump.modules().program().orElseThrow().image().orElseThrow();
      assertTrue(image.view().has(0x2910, 0x40));
      assertFalse(image.view().has(0x3000, 1));
      assertEquals(0x1100, dump.modules().program().orElseThrow().savedBytes());
    }
  }

  @Test
  void modulesThatOverlapOrHaveNoSizeAreFoundAsFarAsTheyReach() {
    byte[] content =
        new MinidumpBuilder()
            .module(0x1000, 0x3000, 1, "a.dll")
            .module(0x2000, 0x1000, 1, "b.dll")
            .module(0x9000, 0, 1, "c.dll")
            .module(-0x1000, 0x1_0000, 1, "d.dll")
            .toByteArray();
    try (DumpRecording dump = open(content)) {
      DumpModules modules = dump.modules();
      assertEquals("b.dll", modules.moduleAt(0x2FFF).orElseThrow().name());
      assertEquals("a.dll", modules.moduleAt(0x1FFF).orElseThrow().name());
      assertEquals("a.dll", modules.moduleAt(0x3000).orElseThrow().name(), "behind b.dll");
      assertTrue(modules.moduleAt(0x4000).isEmpty());
      assertEquals("c.dll", modules.moduleAt(0x9FFF).orElseThrow().name());
      assertEquals("d.dll", modules.moduleAt(-1).orElseThrow().name());
      assertTrue(modules.moduleAt(0).isEmpty());
    }
  }
}

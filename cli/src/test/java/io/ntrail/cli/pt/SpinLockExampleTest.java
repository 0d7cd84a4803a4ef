package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowDecoder;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.cli.harness.Cli;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.kernelcode.CodeVariant;
import io.ntrail.programs.kernelcode.ImportAddresses;
import io.ntrail.programs.kernelcode.KernelCode;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.memory.LayeredSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The published example of an import that a Processor Trace shows no target for: in the file
 * tcpip.sys calls KeAcquireSpinLockAtDpcLevel through the slot at 1c02331e8; in memory, where the
 * slot is at fffff803590d31e8, it calls fffff803534a2490 directly. The images are stand-ins with
 * these addresses.
 */
class SpinLockExampleTest {
  private static final long LINKED = 0x1_C000_0000L;
  private static final long SLOT = 0x2331E8;
  private static final long LOADED = 0xFFFF_F803_590D_31E8L - SLOT;
  private static final long LOCK = 0xFFFF_F803_534A_2490L;
  private static final long KERNEL = LOCK - 0x1490;
  private static final String IMPORT = "ntoskrnl.exe!KeAcquireSpinLockAtDpcLevel";

  /** RVA of TcpDeliverDataToClient, and of the call in it. */
  private static final long FUNCTION = 0x1000;

  private static final long SITE = FUNCTION + 0x119;

  @TempDir private Path folder;

  /** A driver whose slot of the import is somewhere; the padding moves it. */
  private static byte[] driver(long code, long padding) {
    PeBuilder driver =
        PeBuilder.library(MachineType.AMD64)
            .base(LINKED)
            .imports("ntoskrnl.exe", "KeAcquireSpinLockAtDpcLevel")
            .exports("TcpDeliverDataToClient", "function")
            .loadConfig(0x108)
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_OFFSET, 0)
            // Behind that of the code.
            .configure(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_SECTION, 2);
    driver
        .code()
        .label("function")
        .fill(0x119, 0x90)
        // call qword ptr [slot]; nop dword ptr [rax+rax]
        .code(0x48, 0xFF, 0x15)
        .relative(IMPORT)
        .code(0x0F, 0x1F, 0x44, 0, 0)
        // cmp r14d, 0C000021Bh; je over the no-op; ret
        .code(0x41, 0x81, 0xFE, 0x1B, 2, 0, 0xC0, 0x74, 1, 0x90, 0xC3)
        .reserve(code);
    byte[] records =
        new LittleEndian()
            .u32(1)
            .u32(24)
            .u64(3)
            .u32(12)
            .u32(FUNCTION)
            .u32(12)
            .u32(SITE - FUNCTION | 0x1000)
            .toByteArray();
    driver.section(".dvrt", Section.READ).bytes(records);
    driver.section(".idata", Section.READ | Section.WRITE).fill((int) padding, 0);
    return driver.build().file();
  }

  private static long slot(byte[] driver) {
    PeImage image = PeImage.ofFile(InputFile.of(driver, "tcpip.sys"));
    return Imports.of(image).modules().getFirst().symbols().getFirst().slot();
  }

  private static byte[] driver() {
    long missing = SLOT - slot(driver(0, 0));
    byte[] driver = driver(missing & -0x1000, missing & 0xFFF);
    assertEquals(SLOT, slot(driver), "the slot of the example");
    return driver;
  }

  private static byte[] kernel() {
    PeBuilder kernel =
        PeBuilder.library(MachineType.AMD64)
            .name("ntoskrnl.exe")
            .exports("KeAcquireSpinLockAtDpcLevel", "lock");
    kernel
        .code()
        .fill(0x490, 0xCC)
        .label("lock")
        // lock bts qword ptr [rcx], 0; jb over the return; ret; ret
        .code(0xF0, 0x48, 0x0F, 0xBA, 0x29, 0, 0x72, 1, 0xC3, 0xC3);
    return kernel.build().file();
  }

  private static ImageSpace space(byte[] file, String name, long base) {
    return new ImageSpace(PeImage.ofFile(InputFile.of(file, name)), base);
  }

  /** Returns the addresses that a trace goes through, and its errors. */
  private static List<String> flow(CodeVariant variant, PtPackets packets) {
    ImageSpace kernel = space(kernel(), "ntoskrnl.exe", KERNEL);
    KernelCode driver =
        KernelCode.of(
            space(driver(), "tcpip.sys", LOADED), new ImportAddresses(List.of(kernel)), variant);
    List<String> lines = new ArrayList<>();
    FlowSink sink =
        new FlowSink() {
          @Override
          public void instructions(CodeBlocks blocks, int block, int count, boolean speculative) {
            long address = blocks.start(block);
            for (int i = 0; i < count; i++) {
              lines.add(Long.toHexString(address));
              address += blocks.length(block, i);
            }
          }

          @Override
          public void event(FlowEvent event, long address, long value) {
            // Begin and end.
          }

          @Override
          public void error(FlowError error, long offset, long address) {
            lines.add("error at " + Long.toHexString(address));
          }
        };
    try (InputFile stream = InputFile.of(packets.toByteArray(), "trace")) {
      new FlowDecoder(
              new PacketCursor(stream, Set.of()),
              new CodeBlocks(new LayeredSpace("code", List.of(driver.space(), kernel))),
              new FlowSettings(Set.of(), Resync.PSB, CodeSize.BITS64),
              sink)
          .run();
    }
    return lines;
  }

  private static PtPackets start() {
    return new PtPackets(false).psb().mode(64).ip(PtPackets.FUP, LOADED + SITE).psbEnd();
  }

  /** The trace of the code in memory: jb not taken, the return compressed, je not taken. */
  private static PtPackets direct() {
    return start().tnt(0b010, 3).ip(PtPackets.FUP, LOADED + SITE + 22).noIp(PtPackets.PGD);
  }

  /** A trace of the code of the file. */
  private static PtPackets throughTheSlot() {
    return start()
        .ip(PtPackets.TIP, LOCK)
        .tnt(0b010, 3)
        .ip(PtPackets.FUP, LOADED + SITE + 22)
        .noIp(PtPackets.PGD);
  }

  private static String site(long offset) {
    return Long.toHexString(LOADED + SITE + offset);
  }

  private static List<String> lock() {
    return List.of("fffff803534a2490", Long.toHexString(LOCK + 6), Long.toHexString(LOCK + 8));
  }

  private static List<String> path(List<String> before, String... after) {
    List<String> path = new ArrayList<>(before);
    path.addAll(lock());
    path.addAll(List.of(after));
    return path;
  }

  @Test
  void theCodeInMemoryGoesOnInTheKernelWithoutATarget() {
    assertEquals(
        path(List.of(site(0), site(7)), site(12), site(19), site(21)),
        flow(CodeVariant.IMPORT_OPTIMIZATION, direct()));
  }

  @Test
  void theCodeOfTheFileWaitsForATargetThatDoesNotCome() {
    List<String> lines = flow(CodeVariant.FILE, direct());
    assertEquals("error at " + site(0), lines.getFirst());
  }

  @Test
  void theCodeOfTheFileTakesTheTargetOfItsOwnTrace() {
    assertEquals(
        path(List.of(site(0)), site(7), site(12), site(19), site(21)),
        flow(CodeVariant.FILE, throughTheSlot()));
    List<String> lines = flow(CodeVariant.IMPORT_OPTIMIZATION, throughTheSlot());
    assertTrue(lines.stream().anyMatch(line -> line.startsWith("error")), lines.toString());
  }

  @Test
  void theListingsReadAsTheExample() throws IOException {
    Path driver = Files.write(folder.resolve("tcpip.sys"), driver());
    Path kernel = Files.write(folder.resolve("ntoskrnl.exe"), kernel());
    String inFile = listing(Cli.run("image", driver, "--disasm", "TcpDeliverDataToClient"));
    assertTrue(
        inFile.startsWith(
            "call qword ptr [0x2331e8] "
                + IMPORT
                + "; nop dword ptr [rax+rax]; cmp r14d, 0xc000021b"),
        inFile);
    String inMemory =
        listing(
            Cli.run(
                "image",
                driver,
                "--disasm",
                "TcpDeliverDataToClient",
                "--retpoline",
                "import-only",
                "--at",
                Long.toHexString(LOADED),
                "--code",
                kernel + "@" + Long.toHexString(KERNEL)));
    assertTrue(inMemory.startsWith("mov r10, qword ptr [0x2331e8] " + IMPORT), inMemory);
    assertTrue(inMemory.contains("; call "), inMemory);
    assertTrue(inMemory.contains(IMPORT + "; cmp r14d, 0xc000021b"), inMemory);
  }

  /** Returns the instructions from the site on, without addresses and bytes. */
  private static String listing(Cli.Result result) {
    assertEquals(0, result.exit(), result.err());
    List<String> lines = new ArrayList<>();
    for (String line : result.lines()) {
      String text = line.strip();
      if (text.startsWith("0x1119 ") || !lines.isEmpty()) {
        lines.add(text.replaceFirst("0x\\w+ +\\w+ +", "").replaceAll(" +", " "));
      }
    }
    return String.join("; ", lines).replace(" -;", ";");
  }
}

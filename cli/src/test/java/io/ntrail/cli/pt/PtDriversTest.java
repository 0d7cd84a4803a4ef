package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.programs.kernelcode.CodeSite;
import io.ntrail.programs.kernelcode.CodeVariant;
import io.ntrail.programs.kernelcode.ImportAddresses;
import io.ntrail.programs.kernelcode.KernelCode;
import io.ntrail.programs.kernelcode.SiteForm;
import io.ntrail.programs.kernelcode.SiteOutcome;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code pt flow --retpoline auto} of a call of WdBoot.sys, with streams by hand. In the file it is
 * a call through a slot (7 bytes) and a nop (5); the kernel makes a load of the slot (7) and a
 * direct call (5) of it. The function that is called only returns.
 */
class PtDriversTest {
  private static final long DRIVER = 0xFFFF_F803_1234_0000L;
  private static final long KERNEL = 0xFFFF_F803_2000_0000L;
  private static final int STAMP = 0x5A5A_0004;
  private static final long OPTIONS = 0x0100_0001L;

  @TempDir private Path folder;
  private PeImage driver;
  private PeImage kernel;
  private CodeSite site;

  @BeforeEach
  void makeKernel() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] file = TestData.gunzip("pt/dvrt/WdBoot.sys.gz");
    Files.write(folder.resolve("WdBoot.sys"), file);
    driver = PeImage.ofFile(InputFile.of(file, "WdBoot.sys"));
    PeBuilder builder = PeBuilder.library(MachineType.AMD64).name("ntoskrnl.exe").timestamp(STAMP);
    for (Imports.Module module : Imports.of(driver).modules()) {
      if (module.name().equalsIgnoreCase("ntoskrnl.exe")) {
        module.symbols().stream()
            .filter(symbol -> symbol.name() != null)
            .forEach(symbol -> builder.exports(String.valueOf(symbol.name()), "returns"));
      }
    }
    builder.code().label("returns").fill(16, 0xC3);
    byte[] made = builder.build().file();
    Files.write(folder.resolve("ntoskrnl.exe"), made);
    kernel = PeImage.ofFile(InputFile.of(made, "ntoskrnl.exe"));
    site =
        KernelCode.of(
                new ImageSpace(driver, DRIVER),
                new ImportAddresses(List.of(new ImageSpace(kernel, KERNEL))),
                CodeVariant.IMPORT_OPTIMIZATION)
            .sites()
            .stream()
            .filter(
                one -> one.form() == SiteForm.IMPORT_CALL && one.outcome() == SiteOutcome.DIRECT)
            .findFirst()
            .orElseThrow();
  }

  private Cli.Result flow(boolean isDirect, String... more) throws IOException {
    long start = DRIVER + site.rva();
    PtPackets packets = new PtPackets(false).psb().psbEnd().mode(64).ip(PtPackets.PGE, start);
    if (!isDirect) {
      packets.ip(PtPackets.TIP, site.target());
    }
    packets.ip(PtPackets.TIP, start + (isDirect ? 12 : 7));
    packets.ip(PtPackets.FUP, start + 12).noIp(PtPackets.PGD);
    TraceRecording recording = new TraceRecording().process(4, 40, "System");
    for (PeImage image : List.of(driver, kernel)) {
      recording.found(
          0,
          image == driver ? DRIVER : KERNEL,
          image.headers().sizeOfImage(),
          (int) image.headers().timestamp(),
          TraceRecording.systemPath(image.name()));
    }
    recording.traced(1000, 0, 4, 40, OPTIONS, packets.toByteArray());
    Path file = folder.resolve("trace.etl");
    Files.write(file, recording.toByteArray());
    Object[] words = new Object[5 + more.length];
    Object[] first = {"pt", "flow", file, "--image-path", folder};
    System.arraycopy(first, 0, words, 0, first.length);
    System.arraycopy(more, 0, words, first.length, more.length);
    return Cli.run(words);
  }

  private List<String> addresses(long... offsets) {
    return Arrays.stream(offsets)
        .mapToObj(
            offset -> "%016x".formatted(offset < 0 ? site.target() : DRIVER + site.rva() + offset))
        .toList();
  }

  @Test
  void theFormThatRanIsChosenAndTold() throws IOException {
    for (boolean isDirect : new boolean[] {false, true}) {
      Cli.Result result = flow(isDirect, "--format", "json");
      JsonReader json = result.json();
      assertEquals(List.of(), JsonSchema.named("pt-flow").findings(json));
      JsonReader told = json.get("drivers").array().getFirst();
      assertEquals("WdBoot.sys", told.get("image").text());
      assertEquals(isDirect ? "import-only" : "off", told.get("retpoline").text());
      assertTrue(
          result.err().contains("note: code of WdBoot.sys at 0xfffff80312340000: --retpoline "),
          result.err());
      assertEquals(0, result.exit(), result.err());
    }
  }

  @Test
  void theInstructionsAreThoseOfTheForm() throws IOException {
    assertEquals(addresses(0, -1, 7), flow(false, "--addresses").lines());
    assertEquals(addresses(0, 7, -1), flow(true, "--addresses").lines());
  }

  @Test
  void aFormThatIsGivenIsTakenEvenIfTheFlowIsLostWithIt() throws IOException {
    assertEquals(
        addresses(0, 7, -1), flow(true, "--retpoline", "import-only", "--addresses").lines());
    assertTrue(
        !addresses(0, 7, -1).equals(flow(true, "--retpoline", "off", "--addresses").lines()));
  }
}

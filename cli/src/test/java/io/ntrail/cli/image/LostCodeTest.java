package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail image --disasm} of functions whose code the file does not hold. */
class LostCodeTest {
  private static final int HELD = 0x200;

  @TempDir private Path folder;

  /** A library with a function at the start of its code and one behind what the file holds. */
  private Path cut() throws IOException {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64).exports("first", "first").exports("last", "last");
    library
        .code()
        .label("first")
        .code(0xC3)
        .fill(HELD + 0x40, 0xCC)
        .label("last")
        .code(0xB8, 1, 0, 0, 0, 0xC3);
    byte[] file = library.build().file();
    PeImage image = PeImage.ofFile(InputFile.of(file, "cut.dll"));
    long stored = image.sections().getFirst().rawSize();
    int header = headerOf(file, stored);
    LittleEndian.putU32(file, header, HELD);
    return Files.write(folder.resolve("cut.dll"), file);
  }

  /** Returns the place of SizeOfRawData of the first section. */
  private static int headerOf(byte[] file, long stored) {
    int pe = file[0x3C] & 0xFF;
    int header = pe + 24 + 240 + 16;
    assertEquals(stored, (file[header] & 0xFF) + ((file[header + 1] & 0xFF) << 8));
    return header;
  }

  @Test
  void aFunctionThatTheFileDoesNotHoldSaysSo() throws IOException {
    Path file = cut();
    Cli.Result text = Cli.run("image", file, "--disasm", "last");
    assertEquals(3, text.exit(), text.out());
    assertTrue(text.out().contains("\n  the image does not hold these "), text.out());
    assertTrue(text.err().contains("the image does not hold "), text.err());
    Cli.Result json = Cli.run("image", file, "--disasm", "last", "--format", "json");
    assertEquals(3, json.exit(), json.err());
    assertEquals(List.of(), JsonSchema.named("image").findings(json.json()));
    assertEquals("code", json.json().get("gaps").array().getFirst().get("what").text());
    assertEquals(3, Cli.run("image", file, "--disasm", "last", "--format", "csv").exit());
  }

  @Test
  void allFunctionsTogetherSayHowManyAreLost() throws IOException {
    Cli.Result all = Cli.run("image", cut(), "--disasm", "all", "--format", "csv");
    assertEquals(3, all.exit(), all.out());
    assertTrue(all.err().contains(" of 1 of 2 functions"), all.err());
    assertTrue(all.out().contains(",ret"), all.out());
  }

  @Test
  void aFunctionThatIsHeldHasNoGap() throws IOException {
    Cli.Result first = Cli.run("image", cut(), "--disasm", "first");
    assertEquals(0, first.exit(), first.err());
  }
}

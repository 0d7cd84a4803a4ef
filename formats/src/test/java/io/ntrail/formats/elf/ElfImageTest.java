package io.ntrail.formats.elf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ELF files that others made; the values are those that readelf prints. */
class ElfImageTest {
  private static byte[] file(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return Files.readAllBytes(TestData.file("pt/" + name));
  }

  @Test
  void segmentsAreThoseThatReadelfPrints() throws IOException {
    try (InputFile input = InputFile.of(file("dynamorio/hello.elf"), "hello.elf")) {
      ElfImage image = ElfImage.of(input);
      assertTrue(image.isWide());
      assertEquals(0x400000, image.lowest());
      assertEquals(
          List.of(
              new ElfSegment(0x400000, 0xE8, 0, 0xE8, ElfSegment.READ),
              new ElfSegment(0x401000, 0x27, 0x1000, 0x27, ElfSegment.READ | ElfSegment.EXECUTE),
              new ElfSegment(0x402000, 0xE, 0x2000, 0xE, ElfSegment.READ)),
          image.segments());
    }
  }

  @Test
  void symbolsHaveAddressSizeAndKind() throws IOException {
    try (InputFile input = InputFile.of(file("lldb/loop.a.out"), "loop.a.out")) {
      assertTrue(ElfImage.of(input).symbols().contains(new ElfSymbol("main", 0x40050D, 39, true)));
    }
    try (InputFile input = InputFile.of(file("dynamorio/hello.elf"), "hello.elf")) {
      List<ElfSymbol> symbols = ElfImage.of(input).symbols();
      assertTrue(symbols.contains(new ElfSymbol("_start", 0x401000, 0, false)));
      assertFalse(symbols.stream().anyMatch(symbol -> symbol.name().equals("hello.s")), "a file");
      assertFalse(symbols.stream().anyMatch(symbol -> symbol.name().equals("msglen")), "a number");
    }
  }

  @Test
  void aFileThatIsCutIsReadOrRefused() throws IOException {
    byte[] whole = file("dynamorio/hello.elf");
    int read = 0;
    for (int length = 0; length < whole.length; length += 61) {
      try (InputFile input = InputFile.of(Arrays.copyOf(whole, length), "cut")) {
        ElfImage image = ElfImage.of(input);
        for (ElfSegment segment : image.segments()) {
          assertTrue(segment.fileSize() == 0 || segment.offset() + segment.fileSize() <= length);
        }
        read++;
        image.symbols();
      } catch (DamagedInput e) {
        assertFalse(e.what().isEmpty());
      }
    }
    assertTrue(read > 100, "headers are whole in " + read);
  }

  @Test
  void anotherFileIsRefused() {
    try (InputFile input = InputFile.of(new byte[100], "zeros")) {
      assertThrows(DamagedInput.class, () -> ElfImage.of(input));
    }
  }
}

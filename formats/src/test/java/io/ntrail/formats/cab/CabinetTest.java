package io.ntrail.formats.cab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.cab.Cabinets.Contents;
import io.ntrail.formats.cab.Cabinets.Unpacked;
import io.ntrail.testkit.Allocation;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.cab.CabinetWriter;
import io.ntrail.testkit.cab.CabinetWriter.Block;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers of cabinets and their unpacked files. */
class CabinetTest {
  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static List<CabinetFile> list(byte[] cabinet) {
    try (InputFile input = InputFile.of(cabinet, "made.cab");
        Cabinet opened = Cabinet.open(input, new Gaps())) {
      return opened.files();
    }
  }

  private static CabinetWriter hello() {
    return new CabinetWriter().stored(ascii("hello, world")).file("hello.txt", 0, 12);
  }

  @Test
  void aFileIsListedWithAllItsAttributes() {
    assertEquals(
        List.of(
            new CabinetFile(
                "hello.txt", 12, Optional.of(LocalDateTime.of(2011, 5, 6, 7, 8, 10)), 0x20, 0, 0)),
        list(hello().write()));
  }

  @Test
  void anInvalidDateIsOmitted() {
    byte[] cabinet = hello().write();
    // Month 15 of CFFILE.date, which is after one folder and ten bytes of the entry.
    LittleEndian.putU16(cabinet, 36 + 8 + 10, 15 << 5);
    assertEquals(Optional.empty(), list(cabinet).getFirst().modified());
  }

  @Test
  void namesAreUtf8IfTheirAttributeIsSet() {
    byte[] cabinet =
        new CabinetWriter()
            .stored(ascii("ab"))
            .file("gr\u00FCn\u20AC.txt", 0, 1, 0, CabinetWriter.NAME_IS_UTF8)
            .file("gr\u00FCn.txt", 1, 1)
            .write();
    assertEquals(
        List.of("gr\u00FCn\u20AC.txt", "gr\u00FCn.txt"),
        list(cabinet).stream().map(CabinetFile::name).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "hello.txt,hello.txt",
    "..\\..\\windows\\hello.txt,hello.txt",
    "/etc/passwd,passwd",
    "c:hello.txt,hello.txt",
    "a\\b/c.dll,c.dll",
    "folder\\..,''",
    "folder\\,''",
    ".,''"
  })
  void nothingOfAPathIsInTheNameToWriteTo(String name, String base) {
    assertEquals(base, CabinetFile.lastPart(name));
  }

  @Test
  void filesOfAFolderAreCutOutOfIt() {
    byte[] cabinet =
        new CabinetWriter()
            .stored(ascii("hello, world"))
            .file("world", 7, 5)
            .file("hello", 0, 5)
            .file("empty", 5, 0)
            .write();
    Contents contents = Cabinets.contents(cabinet);
    assertArrayEquals(ascii("hello"), contents.bytes("hello"));
    assertArrayEquals(ascii("world"), contents.bytes("world"));
    assertArrayEquals(new byte[0], contents.bytes("empty"));
  }

  @Test
  void filesMayBeReadInAnyOrder() throws IOException {
    byte[] data = new byte[200_000];
    new Random(1).nextBytes(data);
    byte[] packed =
        new CabinetWriter()
            .msZip(data)
            .file("first", 0, 90_000)
            .file("second", 90_000, 110_000)
            .write();
    try (InputFile input = InputFile.of(packed, "made.cab");
        Cabinet cabinet = Cabinet.open(input, new Gaps())) {
      for (int i : new int[] {1, 0, 0, 1}) {
        CabinetFile file = cabinet.files().get(i);
        try (InputStream in = cabinet.open(file, Cabinets.NO_LIMIT)) {
          int from = (int) file.offset();
          assertArrayEquals(
              Arrays.copyOfRange(data, from, from + (int) file.size()), in.readAllBytes());
        }
      }
    }
  }

  @Test
  void msZipRoundTrips() {
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 1000 : 80,
        g -> {
          byte[] data = Packable.data(g, 300_000);
          byte[] cabinet = new CabinetWriter().msZip(data).file("data", 0, data.length).write();
          assertArrayEquals(data, Cabinets.contents(cabinet).bytes("data"));
        });
  }

  @Test
  void matchesOfMsZipReachOverShortBlocks() {
    byte[] data = new byte[50_000];
    new Random(3).nextBytes(data);
    System.arraycopy(data, 0, data, 25_000, 25_000);
    byte[] cabinet = new CabinetWriter().msZip(data, 3000).file("data", 0, data.length).write();
    assertTrue(cabinet.length < 30_000, cabinet.length + " bytes with far matches");
    assertArrayEquals(data, Cabinets.contents(cabinet).bytes("data"));
  }

  @Test
  void aWrongChecksumEndsTheFileThere() {
    byte[] data = new byte[100_000];
    byte[] cabinet = new CabinetWriter().stored(data).file("zeros", 0, data.length).write();
    int third = cabinet.length - (100_000 - 2 * 32_768) + 5;
    cabinet[third] = 1;
    Unpacked unpacked = Cabinets.contents(cabinet).file("zeros");
    assertEquals(2 * 32_768, unpacked.bytes().length);
    assertTrue(unpacked.damage().contains("the checksum of a block is"), unpacked.damage());
  }

  @Test
  void aChecksumOfZeroIsNone() {
    byte[] cabinet = hello().withoutChecksums().write();
    cabinet[cabinet.length - 1] = '!';
    assertArrayEquals(ascii("hello, worl!"), Cabinets.contents(cabinet).bytes("hello.txt"));
  }

  @Test
  void aFileThatIsLargerThanWantedIsRefusedBeforeItsFirstByte() {
    try (InputFile input = InputFile.of(hello().write(), "made.cab");
        Cabinet cabinet = Cabinet.open(input, new Gaps())) {
      CabinetFile file = cabinet.files().getFirst();
      CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> cabinet.open(file, 11));
      assertEquals(
          "hello.txt in made.cab has 12 bytes, more than the 11 allowed", refusal.message());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2,is compressed with Quantum",
    "0x0E03,uses LZX with an invalid window of 2^14 bytes",
    "0x1603,uses LZX with an invalid window of 2^22 bytes",
    "7,uses the unknown compression method 7"
  })
  void compressionsThatAreNotReadAreRefusedByName(String type, String why) {
    byte[] cabinet =
        new CabinetWriter()
            .folder(Integer.decode(type), List.of(new Block(new byte[] {1, 2}, 100)))
            .file("odd", 0, 100)
            .stored(ascii("ab"))
            .file("even", 0, 2)
            .write();
    Contents contents = Cabinets.contents(cabinet);
    String refusal = String.valueOf(contents.refused().get("odd"));
    assertTrue(refusal.startsWith(why), refusal);
    assertArrayEquals(ascii("ab"), contents.bytes("even"));
  }

  @Test
  void aFileThatIsLongerThanItsFolderEndsInDamage() {
    byte[] cabinet =
        new CabinetWriter().stored(ascii("hello")).file("long", 0, 0xFFFF_FFFFL).write();
    Unpacked unpacked = Cabinets.contents(cabinet).file("long");
    assertArrayEquals(ascii("hello"), unpacked.bytes());
    assertTrue(unpacked.damage().endsWith("the compressed data is truncated"), unpacked.damage());
  }

  /** Otherwise a few bytes for each of them could ask for all data of their folder. */
  @Test
  void filesThatShareDataAreAGapButForTheFirst() {
    byte[] cabinet =
        new CabinetWriter()
            .stored(ascii("hello"))
            .file("one", 0, 5)
            .file("two", 4, 1)
            .file("three", 0, 5)
            .write();
    Contents contents = Cabinets.contents(cabinet);
    assertEquals(List.of("one"), List.copyOf(contents.files().keySet()));
    assertEquals(
        List.of("made0.cab!/three", "made0.cab!/two"),
        contents.gaps().stream().map(Gap::file).sorted().toList());
  }

  @Test
  void blocksOfWrongSizesAreDamage() {
    assertDamage(CabinetWriter.STORED, new Block(ascii("abc"), 4), "a stored block has 3 bytes");
    assertDamage(CabinetWriter.STORED, new Block(new byte[32_769], 32_769), "32769 bytes");
    assertDamage(
        CabinetWriter.STORED, new Block(ascii("abc"), 0), "the compressed data is truncated");
    assertDamage(CabinetWriter.MSZIP, new Block(ascii("KC\3\0"), 4), "does not start with CK");
    assertDamage(CabinetWriter.MSZIP, new Block(ascii("CK\3\0"), 4), "inflates to 0 bytes");
  }

  private static void assertDamage(int type, Block block, String why) {
    byte[] cabinet =
        new CabinetWriter().folder(type, List.of(block)).file("data", 0, 40_000).write();
    String damage = Cabinets.contents(cabinet).file("data").damage();
    assertTrue(damage.contains(why), damage);
  }

  @Test
  void aBlockThatInflatesToMoreThanItClaimsIsDamage() {
    byte[] cabinet = new CabinetWriter().msZip(ascii("hello")).file("data", 0, 4).write();
    // cbUncompressed of the only block, after the tables of 36, 8 and 16 + 5 bytes.
    LittleEndian.putU16(cabinet, 36 + 8 + 21 + 6, 4);
    LittleEndian.putU32(cabinet, 36 + 8 + 21, 0);
    String damage = Cabinets.contents(cabinet).file("data").damage();
    assertTrue(damage.endsWith("inflates to more than the 4 bytes it claims"), damage);
  }

  @Test
  void aLargeFileIsUnpackedInLittleMemory() {
    List<Block> blocks = new ArrayList<>();
    byte[] zeros = new byte[32_768];
    for (int i = 0; i < 4096; i++) {
      blocks.add(new Block(zeros, zeros.length));
    }
    long size = 4096L * 32_768;
    byte[] packed =
        new CabinetWriter().folder(CabinetWriter.STORED, blocks).file("large", 0, size).write();
    byte[] chunk = new byte[1 << 16];
    try (InputFile input = InputFile.of(packed, "made.cab");
        Cabinet cabinet = Cabinet.open(input, new Gaps())) {
      long allocated =
          Allocation.during(() -> {
            try (InputStream in = cabinet.open(cabinet.files().getFirst(), size)) {
              long read = 0;
              for (int n; (n = in.read(chunk)) >= 0; ) {
                read += n;
              }
              assertEquals(size, read);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      assertTrue(allocated < 16 << 20, allocated + " bytes for " + size);
    }
  }

  @Test
  void aStreamEndsWhenAnotherFileIsOpened() throws IOException {
    byte[] packed =
        new CabinetWriter()
            .stored(ascii("a"))
            .file("a", 0, 1)
            .stored(ascii("b"))
            .file("b", 0, 1)
            .write();
    try (InputFile input = InputFile.of(packed, "made.cab");
        Cabinet cabinet = Cabinet.open(input, new Gaps());
        InputStream a = cabinet.open(cabinet.files().get(0), 1);
        InputStream b = cabinet.open(cabinet.files().get(1), 1)) {
      assertThrows(IllegalStateException.class, a::read);
      assertEquals('b', b.read());
      assertEquals(-1, b.read());
    }
  }
}

package io.ntrail.formats.pdb.msf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.FileSignature;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.pdb.MsfWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MsfFileTest {
  private static MsfFile open(byte[] bytes) {
    return MsfFile.open(InputFile.of(bytes, "x.pdb"));
  }

  @Test
  void streamsComeBackAsTheyWereWrittenWhateverTheOrderOfTheirBlocks() {
    Property.check(
        60,
        g -> {
          int blockSize = 512 << g.below(8);
          List<byte[]> streams = g.list(12, s -> s.bytes(5000));
          MsfWriter writer = new MsfWriter(blockSize, g.flag() ? new Random(g.bits()) : null);
          streams.forEach(writer::stream);
          MsfFile file = open(writer.stream(new byte[] {1}).write());
          for (int i = 0; i < streams.size(); i++) {
            MsfStream stream = file.stream(i).orElseThrow();
            byte[] expected = streams.get(i);
            assertEquals(expected.length, stream.length());
            assertArrayEquals(
                expected, stream.window(0, expected.length).array(0, expected.length));
            if (expected.length > 0) {
              int at = g.below(expected.length);
              int length = g.below(expected.length - at + 1);
              byte[] part =
                  stream.part(at, expected.length - at).window(0, length).array(0, length);
              assertArrayEquals(Arrays.copyOfRange(expected, at, at + length), part);
            }
          }
        });
  }

  @Test
  void aStreamThatIsNilOrHasNoNumberIsAbsentAndAnEmptyOneIsNot() {
    MsfFile file =
        open(new MsfWriter(512).stream(new byte[3]).stream(null).stream(new byte[0]).write());
    assertEquals(3, file.streamCount());
    assertTrue(file.stream(1).isEmpty());
    assertTrue(file.stream(3).isEmpty());
    assertTrue(file.stream(-1).isEmpty());
    assertEquals(0, file.stream(2).orElseThrow().length());
  }

  @Test
  void blocksThatFollowOneAnotherAreLookedAtWhereTheyLie() {
    byte[] stream = new byte[5000];
    new Random(1).nextBytes(stream);
    MsfFile file = open(new MsfWriter(512).stream(new byte[0]).stream(stream).write());
    Bytes window = file.stream(1).orElseThrow().window(100, 4000);
    assertEquals(3 * 512 + 100, window.base(), "a window of the file and no copy");
  }

  @Test
  void aWindowPastTheEndOfAStreamIsDamaged() {
    MsfStream stream =
        open(new MsfWriter(512).stream(new byte[600]).write()).stream(0).orElseThrow();
    assertThrows(DamagedInput.class, () -> stream.window(599, 2));
    assertThrows(DamagedInput.class, () -> stream.window(-1, 2));
    assertThrows(DamagedInput.class, () -> stream.part(0, 601));
    assertEquals(0, stream.window(600, 0).length());
  }

  @Test
  void aBlockNumberPastTheEndDamagesThatStreamOnly() {
    byte[] bytes = new MsfWriter(512).stream(new byte[10]).stream(new byte[10]).write();
    // The directory lies behind the two streams: count, two sizes, and a block of each.
    int directory = 5 * 512;
    bytes[directory + 12 + 2] = 1;
    MsfFile file = open(bytes);
    assertThrows(DamagedInput.class, () -> file.stream(0));
    assertEquals(10, file.stream(1).orElseThrow().length());
  }

  @Test
  void streamsThatAreTogetherLargerThanTheFileAreDamagedFromThereOn() {
    byte[] bytes =
        new MsfWriter(512).stream(new byte[0]).stream(new byte[10]).stream(new byte[600]).write();
    int directory = 6 * 512;
    bytes[directory + 12 + 2] = 1;
    MsfFile file = open(bytes);
    assertEquals(10, file.stream(1).orElseThrow().length());
    assertThrows(DamagedInput.class, () -> file.stream(2));
  }

  @Test
  void aFileCutAnywhereIsReadOrRefusedAndItsStreamsAreReadOrDamaged() {
    byte[] whole =
        new MsfWriter(512, new Random(3)).stream(new byte[700]).stream(new byte[9]).write();
    for (int length = 0; length < whole.length; length++) {
      try {
        MsfFile file = open(Arrays.copyOf(whole, length));
        for (int i = 0; i < 2; i++) {
          try {
            MsfStream stream = file.stream(i).orElseThrow();
            assertEquals(stream.length(), stream.window(0, (int) stream.length()).length());
          } catch (DamagedInput e) {
            assertTrue(e.offset() <= length, e.getMessage());
          }
        }
      } catch (CannotGoOn e) {
        assertTrue(e.message().startsWith("x.pdb is "), e.message());
      }
    }
  }

  @Test
  void badSizesInTheSuperblockAreRefused() {
    byte[] good = new MsfWriter(512).stream(new byte[700]).write();
    record Change(int at, int value) {}

    for (Change change :
        List.of(
            new Change(32, 0),
            new Change(32, 513),
            new Change(32, 256),
            new Change(32, 1 << 17),
            new Change(32, 1 << 31),
            new Change(40, 0),
            new Change(44, 0),
            new Change(44, -1),
            new Change(44, 1 << 20),
            new Change(52, -1))) {
      byte[] bad = good.clone();
      new LittleEndian().u32(change.value).copyTo(bad, change.at);
      CannotGoOn e = assertThrows(CannotGoOn.class, () -> open(bad), change.toString());
      assertTrue(e.message().startsWith("x.pdb is a damaged PDB: "), e.message());
    }
  }

  @Test
  void othersAreRefusedByName() {
    record Other(String head, FileSignature signature, String what) {}

    for (Other other :
        List.of(
            new Other("", FileSignature.EMPTY, "empty"),
            new Other(
                "Microsoft C/C++ program database 2.00\r\n\u001AJG\0\0..",
                FileSignature.MSF_2,
                "a PDB of the old format MSF 2.00 (Visual C++ 4 to 6)"),
            new Other(
                "Microsoft MSFZ Container\r\n\u001AALD\0\0....",
                FileSignature.MSFZ,
                "a compressed PDB (MSFZ), which is not supported yet"),
            new Other(
                "BSJB\1\0",
                FileSignature.PORTABLE_PDB,
                "a portable PDB of .NET, which has no native symbols"),
            new Other("MSCF\0\0", FileSignature.CABINET, "a cabinet, not a PDB"),
            new Other("MZ\u0090", FileSignature.IMAGE, "a Windows program or library, not a PDB"),
            new Other("\r\n <html>", FileSignature.WEB_PAGE, "a web page, not a PDB"),
            new Other(
                "\u00EF\u00BB\u00BF<!DOCTYPE html>",
                FileSignature.WEB_PAGE,
                "a web page, not a PDB"),
            new Other("{\"error\": 404}", FileSignature.JSON, "a JSON text, not a PDB"),
            new Other("something else", FileSignature.TEXT, "not a PDB"),
            new Other("\1\2\3", FileSignature.UNKNOWN, "not a PDB"))) {
      byte[] bytes = other.head.getBytes(StandardCharsets.ISO_8859_1);
      assertEquals(other.signature, FileSignature.of(Bytes.copyOf(bytes, "x")));
      CannotGoOn e = assertThrows(CannotGoOn.class, () -> open(bytes));
      assertEquals("x.pdb is " + other.what, e.message());
      assertEquals(
          bytes.length == 0 ? CannotGoOn.Reason.EMPTY : CannotGoOn.Reason.OTHER_KIND, e.reason());
    }
  }

  /** A sparse file: only the blocks that are written take room on the disk. */
  @Test
  void aStreamPastTheFirstFourGibibytesIsRead(@TempDir Path folder) throws IOException {
    Path path = folder.resolve("big.pdb");
    int blockSize = 8192;
    int far = (int) ((5L << 30) / blockSize);
    List<Integer> blocks = new ArrayList<>(List.of(far, 4, far + 1));
    LittleEndian directory = new LittleEndian().u32(2).u32(0).u32(3L * blockSize);
    blocks.forEach(directory::u32);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      LittleEndian superblock =
          new LittleEndian()
              .bytes(
                  "Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0".getBytes(StandardCharsets.US_ASCII))
              .u32(blockSize)
              .u32(1)
              .u32(far + 2)
              .u32(directory.size())
              .u32(0)
              .u32(5);
      file.write(superblock.toByteArray());
      file.seek(5L * blockSize);
      file.write(new LittleEndian().u32(6).toByteArray());
      file.seek(6L * blockSize);
      file.write(directory.toByteArray());
      file.seek((long) far * blockSize);
      file.write(11);
      file.seek(4L * blockSize);
      file.write(22);
      file.seek((far + 1L) * blockSize);
      file.write(33);
      file.setLength((far + 2L) * blockSize);
    }
    try (InputFile input = InputFile.map(path, "big.pdb")) {
      MsfStream stream = MsfFile.open(input).stream(1).orElseThrow();
      Bytes all = stream.window(0, 3 * blockSize);
      assertEquals(
          List.of(11, 22, 33), List.of(all.u8(0), all.u8(blockSize), all.u8(2 * blockSize)));
      assertEquals(5L << 30, stream.fileOffset(0));
    }
  }
}

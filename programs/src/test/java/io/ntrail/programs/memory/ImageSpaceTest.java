package io.ntrail.programs.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.MemoryRegion.Access;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.LoaderView;
import io.ntrail.testkit.pe.PeSamples;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** kernel32.dll 10.0.19041.1348: 770,136 bytes, headers say base 180000000h, 0xBD000 bytes. */
class ImageSpaceTest {
  private static final long MOVED = 0x7FFB_1234_0000L;

  private byte[] file = {};

  @BeforeEach
  void read() {
    assumeTrue(TestData.available(), TestData.MISSING);
    file = PeSamples.of("windows", "kernel32.dll").bytes();
  }

  private ImageSpace space(long base) {
    return new ImageSpace(PeImage.ofFile(InputFile.of(file, "kernel32.dll")), base);
  }

  @Test
  void atItsOwnBaseEveryByteIsAsTheLoaderMapsIt() {
    ImageSpace space = space(0x1_8000_0000L);
    byte[] mapped = LoaderView.map(file);
    byte[] read = new byte[mapped.length];
    for (int at = 0; at < mapped.length; at += 0x1000) {
      space.read(space.base() + at, 0x1000).copyTo(0, read, at, 0x1000);
    }
    assertArrayEquals(mapped, read);
    assertEquals(0, space.readUpTo(space.base() + mapped.length, 16).length());
    assertEquals(8, space.readUpTo(space.base() + mapped.length - 8, 16).length());
    assertEquals(0, space.readUpTo(space.base() - 1, 16).length());
    assertEquals(1, space.missingFrom(space.base() - 1, 16));
    assertEquals(16, space.missingFrom(space.base() - 16, 16));
    assertEquals(5, space.missingFrom(space.base() + mapped.length, 5));
  }

  @Test
  void atAnotherBasePointersAreRelocatedAndNothingElse() {
    byte[] mapped = LoaderView.map(file);
    ImageSpace moved = space(MOVED);
    int differing = 0;
    for (int at = 0; at + 8 <= mapped.length; at += 8) {
      long here = moved.read(MOVED + at, 8).i64(0);
      long there = LittleEndian.getU64(mapped, at);
      if (here != there) {
        assertEquals(MOVED - 0x1_8000_0000L, here - there, Integer.toHexString(at));
        differing++;
      }
    }
    // llvm-readobj lists as many entries of type DIR64.
    assertEquals(362, differing);
  }

  @Test
  void regionsAreSectionsWithTheirPermissions() {
    ImageSpace space = space(MOVED);
    MemoryRegion headers = space.regionAt(MOVED + 0x20).orElseThrow();
    assertEquals(MOVED, headers.start());
    assertEquals(0x1000, headers.length());
    MemoryRegion code = space.regionAt(MOVED + 0x1234).orElseThrow();
    assertEquals(MOVED + 0x1000, code.start());
    assertEquals(0x7F000, code.length());
    assertEquals(Set.of(Access.READ, Access.EXECUTE), code.access());
    assertEquals("kernel32.dll", code.owner());
    assertFalse(space.regionAt(MOVED - 1).isPresent());
    assertFalse(space.regionAt(MOVED + space.size()).isPresent());
  }

  @Test
  void bytesOfMemoryWinOverThoseOfTheFile() {
    ImageSpace image = space(MOVED);
    byte[] patched = image.read(MOVED + 0x2000, 0x1000).array(0, 0x1000);
    patched[0x800] ^= 1;
    SpacePiece dump = SpacePiece.of(MOVED + 0x2000, "dump", patched);
    LayeredSpace both = new LayeredSpace("dump and files", List.of(dump, image));
    byte[] read = both.read(MOVED + 0x1800, 0x2000).array(0, 0x2000);
    byte[] file = image.read(MOVED + 0x1800, 0x2000).array(0, 0x2000);
    file[0x1000] ^= 1;
    assertArrayEquals(file, read);
  }

  @Test
  void imagesSideBySideKeepTheirBorders() {
    ImageSpace low = space(MOVED);
    ImageSpace high = space(MOVED + low.size() + 0x100);
    ImageSet set = new ImageSet("images", List.of(high, low));
    assertEquals(0x4D, set.read(MOVED, 1).u8(0));
    assertEquals(0x4D, set.read(high.base(), 1).u8(0));
    assertEquals(0, set.readUpTo(MOVED + low.size(), 0x200).length());
    assertEquals(0x100, set.missingFrom(MOVED + low.size(), 0x200));
    assertEquals(16, set.missingFrom(MOVED - 32, 16));
    assertEquals(high.base(), set.regionAt(high.base() + 8).orElseThrow().start());
    assertTrue(set.regionAt(high.base() - 8).isEmpty());
  }

  @Test
  void layersAreJoinedByteByByte() {
    SpacePiece top = SpacePiece.filled(0x1010, "top", 16, 1);
    SpacePiece middle = SpacePiece.filled(0x1008, "middle", 16, 2);
    SpacePiece bottom = SpacePiece.filled(0x1000, "bottom", 64, 3);
    LayeredSpace space = new LayeredSpace("three", List.of(top, middle, bottom));
    byte[] expected = new byte[64];
    Arrays.fill(expected, (byte) 3);
    Arrays.fill(expected, 8, 16, (byte) 2);
    Arrays.fill(expected, 16, 32, (byte) 1);
    assertArrayEquals(expected, space.readUpTo(0x1000, 100).array(0, 64));
    assertEquals(64, space.readUpTo(0x1000, 100).length());
    assertEquals(8, space.missingFrom(0xFF8, 100));
    assertEquals("middle", space.regionAt(0x100F).orElseThrow().owner());
    assertEquals("bottom", space.layerAt(0x1020).orElseThrow().name());
    assertTrue(space.layerAt(0x1040).isEmpty());
  }
}

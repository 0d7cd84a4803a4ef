package io.ntrail.formats.cab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.cab.Cabinets.Unpacked;
import io.ntrail.testkit.Allocation;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.cab.CabinetWriter;
import io.ntrail.testkit.compress.LzxEncoder.Block;
import io.ntrail.testkit.compress.LzxEncoder.Coding;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damaged cabinets are read as far as they go, or refused; never more memory than a window. */
class CabinetDamageTest {
  /** Three windows of 2 MiB, tables, copies of what came out, and reasons. */
  private static final long MOST_ALLOCATED = 32L << 20;

  private static byte[] data() {
    byte[] data = new byte[90_001];
    Random random = new Random(7);
    for (int i = 0; i < data.length; i++) {
      data[i] = (byte) (i > 1000 && i % 100 < 70 ? data[i - 777] : random.nextInt(64));
    }
    return data;
  }

  /** A folder of each kind, with three files. */
  private static byte[] sound(boolean checksums) {
    byte[] data = data();
    CabinetWriter writer = new CabinetWriter();
    if (!checksums) {
      writer.withoutChecksums();
    }
    return writer
        .msZip(data)
        .file("zipped", 0, data.length)
        .stored(Arrays.copyOf(data, 2000))
        .file("stored", 0, 2000)
        .lzx(
            data,
            16,
            12_000_000,
            List.of(
                new Block(Coding.VERBATIM, 30_001),
                new Block(Coding.UNCOMPRESSED, 5001),
                new Block(Coding.ALIGNED, 90_000)))
        .file("first", 0, 50_000)
        .file("second", 50_000, 40_001)
        .write();
  }

  private static void read(byte[] cabinet) {
    long allocated =
        Allocation.during(() -> {
          try {
            for (Unpacked file : Cabinets.contents(cabinet).files().values()) {
              assertTrue(file.bytes().length < 1 << 20, "no more than there is");
            }
          } catch (CannotGoOn e) {
            assertFalse(e.message().isEmpty());
            assertFalse(e.nextStep().isEmpty());
          }
        });
    assertTrue(allocated < MOST_ALLOCATED, allocated + " bytes");
  }

  @Test
  void aCutCabinetGivesWhatStandsBeforeTheCut() {
    byte[] sound = sound(true);
    byte[] data = data();
    int step = Boolean.getBoolean("ntrail.long") ? 17 : 997;
    for (int length = 0; length < sound.length; length += length < 200 ? 1 : step) {
      byte[] cut = Arrays.copyOf(sound, length);
      read(cut);
      if (length > 200) {
        Unpacked zipped = Cabinets.contents(cut).file("zipped");
        int whole = zipped.bytes().length;
        assertTrue(whole == data.length || whole % 32_768 == 0, "blocks");
        assertArrayEquals(Arrays.copyOf(data, whole), zipped.bytes());
        assertTrue(whole == data.length || !zipped.damage().isEmpty(), "it is said");
      }
    }
  }

  @Test
  void aSpoiledByteOfTheDataIsFoundByItsChecksum() {
    byte[] sound = sound(true);
    int tables = 300;
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 2000 : 100,
        g -> {
          byte[] spoiled = sound.clone();
          spoiled[tables + g.below(sound.length - tables)] ^= (byte) (1 << g.below(8));
          assertTrue(
              Cabinets.contents(spoiled).files().values().stream()
                  .anyMatch(file -> !file.damage().isEmpty()),
              "one of the files is damaged");
        });
  }

  @Test
  void changedNumbersWithoutChecksumsAreDamageAndNothingElse() {
    byte[] sound = sound(false);
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 5000 : 200,
        g -> {
          byte[] spoiled = sound.clone();
          // Half of them in the tables and the headers of the first blocks.
          for (int i = g.below(20); i >= 0; i--) {
            int at = g.below(g.flag() ? spoiled.length - 4 : 200);
            if (g.flag()) {
              spoiled[at] = (byte) g.bits();
            } else {
              new LittleEndian().u32(g.scaled()).copyTo(spoiled, at);
            }
          }
          read(spoiled);
        });
  }
}

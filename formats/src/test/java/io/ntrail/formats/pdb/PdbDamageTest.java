package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.pdb.PdbSamples;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Real PDBs with damage are read as far as they go, or refused. */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class PdbDamageTest {
  private static final List<String> SMALL =
      List.of(
          "llvm/FPOTest.pdb",
          "llvm/every-function.pdb",
          "llvm/pdb-diff-cl.pdb",
          "llvm/Stripped.pdb",
          "binskim/VS2003-DotNetProgram.pdb",
          "binskim/native2005.pdb",
          "syzygy/test_types.dll.pdb",
          "samply/WriteArgument.pdb",
          "misc/SimplePDB.pdb");

  private static void read(byte[] bytes) {
    try (InputFile input = InputFile.of(bytes, "damaged.pdb")) {
      assertTrue(PdbContents.read(PdbFile.open(input)) >= 0, "things");
    } catch (CannotGoOn e) {
      assertFalse(e.message().isEmpty());
    }
  }

  @Test
  void changedNumbersAreDamageAndNothingElse() {
    List<byte[]> files = SMALL.stream().map(PdbSamples::bytes).toList();
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 3000 : 150,
        g -> {
          byte[] bytes = files.get(g.below(files.size())).clone();
          for (int i = g.below(30); i >= 0; i--) {
            int at = 4 * g.below(bytes.length / 4);
            if (g.flag()) {
              bytes[at + g.below(4)] = (byte) g.bits();
            } else {
              new LittleEndian().u32(g.scaled()).copyTo(bytes, at);
            }
          }
          read(bytes);
        });
  }

  @Test
  void blocksInThePlaceOfOthersAreDamageAndNothingElse() {
    List<byte[]> files = SMALL.stream().map(PdbSamples::bytes).toList();
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 1000 : 60,
        g -> {
          byte[] bytes = files.get(g.below(files.size())).clone();
          int unit = 512;
          for (int i = g.below(3); i >= 0; i--) {
            int from = unit * g.below(bytes.length / unit);
            int to = unit * (1 + g.below(bytes.length / unit - 1));
            System.arraycopy(bytes, from, bytes, to, unit);
          }
          read(bytes);
        });
  }

  @Test
  void aFileThatIsCutIsReadOrRefused() {
    for (String name : List.of("llvm/FPOTest.pdb", "binskim/native2005.pdb")) {
      byte[] bytes = PdbSamples.bytes(name);
      int step = Boolean.getBoolean("ntrail.long") ? 101 : 4099;
      for (int length = 0; length < bytes.length; length += step) {
        read(Arrays.copyOf(bytes, length));
      }
    }
  }
}

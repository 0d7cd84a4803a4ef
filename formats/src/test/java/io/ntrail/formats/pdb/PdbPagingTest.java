package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CountedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.PdbSymbolizer.Found;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pdb.msf.MsfFile;
import io.ntrail.formats.pdb.msf.MsfStream;
import io.ntrail.testkit.pdb.MsfWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PDBs are read by blocks, however large they are and wherever their blocks lie. */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class PdbPagingTest {
  private static final long FOUR_GIBIBYTES = 1L << 32;

  /** Begins of functions, some of every module. */
  private static List<Long> functions(PdbFile pdb) {
    List<Long> begins = new ArrayList<>();
    for (PdbModule module : pdb.modules()) {
      for (Procedure p : pdb.symbols(module).procedures().stream().limit(3).toList()) {
        begins.add(pdb.rva(p.section(), p.offset()));
      }
    }
    return begins;
  }

  /**
   * Blocks read for one address of a PDB that was just opened, in hundredths of the file's blocks,
   * for addresses in all modules. The module with the largest stream needs the most.
   */
  @ParameterizedTest
  @CsvSource({
    "mozilla/basic32.pdb, 4096, 3, 12",
    "llvm/test-columns.pdb, 4096, 4, 14",
    "sysinf/systeminformer.pdb, 4096, 7, 9",
    "syzygy/omapped_test_dll.pdb, 1024, 7, 8"
  })
  void anAddressOfAColdFileTouchesFewOfItsBlocks(
      String name, int blockSize, int onAverage, int most) {
    InputFile input = Pdbs.input(name);
    long sum = 0;
    int worst = 0;
    int total = 0;
    List<Long> addresses = functions(PdbFile.open(input));
    for (long rva : addresses) {
      CountedInput counted = new CountedInput(input, blockSize);
      PdbFile pdb = PdbFile.open(counted.file());
      long image = pdb.toImage(rva, 1);
      assertTrue(image < 0 || new PdbSymbolizer(pdb).find(image).isPresent(), name);
      sum += counted.touched();
      worst = Math.max(worst, counted.touched());
      total = counted.total();
    }
    System.out.printf(
        "%s: of %d blocks %d at most and %d on average for one of %d addresses%n",
        name, total, worst, sum / addresses.size(), addresses.size());
    assertTrue(sum * 100 <= (long) onAverage * total * addresses.size(), name + ": " + sum);
    assertTrue(worst * 100L <= (long) most * total, name + ": " + worst + " of " + total);
  }

  /** Returns the streams in a container of another shape; the blocks are in disorder. */
  private static MsfWriter again(String name, int blockSize) {
    MsfFile msf = Pdbs.open(name).msf();
    MsfWriter writer = new MsfWriter(blockSize, new Random(blockSize));
    for (int i = 0; i < msf.streamCount(); i++) {
      Optional<MsfStream> stream = i == 0 ? Optional.empty() : msf.stream(i);
      writer.stream(
          stream.map(s -> s.window(0, (int) s.length()).array(0, (int) s.length())).orElse(null));
    }
    return writer;
  }

  private static void assertAnswersAreThoseOf(String name, PdbFile pdb) {
    PdbFile original = Pdbs.open(name);
    PdbSymbolizer expected = new PdbSymbolizer(original);
    PdbSymbolizer actual = new PdbSymbolizer(pdb);
    int lines = 0;
    for (long rva : functions(original)) {
      Optional<Found> found = actual.find(rva);
      assertEquals(expected.find(rva), found);
      lines += found.orElseThrow().frames().getLast().line() > 0 ? 1 : 0;
    }
    assertTrue(lines > 20, "lines: " + lines);
    assertEquals(original.guid(), pdb.guid());
    assertEquals(
        original.publics().orElseThrow().named("_main"),
        pdb.publics().orElseThrow().named("_main"));
    assertEquals(List.of(), pdb.gaps());
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536})
  void everySizeOfBlocksGivesTheSameAnswers(int blockSize) {
    byte[] bytes = again("llvm/test.pdb", blockSize).write();
    PdbFile pdb = PdbFile.open(InputFile.of(bytes, "again.pdb"));
    assertEquals(blockSize, pdb.msf().blockSize());
    assertAnswersAreThoseOf("llvm/test.pdb", pdb);
  }

  /** Sparse files: what lies before the streams takes no room on the disk. */
  @ParameterizedTest
  @ValueSource(ints = {512, 4096, 65536})
  void aFileOfMoreThanFourGibibytesIsReadAsAWhole(int blockSize, @TempDir Path folder)
      throws IOException {
    Path path = folder.resolve("large.pdb");
    again("llvm/test.pdb", blockSize).writeSparse(path, (int) (FOUR_GIBIBYTES / blockSize) + 5);
    try (InputFile input = InputFile.map(path, "large.pdb")) {
      assertTrue(input.size() > FOUR_GIBIBYTES, "size");
      CountedInput counted = new CountedInput(input, blockSize);
      PdbFile pdb = PdbFile.open(counted.file());
      for (int i = 1; i < pdb.msf().streamCount(); i++) {
        Optional<MsfStream> stream = pdb.msf().stream(i).filter(s -> s.length() > 0);
        assertTrue(stream.isEmpty() || stream.get().fileOffset(0) > FOUR_GIBIBYTES, "stream " + i);
      }
      assertAnswersAreThoseOf("llvm/test.pdb", pdb);
      // All that was read is no more than the file that is written there has, and its first block.
      assertTrue(
          counted.touched() <= 2 + 405_504 / blockSize + 2 * pdb.msf().streamCount(), "read");
    }
  }
}

package io.ntrail.formats.cab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.cab.Cabinets.Contents;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cabinets that others made: what comes out is what cabextract takes out of them, by its SHA-256.
 */
@EnabledIf("io.ntrail.testkit.TestData#available")
class RealCabinetsTest {
  private static byte[] read(String name) {
    try {
      return Files.readAllBytes(TestData.file("pdb/" + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Contents contents(String name) {
    return Cabinets.contents(read("cab/" + name));
  }

  private static Map<String, String> digests(Contents contents) {
    Map<String, String> digests = new TreeMap<>();
    for (String name : contents.files().keySet()) {
      digests.put(name, Cabinets.sha256(contents.bytes(name)).substring(0, 16));
    }
    return digests;
  }

  @Test
  void aPdbOfASymbolServerComesOutWhole() {
    byte[] pdb = Cabinets.contents(read("mozilla/basic32.pd_")).bytes("basic32.pdb");
    assertEquals(6_590_464, pdb.length);
    assertEquals(
        "4895f5b09ed06dcc8f3e146a0c5b3af120930633b0b9b54f8049fee48e0a5a03", Cabinets.sha256(pdb));
  }

  @Test
  void lzxWithAWindowOfTwoMegabytesComesOutWhole() {
    byte[] inner = contents("large-files-cab.cab").bytes("large-files.cab");
    assertEquals(14_689_228, inner.length);
    assertEquals(
        "30e0e3f37c7bdd389b5d1c73d08b2e2b422c50b5c32362e9995504e7c80cb1c1", Cabinets.sha256(inner));
  }

  @Test
  void quantumIsRefusedByNameAndTheOtherFoldersComeOut() {
    Contents contents = contents("mixed.cab");
    assertEquals(
        Map.of("mszip.txt", "6a2d9536b995c42a", "lzx.txt", "e978598104671296"), digests(contents));
    assertEquals(
        Map.of("qtm.txt", "is compressed with Quantum, which ntrail does not read"),
        contents.refused());
  }

  @ParameterizedTest
  @CsvSource({
    "simple.cab,hello.c=64df1b1e403b6636 welcome.c=5b4e00033bbbd82c",
    "reserve_HFD.cab,test1.txt=13b896d551a10040 test2.txt=f2ca1bb6c7e907d0",
    "dir.cab,1\\2\\3\\4.c=5b4e00033bbbd82c plain.c=64df1b1e403b6636",
    "normal_2files_2folders.cab,lzx1.txt=a9cf18335bc692ce lzx2.txt=c88392cfceb1cc9a"
        + " mszip1.txt=74830f0b25143889 mszip2.txt=97a5f0999ca55a8a"
  })
  void filesComeOutWhole(String cabinet, String expected) {
    Contents contents = contents(cabinet);
    StringBuilder found = new StringBuilder();
    digests(contents).forEach((name, digest) -> found.append(name + "=" + digest + " "));
    assertEquals(expected, found.toString().strip());
    assertEquals(List.of(), contents.gaps());
  }

  @Test
  void aNameOf255CharactersIsRead() {
    String name = contents("normal_255c_filename.cab").files().keySet().iterator().next();
    assertEquals(255, name.length());
    assertTrue(name.endsWith("Hello!.txt"), name);
  }

  @Test
  void aSetOfCabinetsIsReadAsOne() {
    Contents contents =
        Cabinets.contents(
            IntStream.rangeClosed(1, 5).mapToObj(i -> read("cab/split-" + i + ".cab")).toList());
    assertEquals(
        Map.of(
            "small1.bin", "416e95ff9e088dca",
            "small2.bin", "1b1366101b3cd629",
            "medium1.bin", "35a052709780ba36",
            "medium2.bin", "998ef19336dd0c9e",
            "small3.bin", "b536a2d99a7df054",
            "medium3.bin", "bdf7ca7b9e81e483"),
        digests(contents));
    assertEquals(List.of(), contents.gaps());
  }

  @Test
  void aBlockMayLieInFiveCabinets() {
    Contents contents =
        Cabinets.contents(
            IntStream.rangeClosed(1, 5)
                .mapToObj(i -> read("cab/multi_basic_pt" + i + ".cab"))
                .toList());
    assertEquals(
        Map.of(
            "test1.txt", "772ad3a017a8e2e3",
            "test2.txt", "89bb1d3446a3212d",
            "test3.txt", "b3f519a92c19190a"),
        digests(contents));
  }

  @Test
  void aFileThatBeginsInAnotherCabinetIsRefusedAndNamesIt() {
    Contents contents = contents("split-2.cab");
    assertEquals(
        "starts in another cabinet of its set: Split-1.CAB", contents.refused().get("small2.bin"));
  }

  @Test
  void aFileThatContinuesInAnotherCabinetEndsThereAndNamesIt() {
    Contents contents = contents("split-1.cab");
    assertEquals("", contents.file("small1.bin").damage());
    String damage = contents.file("small2.bin").damage();
    assertTrue(
        damage.endsWith("the compressed data is truncated: it continues in Split-2.CAB"), damage);
  }

  @Test
  void aCabinetMissingInTheMiddleCostsOnlyWhatLiesInIt() {
    Contents contents =
        Cabinets.contents(
            List.of(
                read("cab/split-1.cab"),
                read("cab/split-2.cab"),
                read("cab/split-4.cab"),
                read("cab/split-5.cab")));
    assertEquals(
        "bdf7ca7b9e81e483", Cabinets.sha256(contents.bytes("medium3.bin")).substring(0, 16));
    assertEquals(
        "35a052709780ba36", Cabinets.sha256(contents.bytes("medium1.bin")).substring(0, 16));
    assertTrue(contents.refused().containsKey("medium2.bin"), contents.refused().toString());
  }

  /** cabextract refuses them whole; we say what is there. */
  @ParameterizedTest
  @CsvSource({
    "bad_folderindex.cab,its folder does not exist",
    "partial_nodata.cab,truncated: its header claims 253 bytes",
    "hidden-file-beyond-eof.cab,truncated: its header claims 200 bytes",
    "cve-2015-4471-lzx-under-read.cab,truncated: its header claims 220 bytes"
  })
  void damagedTablesAreGaps(String cabinet, String why) {
    assertEquals(why, contents(cabinet).gaps().getFirst().why());
  }

  @ParameterizedTest
  @CsvSource({
    "cve-2010-2800-mszip-infinite-loop.cab,inflates to 1 bytes but claims 16",
    "cve-2015-4470-mszip-over-read.cab,invalid distance too far back",
    "lzx-main-tree-no-lengths.cab,undefined Huffman code",
    "lzx-premature-matches.cab,code lengths extend past the end of the tree"
  })
  void hostileDataEndInDamageWithItsPlace(String cabinet, String why) {
    Contents contents = contents(cabinet);
    String damage = contents.files().values().iterator().next().damage();
    assertTrue(damage.startsWith("made0.cab at offset 69: "), damage);
    assertTrue(damage.endsWith(why), damage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mozilla/basic32.dll", "README.md"})
  void otherFilesAreRefused(String name) throws IOException {
    byte[] bytes =
        name.endsWith(".md")
            ? "# no cabinet, and long enough to be one of them".getBytes(StandardCharsets.UTF_8)
            : TestData.unpacked(TestData.file("pdb/" + name + ".gz"));
    CannotGoOn refusal =
        org.junit.jupiter.api.Assertions.assertThrows(
            CannotGoOn.class, () -> Cabinets.contents(bytes));
    assertFalse(refusal.nextStep().isEmpty());
    assertTrue(refusal.message().contains("does not start with MSCF"), refusal.message());
  }
}

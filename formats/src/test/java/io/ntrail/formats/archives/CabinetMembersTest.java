package io.ntrail.formats.archives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.cab.CabinetWriter;
import io.ntrail.testkit.cab.CabinetWriter.Block;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cabinets are opened as other archives are. */
class CabinetMembersTest {
  private final Gaps gaps = new Gaps();

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Names of members without the cabinet's, with their bytes. */
  private Map<String, byte[]> open(Path path) {
    Map<String, byte[]> members = new TreeMap<>();
    for (InputFile input : Archives.open(path, name -> name.endsWith(".pdb"), gaps)) {
      int size = (int) Math.min(Integer.MAX_VALUE, input.size());
      members.put(
          input.name().substring(path.toString().length()), input.window(0, size).array(0, size));
      input.close();
    }
    return members;
  }

  private byte[] only(Path path) {
    return open(path).values().iterator().next();
  }

  private static Path write(Path folder, String name, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(name), bytes);
  }

  @Test
  void theOnlyFileIsOpenedWhateverItIsCalled(@TempDir Path folder) throws IOException {
    byte[] cabinet = new CabinetWriter().msZip(ascii("names")).file("x.tmp", 0, 5).write();
    Map<String, byte[]> members = open(write(folder, "shop.pd_", cabinet));
    assertEquals(List.of("!/x.tmp"), List.copyOf(members.keySet()));
    assertArrayEquals(ascii("names"), members.get("!/x.tmp"));
    assertTrue(gaps.isEmpty(), "gaps");
  }

  @Test
  void ofSeveralFilesThoseThatAreWantedAreOpened(@TempDir Path folder) throws IOException {
    byte[] cabinet =
        new CabinetWriter()
            .stored(ascii("abc"))
            .file("A.PDB", 0, 1)
            .file("b.txt", 1, 1)
            .file("sub\\c.pdb", 2, 1)
            .write();
    assertEquals(
        List.of("!/A.PDB", "!/sub\\c.pdb"),
        List.copyOf(open(write(folder, "x.cab", cabinet)).keySet()));
  }

  @Test
  void aCabinetWithoutAnythingWantedIsRefused(@TempDir Path folder) throws IOException {
    byte[] cabinet =
        new CabinetWriter().stored(ascii("ab")).file("a.txt", 0, 1).file("b.txt", 1, 1).write();
    Path file = write(folder, "x.cab", cabinet);
    CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> open(file));
    assertTrue(refusal.message().contains("it contains a.txt"), refusal.message());
  }

  @Test
  void aDamagedFileGivesItsBeginningAndAGap(@TempDir Path folder) throws IOException {
    byte[] data = new byte[100_000];
    byte[] cabinet = new CabinetWriter().stored(data).file("a.pdb", 0, data.length).write();
    cabinet[cabinet.length - 1] = 1;
    Path file = write(folder, "x.cab", cabinet);
    assertEquals(3 * 32_768, only(file).length);
    Gap gap = gaps.list().getFirst();
    assertEquals(3 * 32_768, gap.offset());
    assertTrue(gap.why().contains("checksum"), gap.why());
  }

  @Test
  void quantumIsAGapBesideOtherFiles(@TempDir Path folder) throws IOException {
    byte[] cabinet =
        new CabinetWriter()
            .folder(CabinetWriter.QUANTUM, List.of(new Block(ascii("?"), 9)))
            .file("a.pdb", 0, 9)
            .stored(ascii("b"))
            .file("b.pdb", 0, 1)
            .write();
    assertEquals(List.of("!/b.pdb"), List.copyOf(open(write(folder, "x.cab", cabinet)).keySet()));
    assertEquals(
        "it is compressed with Quantum, which ntrail does not read", gaps.list().getFirst().why());
  }

  @Test
  void quantumAloneIsRefused(@TempDir Path folder) throws IOException {
    byte[] cabinet =
        new CabinetWriter()
            .folder(CabinetWriter.QUANTUM, List.of(new Block(ascii("?"), 9)))
            .file("a.pdb", 0, 9)
            .write();
    Path file = write(folder, "x.cab", cabinet);
    CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> open(file));
    assertTrue(refusal.message().contains("Quantum"), refusal.message());
    assertFalse(refusal.nextStep().isEmpty());
  }

  @Test
  void aSmallCabinetThatClaimsToHoldGigabytesIsRefused(@TempDir Path folder) throws IOException {
    CabinetWriter writer = new CabinetWriter();
    for (int i = 0; i < 100; i++) {
      writer.stored(ascii("a")).file(i + ".pdb", 0, 0xFFFF_FFFFL);
    }
    Path file = write(folder, "x.cab", writer.write());
    CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> open(file));
    assertTrue(refusal.message().contains("more data than its size can hold"), refusal.message());
  }

  @Test
  void whatLiesBeforeAFileCountsAsWell(@TempDir Path folder) throws IOException {
    CabinetWriter writer = new CabinetWriter();
    for (int i = 0; i < 100; i++) {
      writer.stored(ascii("a")).file(i + ".pdb", 0x7FFF_FFFFL, 1);
    }
    Path file = write(folder, "x.cab", writer.write());
    CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> open(file));
    assertTrue(refusal.message().contains("more data than its size can hold"), refusal.message());
  }

  @Test
  void aSetWithTooManyFilesIsRefused(@TempDir Path folder) throws IOException {
    List<String> names = List.of("1.cab", "2.cab");
    for (int part = 0; part < 2; part++) {
      CabinetWriter writer =
          new CabinetWriter()
              .inSet(part, part == 0 ? "" : names.get(0), part == 0 ? names.get(1) : "")
              .stored(ascii("a"));
      for (int i = 0; i < 60_000; i++) {
        writer.file(part + "-" + i, 0, 0);
      }
      write(folder, names.get(part), writer.write());
    }
    for (String name : names) {
      CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> open(folder.resolve(name)), name);
      assertTrue(refusal.message().contains("contains 120,000 members"), refusal.message());
    }
  }

  @Test
  void theFirstBytesOfAFileDecide(@TempDir Path folder) throws IOException {
    byte[] data = new byte[200_000];
    byte[] cabinet = new CabinetWriter().msZip(data).file("a.pdb", 0, data.length).write();
    Path file = write(folder, "x.cab", cabinet);
    List<Long> heads = new ArrayList<>();
    MemberChoice none =
        MemberChoice.of(
            _ -> true,
            head -> {
              heads.add(head.size());
              throw new CannotGoOn("not wanted", "");
            });
    assertThrows(CannotGoOn.class, () -> Archives.open(file, none, gaps));
    assertEquals(List.of(65_536L), heads);
  }

  @Test
  void aFileTooLargeForMemoryComesThroughADisk(@TempDir Path folder) throws IOException {
    byte[] block = new byte[32_768];
    new Random(1).nextBytes(block);
    List<Block> blocks = new ArrayList<>();
    long size = 0;
    while (size <= 64 << 20) {
      blocks.add(new Block(block, block.length));
      size += block.length;
    }
    byte[] cabinet =
        new CabinetWriter().folder(CabinetWriter.STORED, blocks).file("a.pdb", 0, size).write();
    byte[] unpacked = only(write(folder, "x.cab", cabinet));
    assertEquals(size, unpacked.length);
    assertEquals(block[32_767], unpacked[(64 << 20) - 1]);
  }

  /** They name each other with capitals, as those that wrote them on Windows could. */
  @Test
  void cabinetsOfASetThatLieBesideItAreReadWithIt(@TempDir Path folder) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (int i = 1; i <= 5; i++) {
      String name = "split-" + i + ".cab";
      Files.copy(TestData.file("pdb/cab/" + name), folder.resolve(name));
    }
    Path third = folder.resolve("split-3.cab");
    List<String> sizes = new ArrayList<>();
    for (InputFile input : Archives.open(third, name -> name.startsWith("medium"), gaps)) {
      sizes.add(input.name().substring(third.toString().length()) + " " + input.size());
      input.close();
    }
    assertEquals(
        List.of("!/medium1.bin 40000", "!/medium2.bin 50000", "!/medium3.bin 40000"), sizes);
    assertTrue(gaps.isEmpty(), "gaps");
  }

  @Test
  void aCabinetThatNamesSomethingElseAsItsNextStandsAlone(@TempDir Path folder) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path first = folder.resolve("split-1.cab");
    Files.copy(TestData.file("pdb/cab/split-1.cab"), first);
    Files.writeString(folder.resolve("split-2.cab"), "no cabinet at all, but there");
    List<InputFile> opened = Archives.open(first, name -> name.equals("small1.bin"), gaps);
    assertEquals(2000, opened.getFirst().size());
    opened.forEach(InputFile::close);
  }
}

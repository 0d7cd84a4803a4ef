package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.testkit.compress.ZipWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A zip is a store, wherever in it the store is, and whatever else is in it. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class ZipStoreTest {
  private static final StoreFixture CRASH = StoreFixture.crash();

  @TempDir private Path folder;

  private final List<Tried> tried = new ArrayList<>();

  private Path zip(Map<String, byte[]> members) throws IOException {
    Path zip = folder.resolve("a.zip");
    try (OutputStream file = Files.newOutputStream(zip);
        ZipOutputStream out = new ZipOutputStream(file)) {
      for (Map.Entry<String, byte[]> member : new TreeMap<>(members).entrySet()) {
        out.putNextEntry(new ZipEntry(member.getKey()));
        out.write(member.getValue());
        out.closeEntry();
      }
    }
    return zip;
  }

  private Optional<String> find(Path zip) {
    Optional<OpenPdb> found = new ZipStore(zip).find(CRASH.sought(), tried);
    found.ifPresent(OpenPdb::close);
    return found.map(OpenPdb::place).map(place -> place.replace(zip + "!/", ""));
  }

  @Test
  void aFileIsFoundByNameAndKeyInAnyFolder() throws IOException {
    byte[] other = StoreFixture.user32().bytes();
    String place = "x/symbols/" + CRASH.place().toUpperCase(Locale.ROOT);
    Path zip = zip(Map.of(place, CRASH.bytes(), "crash.pdb", other));
    assertEquals(Optional.of(place), find(zip));
    assertEquals(List.of(), tried);
  }

  @Test
  void elseByItsNameIfItIsTheRightOne() throws IOException {
    byte[] other = StoreFixture.user32().bytes();
    Path zip = zip(Map.of("a/crash.pdb", other, "b\\crash.pdb", CRASH.bytes()));
    assertEquals(Optional.of("b\\crash.pdb"), find(zip));
    assertEquals(1, tried.size());
    assertTrue(
        tried.getFirst().why().contains("a/crash.pdb is a different build"), tried::toString);
  }

  @Test
  void namesThatLeadOutOfTheZipLeadNowhere() throws IOException {
    Path zip = zip(Map.of("../../" + CRASH.place(), CRASH.bytes()));
    assertEquals(Optional.of("../../" + CRASH.place()), find(zip));
    assertEquals(List.of("a.zip"), StoreFixture.files(folder));
  }

  @Test
  void missingFilesAreReported() throws IOException {
    assertEquals(Optional.empty(), find(zip(Map.of("b.pdb", new byte[1]))));
    assertEquals(folder.resolve("a.zip") + " has no " + CRASH.place(), tried.getFirst().why());
  }

  @Test
  void ofManyFilesOfTheNameOnlySomeAreOpened() throws IOException {
    Map<String, byte[]> members = new TreeMap<>();
    for (int i = 0; i < 100; i++) {
      members.put("%03d/crash.pdb".formatted(i), new byte[] {1});
    }
    assertEquals(Optional.empty(), find(zip(members)));
    assertEquals(16, tried.size());
  }

  @Test
  void decompressionBombsAreNotUnpacked() throws IOException {
    Path zip = folder.resolve("a.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      out.putNextEntry(new ZipEntry(CRASH.place()));
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 100; i++) {
        out.write(zeros);
      }
      out.closeEntry();
    }
    assertEquals(Optional.empty(), find(zip));
    assertTrue(tried.getFirst().why().endsWith("has no " + CRASH.place()), tried::toString);
  }

  @Test
  void zipsWithTooManyMembersOrSharedBytesHaveNothing() throws IOException {
    Path many = folder.resolve("many.zip");
    Files.write(many, new ZipWriter().countAtEnd(100_001).stored("a", new byte[1]).write());
    assertEquals(Optional.empty(), find(many));
    assertTrue(tried.getLast().why().contains("100,001 members"), tried::toString);
    Path shared = folder.resolve("shared.zip");
    Files.write(shared, new ZipWriter().stored("a", CRASH.bytes()).again(CRASH.place()).write());
    assertEquals(Optional.empty(), find(shared));
    assertTrue(tried.getLast().why().contains("share bytes"), tried::toString);
  }

  @Test
  void inflatingEndsAtTheDeclaredSize() throws IOException {
    Path zip = zip(Map.of(CRASH.place(), CRASH.bytes()));
    byte[] bytes = Files.readAllBytes(zip);
    // The size in the directory, whose record begins with PK 1 2.
    int record = bytes.length - 1;
    while (bytes[record] != 'P' || bytes[record + 1] != 'K' || bytes[record + 2] != 1) {
      record--;
    }
    bytes[record + 24] = 0;
    bytes[record + 25] = 16;
    bytes[record + 26] = 0;
    Files.write(zip, bytes);
    assertEquals(Optional.empty(), find(zip));
  }

  @Test
  void aZipThatIsCutOrDamagedHasNothing() throws IOException {
    Path zip = zip(Map.of(CRASH.place(), CRASH.bytes()));
    byte[] bytes = Files.readAllBytes(zip);
    for (int length = 4; length < bytes.length; length += bytes.length / 37) {
      Files.write(zip, Arrays.copyOf(bytes, length));
      assertEquals(Optional.empty(), find(zip));
    }
    assertTrue(tried.getFirst().why().contains("cannot be read as a zip"), tried::toString);
    for (int at = 100; at < bytes.length; at += bytes.length / 37) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x55;
      Files.write(zip, damaged);
      // Found or not, nothing is thrown.
      find(zip);
    }
  }

  @Test
  void onlyZipsAreTaken() throws IOException {
    assertTrue(ZipStore.isZip(zip(Map.of("x", new byte[1]))));
    assertFalse(ZipStore.isZip(folder));
    assertFalse(ZipStore.isZip(folder.resolve("none")));
    assertFalse(ZipStore.isZip(Files.write(folder.resolve("x"), CRASH.bytes())));
  }
}

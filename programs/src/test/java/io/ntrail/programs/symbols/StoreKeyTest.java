package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.pdb.PdbSamples;
import io.ntrail.testkit.pe.Tsv;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths of files in symbol stores. */
class StoreKeyTest {
  private static final Guid GUID = Guid.parse("3249D99D-0C40-4931-8610-F4E4FB0B6936");

  /** Images of .NET's own tools, whose PDBs are portable ones. */
  private static final Set<String> PORTABLE =
      Set.of(
          "sentry/integration.dll.gz",
          "sentry/Sentry.Samples.Console.Basic-embedded-ppdb-with-sources.dll.gz");

  private static void is(String text, Optional<StoreKey> key) {
    assertEquals(text, key.orElseThrow().toString());
  }

  @Test
  void eachKindOfFileHasItsKey() {
    is(
        "crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb",
        StoreKey.pdb("crash.pdb", new PdbId(GUID, 1)));
    is("msvcrt.pdb/37A8F40E2/msvcrt.pdb", StoreKey.pdb2("msvcrt.pdb", 0x37A8F40EL, 2));
    is(
        "Foo.pdb/3249D99D0C4049318610F4E4FB0B6936FFFFFFFF/Foo.pdb",
        StoreKey.portable("Foo.pdb", GUID));
    is(
        "ntoskrnl.exe/0D8333E61046000/ntoskrnl.exe",
        StoreKey.image("ntoskrnl.exe", new ImageId(0x0D8333E6L, 0x1046000)));
    is(
        "acpi.dbg/37CDB03962040/acpi.dbg",
        StoreKey.image("acpi.dbg", new ImageId(0x37CDB039L, 0x62040)));
  }

  @Test
  void spellingsAreTriedInTheirOrder() {
    assertEquals(
        List.of(
            "3249D99D0C4049318610F4E4FB0B69361a",
            "3249D99D0C4049318610F4E4FB0B69361A",
            "3249d99d0c4049318610f4e4fb0b69361a"),
        StoreKey.pdb("a.pdb", new PdbId(GUID, 0x1A)).orElseThrow().keys());
    assertEquals(
        List.of("4A5BE088fa000", "4A5BE088FA000", "4a5be088fa000"),
        StoreKey.image("user32.dll", new ImageId(0x4A5BE088L, 0xFA000)).orElseThrow().keys());
    assertEquals(List.of("A.PDB", "a.pdb"), new StoreKey("A.PDB", "1").names());
    assertEquals(List.of("a.pdb"), new StoreKey("a.pdb", "1").names());
  }

  @ParameterizedTest
  @CsvSource({
    "C:\\build\\x64\\ntkrnlmp.pdb, ntkrnlmp.pdb",
    "/home/me/lib.so.pdb,          lib.so.pdb",
    "D:foo.pdb,                    foo.pdb",
    "..\\..\\foo.pdb,              foo.pdb",
    "a/b\\c/d.pdb,                 d.pdb",
    "..foo.pdb,                    ..foo.pdb",
    "com.pdb,                      com.pdb",
    "CON2.pdb,                     CON2.pdb",
    "über.pdb,                     über.pdb",
  })
  void onlyTheLastPartOfAPathIsItsName(String path, String name) {
    assertEquals(name, StoreKey.pdb2(path, 1, 1).orElseThrow().name());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        "..",
        "...",
        "a/..",
        "a\\..",
        "a/",
        "C:",
        "C:\\",
        "foo.pdb:stream",
        "a\0b",
        "a\nb",
        "foo.pdb.",
        "foo.pdb ",
        "CON",
        "nul.pdb",
        "x\\LPT1.pdb",
        "com¹.pdb",
        "aux .pdb",
        "a?.pdb",
        "a*.pdb",
        "a|b",
        "<a>",
        "\"a\"",
        "\uD800.pdb",
        "CONOUT$"
      })
  void invalidFileNamesHaveNoKey(String path) {
    assertEquals(Optional.empty(), StoreKey.pdb2(path, 1, 1));
  }

  @Test
  void aNameThatFileSystemsHaveNoRoomForHasNoKey() {
    assertTrue(StoreKey.pdb2("a".repeat(200), 1, 1).isPresent());
    assertEquals(Optional.empty(), StoreKey.pdb2("a".repeat(201), 1, 1));
    assertEquals(Optional.empty(), StoreKey.pdb2("ä".repeat(101), 1, 1));
  }

  @Test
  void aKeyThatIsNotHexadecimalIsADefect() {
    assertThrows(IllegalArgumentException.class, () -> new StoreKey("a.pdb", "../1"));
    assertThrows(IllegalArgumentException.class, () -> new StoreKey("..", "1"));
  }

  @Test
  @EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
  void imagesHaveTheKeysThatOthersFound() throws IOException {
    List<Map<String, String>> rows = Tsv.rows("pdb/images.tsv");
    for (Map<String, String> row : rows) {
      String file = row.getOrDefault("file", "");
      try (InputFile input = InputFile.of(PdbSamples.bytes(file), file)) {
        PeImage image = PeImage.ofFile(input);
        ImageId id = new ImageId(image.headers().timestamp(), image.headers().sizeOfImage());
        assertEquals(row.get("imagekey"), id.key(), file);
        String guid = row.getOrDefault("guid", "").replace("-", "");
        String age = Long.toHexString(Long.parseLong(row.getOrDefault("age", "")));
        String key = StoreKey.of(DebugDirectory.of(image)).orElseThrow().key();
        assertEquals(PORTABLE.contains(file) ? guid + "FFFFFFFF" : guid + age, key, file);
      }
    }
    assertTrue(rows.size() > 30);
  }
}

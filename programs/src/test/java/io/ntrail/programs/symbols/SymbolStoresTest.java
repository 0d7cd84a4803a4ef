package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.testkit.pdb.PdbSamples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files are found in stores and folders, and kept on the way. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class SymbolStoresTest {
  private static final StoreFixture CRASH = StoreFixture.crash();

  @TempDir private Path folder;

  /** Result of a search for crash.pdb: the file that was taken, closed again. */
  private record Outcome(Optional<String> file, List<Tried> tried, List<String> remarks) {
    List<String> whys() {
      return tried.stream().map(Tried::why).toList();
    }
  }

  private Host host() {
    return new Host(false, Map.of("T", folder.toString())::get, folder.resolve("home"));
  }

  private Outcome search(String path) {
    return search(path, CRASH);
  }

  private Outcome search(String path, StoreFixture pdb) {
    SymbolStores stores = SymbolStores.of(SymbolPath.parse(path, host()), host());
    SymbolStores.Result<OpenPdb> result = stores.find(pdb.sought());
    Optional<String> file =
        result
            .found()
            .map(open -> {
              assertEquals(pdb.sought().id().guid(), open.pdb().guid());
              open.close();
              return folder.relativize(open.path()).toString();
            });
    return new Outcome(file, result.tried(), result.remarks());
  }

  private Path put(String place, byte[] bytes) throws IOException {
    return StoreFixture.put(folder, place, bytes);
  }

  private void text(String place, String text) throws IOException {
    put(place, text.getBytes(StandardCharsets.UTF_8));
  }

  private void finds(String path, String file) {
    assertEquals(Optional.of(file), search(path).file());
  }

  private void misses(String path, String why) {
    Outcome outcome = search(path);
    assertEquals(Optional.empty(), outcome.file());
    assertTrue(
        outcome.whys().stream().anyMatch(each -> each.contains(why)), outcome.tried()::toString);
  }

  private List<String> files(String below) throws IOException {
    return StoreFixture.files(folder.resolve(below));
  }

  @Test
  void aStoreHasAFileByItsKey() throws IOException {
    put("s/" + CRASH.place(), CRASH.bytes());
    finds("srv*%T%/s", "s/" + CRASH.place());
  }

  @Test
  void theAgeOfTheKeyIsThatOfDbi() throws IOException {
    StoreFixture user32 = StoreFixture.user32();
    assertTrue(user32.key().endsWith("2"));
    put("s/" + user32.place(), user32.bytes());
    assertEquals(Optional.of("s/" + user32.place()), search("srv*%T%/s", user32).file());
  }

  @Test
  void aStoreOfTwoTiersHasAFileUnderTwoCharacters() throws IOException {
    put("s/cr/" + CRASH.place(), CRASH.bytes());
    misses("srv*%T%/s", "s has no crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb");
    text("s/index2.txt", "");
    finds("srv*%T%/s", "s/cr/" + CRASH.place());
  }

  @ParameterizedTest
  @CsvSource({
    "Crash.PDB/3249D99D0C4049318610F4E4FB0B69361/Crash.PDB",
    "Crash.PDB/3249d99d0c4049318610f4e4fb0b69361/Crash.PDB",
    "Crash.PDB/3249D99D0C4049318610F4E4FB0B69361/crash.pdb",
    "crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb",
    "crash.pdb/3249d99d0c4049318610f4e4fb0b69361/crash.pdb",
    "crash.pdb/3249d99d0c4049318610f4e4fb0b69361/Crash.PDB",
  })
  void theSpellingsThatOccurAreTried(String place) throws IOException {
    put("s/" + place, CRASH.bytes());
    PdbRequest sought =
        new PdbRequest(new StoreKey("Crash.PDB", CRASH.key()), CRASH.sought().id(), List.of());
    StoreFixture spelled = new StoreFixture(CRASH.sample(), "Crash.PDB", CRASH.key(), sought);
    assertEquals(Optional.of("s/" + place), search("srv*%T%/s", spelled).file());
  }

  @Test
  void theFileGoesBeforeTheCompressedOneAndThatBeforeThePointer() throws IOException {
    put("else/other.pdb", CRASH.bytes());
    String key = "s/crash.pdb/" + CRASH.key() + "/";
    text(key + "file.ptr", "PATH:" + folder.resolve("else/other.pdb"));
    finds("%T%/s", "else/other.pdb");
    put("s/" + CRASH.packedPlace(), CRASH.packed());
    finds("%T%/s", key + "crash.pd_");
    put("s/" + CRASH.place(), CRASH.bytes());
    finds("%T%/s", key + "crash.pdb");
  }

  @Test
  void anEmptyFolderAndAnEmptyFileAreMisses() throws IOException {
    Files.createDirectories(folder.resolve("a/crash.pdb/" + CRASH.key()));
    put("b/" + CRASH.place(), new byte[0]);
    misses("srv*%T%/a", "a has no crash.pdb/");
    misses("srv*%T%/b", "b has no crash.pdb/");
  }

  @Test
  void theNotesOfTheStoreAreNotFiles() throws IOException {
    text("s/crash.pdb/" + CRASH.key() + "/refs.ptr", "0000000026,file,C:\\x\\crash.pdb");
    misses("srv*%T%/s", "s has no crash.pdb/");
  }

  @Test
  void aFileOfAnotherBuildIsNotTaken() throws IOException {
    put("s/" + CRASH.place(), StoreFixture.user32().bytes());
    put("t/" + CRASH.place(), CRASH.bytes());
    Outcome outcome = search("srv*%T%/s;srv*%T%/t");
    assertEquals(Optional.of("t/" + CRASH.place()), outcome.file());
    assertEquals(1, outcome.tried().size());
    assertTrue(outcome.tried().getFirst().isThere());
    assertTrue(outcome.whys().getFirst().contains("is a different build"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PATH:", "path: ", "", " "})
  void aPointerLeadsToAFileWithOrWithoutItsWord(String word) throws IOException {
    put("else/x.pdb", CRASH.bytes());
    String pointer = "s/crash.pdb/" + CRASH.key() + "/file.ptr";
    text(pointer, word + folder.resolve("else/x.pdb") + "\r\nmore");
    finds("srv*%T%/s", "else/x.pdb");
  }

  @Test
  void aPointerMayBeginBesideItself() throws IOException {
    put("s/crash.pdb/x.pdb", CRASH.bytes());
    text("s/crash.pdb/" + CRASH.key() + "/file.ptr", "PATH:../x.pdb");
    assertEquals(
        Optional.of("s/crash.pdb/x.pdb"),
        search("srv*%T%/s").file().map(file -> Path.of(file).normalize().toString()));
  }

  @ParameterizedTest
  @CsvSource({
    "PATH:\\\\server\\share\\crash.pdb, is a Windows path",
    "PATH:/not/there.pdb,               'points to /not/there.pdb, which is not a file'",
    "PATH:,                             is empty",
    "' ',                               is empty",
  })
  void aDanglingPointerIsReported(String text, String why) throws IOException {
    text("s/crash.pdb/" + CRASH.key() + "/file.ptr", text);
    misses("srv*%T%/s", why);
  }

  @Test
  void aPointerToAFolderOrOfBytesLeadsNowhere() throws IOException {
    text("s/crash.pdb/" + CRASH.key() + "/file.ptr", folder.toString());
    misses("srv*%T%/s", "which is not a file");
    put("s/crash.pdb/" + CRASH.key() + "/file.ptr", new byte[70_000]);
    misses("srv*%T%/s", "is too long for a path");
  }

  @Test
  void aFileThatTheStoreHasWithdrawnIsNotLookedForThereAnyMore() throws IOException {
    text("s/crash.pdb/" + CRASH.key() + "/file.ptr", "MSG: no longer indexed");
    put("s/" + CRASH.place().toLowerCase(Locale.ROOT), CRASH.bytes());
    misses("srv*%T%/s", "file.ptr marks the file as not available: no longer indexed");
    put("t/" + CRASH.place(), CRASH.bytes());
    finds("srv*%T%/s;srv*%T%/t", "t/" + CRASH.place());
  }

  @ParameterizedTest
  @ValueSource(strings = {"crash.pdb", "symbols/exe/crash.pdb", "exe/crash.pdb"})
  void aFolderMayHaveAFileByItsNameAlone(String place) throws IOException {
    put("f/" + place, CRASH.bytes());
    finds("%T%/f", "f/" + place);
    misses("srv*%T%/f", "f has no crash.pdb/");
  }

  @Test
  void aFolderMayBeAStore() throws IOException {
    text("f/index2.txt", "");
    put("f/cr/" + CRASH.place(), CRASH.bytes());
    finds("%T%/f", "f/cr/" + CRASH.place());
  }

  @Test
  void aFileOfAnotherBuildInAFolderLeavesTheOthersToBeTried() throws IOException {
    put("f/crash.pdb", StoreFixture.user32().bytes());
    put("f/exe/crash.pdb", CRASH.bytes());
    finds("%T%/f", "f/exe/crash.pdb");
  }

  @Test
  void missingFilesAreReportedInOrder() throws IOException {
    Files.createDirectories(folder.resolve("b"));
    String t = folder.toString();
    assertEquals(
        List.of(
            t + "/a is not a folder",
            t + "/b has no " + CRASH.place(),
            "https://h/s skipped: downloads are not enabled",
            t + "/b has no " + CRASH.place(),
            t + "/c is not a folder"),
        search("%T%/a;srv*%T%/b*https://h/s;cache*%T%/b;srv*%T%/c").whys());
  }

  @Test
  void aStoreOfAChainKeepsWhatALaterOneHas() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    finds("srv*%T%/l*%T%/m*%T%/r", "l/" + CRASH.place());
    assertEquals(List.of(CRASH.place()), files("l"));
    assertEquals(List.of(CRASH.place()), files("m"));
    assertArrayEquals(CRASH.bytes(), Files.readAllBytes(folder.resolve("l/" + CRASH.place())));
    Files.delete(folder.resolve("r/" + CRASH.place()));
    Files.delete(folder.resolve("l/" + CRASH.place()));
    finds("srv*%T%/l*%T%/m*%T%/r", "l/" + CRASH.place());
  }

  @Test
  void aStoreAloneKeepsNothing() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    finds("srv*%T%/r", "r/" + CRASH.place());
    assertEquals(List.of("r/" + CRASH.place()), files(""));
  }

  @Test
  void aCompressedFileStaysSoInTheMiddleAndIsUnpackedInTheFirstStore() throws IOException {
    put("r/" + CRASH.packedPlace(), CRASH.packed());
    finds("srv*%T%/l*%T%/m*%T%/r", "l/" + CRASH.place());
    assertEquals(List.of(CRASH.place()), files("l"));
    assertEquals(List.of(CRASH.packedPlace()), files("m"));
    assertArrayEquals(CRASH.bytes(), Files.readAllBytes(folder.resolve("l/" + CRASH.place())));
    assertArrayEquals(
        CRASH.packed(), Files.readAllBytes(folder.resolve("m/" + CRASH.packedPlace())));
  }

  @Test
  void aCompressedFileOfAStoreAloneIsUnpackedIntoTheDefaultStoreOnce() throws IOException {
    put("r/" + CRASH.packedPlace(), CRASH.packed());
    finds("srv*%T%/r", "home/sym/" + CRASH.place());
    // The second time nothing is unpacked: the store's file may be gone by then.
    put("r/" + CRASH.packedPlace(), new byte[] {1});
    finds("srv*%T%/r", "home/sym/" + CRASH.place());
  }

  @Test
  void aCabinetOfARealStoreIsUnpacked() throws IOException {
    byte[] cabinet = PdbSamples.bytes("mozilla/basic32.pd_");
    PdbRequest sought =
        new PdbRequest(
            new StoreKey("basic32.pdb", "34060D222DBB44E5AA72243CE8326C2F2"),
            new PdbId(Guid.parse("34060D22-2DBB-44E5-AA72-243CE8326C2F"), 2),
            List.of());
    StoreFixture basic32 =
        new StoreFixture("mozilla/basic32.pdb", "basic32.pdb", sought.key().key(), sought);
    put("r/" + basic32.packedPlace(), cabinet);
    assertEquals(
        Optional.of("l/" + basic32.place()), search("srv*%T%/l*%T%/m*%T%/r", basic32).file());
    assertArrayEquals(basic32.bytes(), Files.readAllBytes(folder.resolve("l/" + basic32.place())));
    assertArrayEquals(cabinet, Files.readAllBytes(folder.resolve("m/" + basic32.packedPlace())));
  }

  @Test
  void aStoreOfTwoTiersKeepsFilesInTwoTiers() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    text("l/index2.txt", "");
    finds("srv*%T%/l*%T%/r", "l/cr/" + CRASH.place());
  }

  @Test
  void aStoreThatTakesNothingIsPassedOver() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    text("file", "in the way of a folder");
    Outcome outcome = search("srv*%T%/l*%T%/file*%T%/r");
    assertEquals(Optional.of("l/" + CRASH.place()), outcome.file());
    assertEquals(1, outcome.remarks().size());
    String remark = outcome.remarks().getFirst();
    assertTrue(
        remark.startsWith(folder.resolve("file") + " cannot keep a copy of crash.pdb: "), remark);
  }

  @Test
  void ifNoStoreTakesItTheFileIsReadWhereItIs() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    text("file", "in the way of a folder");
    finds("srv*%T%/file*%T%/r", "r/" + CRASH.place());
  }

  @Test
  void aDamagedFileOfAStoreIsReplacedByThatOfALaterOne() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    put("l/" + CRASH.place(), new byte[] {1, 2, 3});
    finds("srv*%T%/l*%T%/r", "l/" + CRASH.place());
    assertArrayEquals(CRASH.bytes(), Files.readAllBytes(folder.resolve("l/" + CRASH.place())));
  }

  @Test
  void aCacheKeepsWhatFoldersAndStoresAfterItHave() throws IOException {
    put("f/crash.pdb", CRASH.bytes());
    finds("cache*%T%/c;%T%/f", "c/" + CRASH.place());
    finds("cache*%T%/c;%T%/gone", "c/" + CRASH.place());
    put("r/" + CRASH.packedPlace(), CRASH.packed());
    finds("cache*%T%/d;srv*%T%/r", "d/" + CRASH.place());
  }

  @Test
  void aCacheDoesNotKeepWhatIsBeforeIt() throws IOException {
    put("f/crash.pdb", CRASH.bytes());
    finds("%T%/f;cache*%T%/c", "f/crash.pdb");
    assertEquals(List.of("f/crash.pdb"), files(""));
  }

  @Test
  void aCacheDoesNotKeepWhatAChainKeeps() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    String path = "cache*%T%/c;srv*%T%/l*%T%/r";
    finds(path, "l/" + CRASH.place());
    finds(path, "l/" + CRASH.place());
    assertEquals(List.of("l/" + CRASH.place(), "r/" + CRASH.place()), files(""));
  }

  @Test
  void aCacheKeepsWhatNoStoreOfAChainTakes() throws IOException {
    put("r/" + CRASH.place(), CRASH.bytes());
    text("file", "in the way of a folder");
    finds("cache*%T%/c;srv*%T%/file*%T%/r", "c/" + CRASH.place());
  }

  @Test
  void everyCacheBeforeAFolderKeepsWhatItHas() throws IOException {
    put("f/crash.pdb", CRASH.bytes());
    finds("cache*%T%/c;cache*%T%/d;%T%/f", "c/" + CRASH.place());
    assertEquals(List.of(CRASH.place()), files("d"));
  }

  @Test
  void noNameLeadsOutOfAStore() throws IOException {
    put("x/crash.pdb", CRASH.bytes());
    text("s/index2.txt", "");
    for (String name : List.of("..x", "...y", "..", "a\\..\\..\\x\\crash.pdb", "../x/crash.pdb")) {
      Optional<StoreKey> key = StoreKey.pdb(name, CRASH.sought().id());
      LocalStore store = new LocalStore(folder.resolve("s"), false);
      key.ifPresent(known -> {
        Path place = store.folder(known).normalize();
        assertTrue(place.startsWith(folder.resolve("s")), place::toString);
        assertEquals(List.of(), store.entries(known));
        assertEquals(List.of(), store.plainEntries(known, List.of("exe")));
      });
    }
  }

  @Test
  void anImageIsFoundByItsKey() throws IOException {
    StoreKey key = new StoreKey("user32.dll", "4A5BE088fa000");
    Path file = put("s/user32.dll/4a5be088fa000/user32.dll", new byte[] {1});
    assertEquals(
        List.of(new LocalStore.Entry.Candidate(file, false)),
        new LocalStore(folder.resolve("s"), false).entries(key));
  }
}

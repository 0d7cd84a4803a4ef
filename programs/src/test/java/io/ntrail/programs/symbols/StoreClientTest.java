package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.StoreClient.Answer;
import io.ntrail.programs.symbols.SymbolPath.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Downloads into the stores before a server, checked and complete. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class StoreClientTest {
  private static final StoreFixture CRASH = StoreFixture.crash();

  @TempDir private Path folder;

  private final List<String> asked = new ArrayList<>();

  private StoreClient sends(byte[] bytes, boolean packed) {
    return (server, key, part) -> {
      asked.add(server + "/" + key);
      try {
        Files.write(part.file(), bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new Answer.Fetched(packed);
    };
  }

  private SymbolStores.Result<OpenPdb> search(String path, StoreClient fetch) {
    Host host = new Host(false, Map.of("T", folder.toString())::get, folder.resolve("home"));
    SymbolStores.Result<OpenPdb> result =
        SymbolStores.of(SymbolPath.parse(path, host), host, fetch).find(CRASH.sought());
    result.found().ifPresent(OpenPdb::close);
    return result;
  }

  private void comesTo(String file, SymbolStores.Result<OpenPdb> result) {
    assertEquals(
        Optional.of(file),
        result.found().map(open -> folder.relativize(open.path()).toString()),
        () -> result.tried() + " " + result.remarks());
  }

  private List<String> files() throws IOException {
    return StoreFixture.files(folder);
  }

  @Test
  void everyStoreBeforeTheServerGetsTheFile() throws IOException {
    comesTo(
        "l/" + CRASH.place(), search("srv*%T%/l*%T%/m*http://h/s", sends(CRASH.bytes(), false)));
    assertEquals(List.of("http://h/s/" + CRASH.place()), asked);
    assertEquals(List.of("l/" + CRASH.place(), "m/" + CRASH.place()), files());
  }

  @Test
  void theSecondTimeNoServerIsQueried() throws IOException {
    search("srv*%T%/l*http://h/s", sends(CRASH.bytes(), false));
    comesTo("l/" + CRASH.place(), search("srv*%T%/l*http://h/s", sends(new byte[0], false)));
    assertEquals(1, asked.size());
  }

  @Test
  void aCompressedFileIsUnpackedInTheFirstStoreOnly() throws IOException {
    comesTo(
        "l/" + CRASH.place(), search("srv*%T%/l*%T%/m*http://h/s", sends(CRASH.packed(), true)));
    assertEquals(List.of("l/" + CRASH.place(), "m/" + CRASH.packedPlace()), files());
  }

  @Test
  void aCompressedFileForOneStoreIsThereUnpackedOnly() throws IOException {
    comesTo("l/" + CRASH.place(), search("srv*%T%/l*http://h/s", sends(CRASH.packed(), true)));
    assertEquals(List.of("l/" + CRASH.place()), files());
  }

  @Test
  void aServerAloneUsesTheCacheBeforeItElseTheDefaultStore() throws IOException {
    comesTo(
        "c/" + CRASH.place(), search("cache*%T%/c;srv*http://h/s", sends(CRASH.bytes(), false)));
    comesTo("home/sym/" + CRASH.place(), search("http://h/s", sends(CRASH.bytes(), false)));
    assertEquals(List.of("c/" + CRASH.place(), "home/sym/" + CRASH.place()), files());
  }

  @Test
  void otherFilesOfAServerAreNotKept() throws IOException {
    for (byte[] bytes :
        List.of(
            new byte[0],
            "<!DOCTYPE html>".getBytes(StandardCharsets.US_ASCII),
            StoreFixture.user32().bytes())) {
      SymbolStores.Result<OpenPdb> result =
          search("srv*%T%/l*%T%/m*http://h/s", sends(bytes, false));
      assertEquals(Optional.empty(), result.found());
      Tried last = result.tried().getLast();
      assertEquals("http://h/s", last.place());
      assertTrue(last.isThere());
      assertEquals(List.of(), files());
    }
  }

  @Test
  void anAnswerWithoutAFileIsReported() throws IOException {
    SymbolStores.Result<OpenPdb> result =
        search("srv*%T%/l*http://h/s", (_, _, _) -> new Answer.Missing(false, "404"));
    assertEquals(Optional.empty(), result.found());
    assertEquals(new Tried("http://h/s", false, "404"), result.tried().getLast());
    assertEquals(List.of(), files());
  }

  @Test
  void theNextServerIsAskedAfterTheFirst() {
    StoreClient second = sends(CRASH.bytes(), false);
    comesTo(
        "l/" + CRASH.place(),
        search(
            "srv*%T%/l*http://a*http://b",
            (server, key, part) ->
                "a".equals(server.getHost())
                    ? new Answer.Missing(false, "down")
                    : second.fetch(server, key, part)));
    assertEquals(List.of("http://b/" + CRASH.place()), asked);
  }

  @Test
  void aStoreThatTakesNothingIsPassedOverBeforeTheServerIsAsked() throws IOException {
    Files.writeString(folder.resolve("file"), "in the way of a folder");
    SymbolStores.Result<OpenPdb> result =
        search("srv*%T%/l*%T%/file*http://h/s", sends(CRASH.bytes(), false));
    comesTo("l/" + CRASH.place(), result);
    assertEquals(1, asked.size());
    assertEquals(1, result.remarks().size());
  }

  @Test
  void withoutAnyFolderToKeepItTheServerIsNotAsked() throws IOException {
    Files.writeString(folder.resolve("file"), "in the way of a folder");
    SymbolStores.Result<OpenPdb> result =
        search("srv*%T%/file*http://h/s", sends(CRASH.bytes(), false));
    assertEquals(Optional.empty(), result.found());
    assertEquals("no folder can keep downloads from http://h/s", result.tried().getLast().why());
    assertEquals(List.of(), asked);
  }
}

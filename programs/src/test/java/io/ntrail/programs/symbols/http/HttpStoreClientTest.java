package io.ntrail.programs.symbols.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.programs.symbols.PdbRequest;
import io.ntrail.programs.symbols.StoreFixture;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.testkit.pdb.PdbSamples;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files come from servers as those have them, or it is said why not. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class HttpStoreClientTest {
  private static final StoreFixture CRASH = StoreFixture.crash();
  private static final String PLACE = "/" + CRASH.place();
  private static final String PACKED = "/" + CRASH.packedPlace();
  private static final String POINTER = "/crash.pdb/" + CRASH.key() + "/file.ptr";
  private static final byte[] PAGE =
      "<!DOCTYPE html><html>Not here, but have a look at our offers.</html>"
          .getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path folder;

  private final SymbolStoreServer server = new SymbolStoreServer();

  @AfterEach
  void stop() {
    server.close();
  }

  private Fetching fetching() {
    return new Fetching(folder, CRASH, Fetching.PATIENT);
  }

  private void finds() throws IOException {
    try (Fetching fetching = fetching()) {
      fetching.finds(server.root());
    }
  }

  private String misses() throws IOException {
    try (Fetching fetching = fetching()) {
      String why = fetching.misses(server.root());
      assertEquals(List.of(), fetching.left());
      return why;
    }
  }

  private void says(String expected, String why) {
    assertTrue(why.contains(expected), why);
  }

  @Test
  void aFileOfAServerComesIntoTheStore() throws IOException {
    server.has(PLACE, CRASH.bytes());
    finds();
    finds();
    assertEquals(1, server.asked().size(), "the second time nobody is asked");
    says("Microsoft-Symbol-Server/", server.asked().getFirst().header("user-agent"));
    assertEquals("", server.asked().getFirst().header("cookie"));
  }

  @Test
  void theRootMayBeAFolderOfTheServer() throws IOException {
    server.has("/download/symbols" + PLACE, CRASH.bytes());
    try (Fetching fetching = fetching()) {
      fetching.finds(URI.create(server.root() + "/download/symbols/"));
    }
  }

  @Test
  void aCabinetIsUnpacked() throws IOException {
    byte[] cabinet = PdbSamples.bytes("mozilla/basic32.pd_");
    PdbRequest sought =
        new PdbRequest(
            new StoreKey("basic32.pdb", "34060D222DBB44E5AA72243CE8326C2F2"),
            new PdbId(Guid.parse("34060D22-2DBB-44E5-AA72-243CE8326C2F"), 2),
            List.of());
    StoreFixture basic32 =
        new StoreFixture("mozilla/basic32.pdb", "basic32.pdb", sought.key().key(), sought);
    server.has("/" + basic32.packedPlace(), cabinet);
    try (Fetching fetching = new Fetching(folder, basic32, Fetching.PATIENT)) {
      fetching.finds(server.root());
    }
    assertEquals(
        List.of("/" + basic32.place(), "/" + basic32.packedPlace()),
        server.asked().stream().map(SymbolStoreServer.Asked::path).toList());
  }

  @Test
  void theFormOfTheLastFileIsRequestedFirst() throws IOException {
    server.has(PACKED, CRASH.bytes());
    try (Fetching fetching = fetching()) {
      fetching.finds(server.root());
      Files.delete(folder.resolve("s" + PLACE));
      fetching.finds(server.root());
    }
    assertEquals(
        List.of(PLACE, PACKED, PACKED),
        server.asked().stream().map(SymbolStoreServer.Asked::path).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "x-gzip", "deflate"})
  void contentEncodingIsDecoded(String encoding) throws IOException {
    byte[] packed =
        encoding.equals("deflate")
            ? SymbolStoreServer.deflate(CRASH.bytes())
            : SymbolStoreServer.gzip(CRASH.bytes());
    server.on(PLACE, SymbolStoreServer.body(packed, "Content-Encoding", encoding));
    finds();
  }

  @Test
  void evenACabinetMayBePackedForTheWay() throws IOException {
    // Any compressed file serves: its kind is found from its first bytes.
    server.on(
        PACKED,
        SymbolStoreServer.body(SymbolStoreServer.gzip(CRASH.bytes()), "Content-Encoding", "gzip"));
    finds();
  }

  @Test
  void undeclaredContentEncodingIsDecoded() throws IOException {
    server.has(PLACE, SymbolStoreServer.gzip(CRASH.bytes()));
    finds();
  }

  @Test
  void damagedPackingIsAMiss() throws IOException {
    server.on(PLACE, SymbolStoreServer.body(new byte[4000], "Content-Encoding", "gzip"));
    says("returned a damaged file", misses());
    server.on(PLACE, SymbolStoreServer.body(CRASH.bytes(), "Content-Encoding", "br"));
    says("unsupported Content-Encoding", misses());
  }

  @Test
  void aServerOfTwoTiersIsFoundOut() throws IOException {
    server.has("/index2.txt", new byte[0]).has("/cr" + PLACE, CRASH.bytes());
    finds();
    assertEquals(1, server.asked("/index2.txt"));
  }

  @Test
  void aPageForEverythingMakesNoTwoTiers() throws IOException {
    server.otherwise(SymbolStoreServer.body(PAGE, "Content-Type", "text/html"));
    says("is a web page, not a file (text/html)", misses());
    assertEquals(0, server.asked("/cr" + PLACE));
  }

  @Test
  void theSpellingsThatOccurAreTried() throws IOException {
    server.has(PLACE.toLowerCase(Locale.ROOT), CRASH.bytes());
    finds();
  }

  @Test
  void aServerThatHadAFileGetsFewerRequests() throws IOException {
    StoreFixture user32 = StoreFixture.user32();
    server.has(PLACE, CRASH.bytes());
    Fetching first = fetching();
    try (first) {
      first.finds(server.root());
      int before = server.asked().size();
      PdbRequest other =
          new PdbRequest(new StoreKey("Other.pdb", user32.key()), user32.sought().id(), List.of());
      first.searchFor(other, server.root());
      String key = "/" + user32.key() + "/";
      assertEquals(
          List.of(
              "/Other.pdb" + key + "Other.pdb",
              "/Other.pdb" + key + "Other.pd_",
              "/other.pdb" + key + "other.pdb",
              "/other.pdb" + key + "other.pd_",
              "/index2.txt"),
          server.asked().stream().skip(before).map(SymbolStoreServer.Asked::path).toList());
    }
  }

  @Test
  void namesArePercentEncoded() throws IOException {
    PdbRequest odd =
        new PdbRequest(
            new StoreKey("a b+c%20#é&?x".replace("?", "") + ".pdb", CRASH.key()),
            CRASH.sought().id(),
            List.of());
    StoreFixture named = new StoreFixture(CRASH.sample(), odd.key().name(), CRASH.key(), odd);
    String encoded = "a%20b+c%2520%23%C3%A9&x.pdb";
    server.has("/" + encoded + "/" + CRASH.key() + "/" + encoded, CRASH.bytes());
    try (Fetching fetching = new Fetching(folder, named, Fetching.PATIENT)) {
      fetching.finds(server.root());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 410, 403})
  void aServerThatHasNoneIsBelievedForADay(int status) throws IOException {
    server.otherwise(SymbolStoreServer.status(status));
    says("has no crash.pdb/" + CRASH.key() + "/crash.pdb (" + status + ")", misses());
    int first = server.asked().size();
    says("(asked 2026-03-14T08:26:53Z)", misses());
    assertEquals(first, server.asked().size());
    try (Fetching later =
        new Fetching(
            folder,
            CRASH,
            Fetching.PATIENT,
            () -> Fetching.NOW.plus(Duration.ofHours(24)),
            builder -> builder)) {
      later.misses(server.root());
    }
    assertEquals(2 * first, server.asked().size());
  }

  @Test
  void statesOfServersAreIndependent() throws IOException {
    misses();
    try (SymbolStoreServer other = new SymbolStoreServer().has(PLACE, CRASH.bytes());
        Fetching fetching = fetching()) {
      fetching.finds(server.root(), other.root());
    }
  }

  @Test
  void aServerThatWantsToKnowWhoAsksIsNotAskedOnAndNotBelieved() throws IOException {
    server.otherwise(SymbolStoreServer.status(401, "WWW-Authenticate", "Basic realm=\"x\""));
    says("requires authentication (401)", misses());
    assertEquals(1, server.asked().size());
    misses();
    assertEquals(2, server.asked().size());
  }

  @Test
  void credentialsOfAnAddressAreSentToItsServerOnlyAndNeverPrinted() throws IOException {
    URI secret = URI.create(server.root().toString().replace("//", "//me:p%40ss@"));
    try (Fetching fetching = fetching()) {
      String why = fetching.misses(secret);
      assertFalse(why.contains("p%40ss") || why.contains("p@ss"), why);
    }
    // base64 of me:p@ss
    assertEquals("Basic bWU6cEBzcw==", server.asked().getFirst().header("authorization"));
  }

  @Test
  void aPageInPlaceOfAFileIsRefusedAndNotRemembered() throws IOException {
    server.on(PLACE, SymbolStoreServer.body(PAGE, "Content-Type", "text/html; charset=utf-8"));
    says("is a web page, not a file (text/html; charset=utf-8)", misses());
    server.has(PLACE, CRASH.bytes());
    finds();
  }

  @Test
  void anEmptyFileIsAMiss() throws IOException {
    server.has(PLACE, new byte[0]);
    says("returned an empty file", misses());
  }

  @Test
  void aFileOfAnotherBuildIsRefusedByNameAndNotRequestedAgain() throws IOException {
    server.has(PLACE, StoreFixture.user32().bytes());
    String why = misses();
    says("the file from " + server.root() + " is a different build (", why);
    says("not " + CRASH.sought().id().guid(), why);
    says("is a different build", misses());
    assertEquals(1, server.asked().size());
  }

  @Test
  void aServerThatIsBusyIsAskedAgain() throws IOException {
    for (int status : new int[] {429, 503, 500, 502, 504, 408}) {
      server.on(
          PLACE,
          SymbolStoreServer.inTurn(
              SymbolStoreServer.status(status, "Retry-After", "0"),
              SymbolStoreServer.status(status),
              SymbolStoreServer.body(CRASH.bytes())));
      finds();
      Files.delete(folder.resolve("s" + PLACE));
    }
    assertEquals(18, server.asked(PLACE));
  }

  @Test
  void aServerThatStaysBusyIsNotBelievedToHaveNone() throws IOException {
    server.on(PLACE, SymbolStoreServer.status(503));
    says("returned an error (503)", misses());
    assertEquals(3, server.asked().size());
    server.has(PLACE, CRASH.bytes());
    finds();
  }

  @Test
  void theNextServerIsAskedWhenOneFails() throws IOException {
    server.otherwise(SymbolStoreServer.status(503));
    try (SymbolStoreServer other = new SymbolStoreServer().has(PLACE, CRASH.bytes());
        Fetching fetching = fetching()) {
      fetching.finds(server.root(), other.root());
    }
  }

  @Test
  void anUnreachableServerIsSkippedAfterOnce() throws IOException {
    URI gone = server.root();
    server.close();
    try (Fetching fetching = fetching()) {
      says("is not reachable: connection refused", fetching.misses(gone));
      says("skipped: it is not reachable", fetching.misses(gone));
      assertFalse(Files.exists(folder.resolve("s/crash.pdb")), "no empty folders");
    }
  }

  @Test
  void aPointerMayWithdrawAFile() throws IOException {
    server.has(POINTER, "MSG: no longer indexed".getBytes(StandardCharsets.US_ASCII));
    says("has withdrawn crash.pdb/" + CRASH.key() + "/crash.pdb: no longer indexed", misses());
  }

  @Test
  void aPointerMayLeadToAServer() throws IOException {
    try (SymbolStoreServer other = new SymbolStoreServer().has("/x/y.pdb", CRASH.bytes())) {
      String path = "PATH:" + other.root() + "/x/y.pdb";
      server.has(POINTER, path.getBytes(StandardCharsets.US_ASCII));
      finds();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PATH:\\\\evil\\share\\x.pdb", "/etc/passwd", "file:///etc/passwd", ""})
  void aPointerOfAServerNeverLeadsToFilesOfThisMachine(String pointer) throws IOException {
    server.has(POINTER, pointer.getBytes(StandardCharsets.US_ASCII));
    says("which a server may not refer to", misses());
  }

  @Test
  void aFileThatIsTooLargeIsRefused() throws IOException {
    server.has(PLACE, CRASH.bytes());
    FetchLimits usual = Fetching.PATIENT;
    FetchLimits small =
        new FetchLimits(
            usual.connect(),
            usual.firstByte(),
            usual.stall(),
            1,
            usual.backOff(),
            100_000,
            usual.remembered());
    try (Fetching fetching = new Fetching(folder, CRASH, small)) {
      says("larger than any file of its kind", fetching.misses(server.root()));
      server.on(
          PLACE,
          SymbolStoreServer.body(
              SymbolStoreServer.gzip(new byte[10_000_000]), "Content-Encoding", "gzip"));
      says("it decompresses to more than 100,000 bytes", fetching.misses(server.root()));
      assertEquals(List.of(), fetching.left());
    }
  }
}

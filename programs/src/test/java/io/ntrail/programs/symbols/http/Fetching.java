package io.ntrail.programs.symbols.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbRequest;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.StoreFixture;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.programs.symbols.SymbolStores;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Searches for a PDB on servers, with a store in a folder before them. */
final class Fetching implements AutoCloseable {
  /** Limits for a local server that answers. */
  static final FetchLimits PATIENT =
      new FetchLimits(
          Duration.ofSeconds(60),
          Duration.ofSeconds(60),
          Duration.ofSeconds(60),
          3,
          Duration.ofMillis(1),
          64 << 20,
          Duration.ofHours(24));

  /** Limits for a server that does not answer. */
  static final FetchLimits HASTY =
      new FetchLimits(
          Duration.ofSeconds(60),
          Duration.ofMillis(200),
          Duration.ofMillis(200),
          2,
          Duration.ofMillis(1),
          64 << 20,
          Duration.ofHours(24));

  /** Limits for a server that stalls. */
  static final FetchLimits UNTIL_STALLED =
      new FetchLimits(
          Duration.ofSeconds(60),
          Duration.ofSeconds(1),
          Duration.ofMillis(200),
          2,
          Duration.ofMillis(1),
          64 << 20,
          Duration.ofHours(24));

  static final Instant NOW = Instant.parse("2026-03-14T08:26:53Z");

  private final Path folder;
  private final HttpStoreClient fetch;
  private final StoreFixture pdb;

  Fetching(Path folder, StoreFixture pdb, FetchLimits limits) {
    this(folder, pdb, limits, InstantSource.fixed(NOW), builder -> builder);
  }

  Fetching(
      Path folder,
      StoreFixture pdb,
      FetchLimits limits,
      InstantSource clock,
      UnaryOperator<HttpClient.Builder> how) {
    this.folder = folder;
    this.pdb = pdb;
    this.fetch = new HttpStoreClient(limits, FetchListener.NONE, clock, how);
  }

  /** Result of a search with the reasons of the servers. */
  record Outcome(Optional<Path> file, List<Tried> tried) {
    String lastWhy() {
      return tried.getLast().why();
    }
  }

  /** Searches in the store {@code s}, then on servers. */
  Outcome search(URI... servers) {
    return searchFor(pdb.sought(), servers);
  }

  /** Searches for another PDB. */
  Outcome searchFor(PdbRequest sought, URI... servers) {
    StringBuilder path = new StringBuilder("srv*%T%/s");
    for (URI server : servers) {
      path.append('*').append(server);
    }
    Host host = new Host(false, Map.of("T", folder.toString())::get, folder.resolve("home"));
    SymbolStores.Result<OpenPdb> result =
        SymbolStores.of(SymbolPath.parse(path.toString(), host), host, fetch).find(sought);
    result.found().ifPresent(OpenPdb::close);
    assertEquals(List.of(), result.remarks());
    return new Outcome(result.found().map(OpenPdb::path), result.tried());
  }

  /** It is found on servers, and lies in the store as a whole and alone. */
  void finds(URI... servers) throws IOException {
    Outcome outcome = search(servers);
    assertEquals(
        Optional.of(folder.resolve("s").resolve(pdb.place())),
        outcome.file(),
        () -> outcome.tried().toString());
    assertArrayEquals(pdb.bytes(), Files.readAllBytes(outcome.file().orElseThrow()));
    assertEquals(List.of(pdb.place()), left());
  }

  /** It is not found; why the last server did not have it. */
  String misses(URI... servers) {
    Outcome outcome = search(servers);
    assertEquals(Optional.empty(), outcome.file());
    return outcome.lastWhy();
  }

  /** Returns the files in the store without the negative cache. */
  List<String> left() throws IOException {
    Path store = folder.resolve("s");
    return Files.exists(store)
        ? StoreFixture.files(store).stream().filter(file -> !file.endsWith(".missing")).toList()
        : List.of();
  }

  void stop() {
    fetch.stop();
  }

  @Override
  public void close() {
    fetch.close();
  }
}

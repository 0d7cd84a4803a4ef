package io.ntrail.programs.symbols.http;

import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.StoreFixture;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A program that fetches a PDB again and again, each time for another empty store. */
final class HttpRace {
  static final int ROUNDS = 20;

  private HttpRace() {}

  /**
   * Fetches it once.
   *
   * @return the file that was taken, what was said of servers and what was remarked
   */
  static String find(Path folder, String server, int round, HttpStoreClient fetch) {
    Host host = new Host(false, Map.of("T", folder.toString())::get, folder.resolve("home"));
    SymbolPath path = SymbolPath.parse("srv*%T%/l" + round + "*" + server, host);
    SymbolStores.Result<OpenPdb> result =
        SymbolStores.of(path, host, fetch).find(StoreFixture.crash().sought());
    result.found().ifPresent(OpenPdb::close);
    return result
            .found()
            .map(open -> folder.relativize(open.path()).toString())
            .orElseGet(() -> result.tried().toString())
        + result.remarks();
  }

  /**
   * Waits for the file {@code go}, then runs all rounds.
   *
   * @param args the folder and the address of the server
   */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    StoreFixture.crash();
    Await.until("the test creates the file go", () -> Files.exists(folder.resolve("go")));
    try (HttpStoreClient fetch = new HttpStoreClient(Fetching.PATIENT, FetchListener.NONE)) {
      for (int round = 0; round < ROUNDS; round++) {
        System.out.println(find(folder, args[1], round, fetch));
      }
    }
  }
}

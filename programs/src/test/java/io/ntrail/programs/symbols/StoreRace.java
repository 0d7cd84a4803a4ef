package io.ntrail.programs.symbols;

import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A program that finds a PDB in a store again and again, each time for another empty first store.
 */
final class StoreRace {
  static final int ROUNDS = 20;

  private StoreRace() {}

  /**
   * Finds it once.
   *
   * @return the file that was taken, and what was remarked
   */
  static String find(Path folder, int round) {
    Host host = new Host(false, Map.of("T", folder.toString())::get, folder.resolve("home"));
    SymbolPath path = SymbolPath.parse("srv*%T%/l" + round + "*%T%/m" + round + "*%T%/r", host);
    SymbolStores.Result<OpenPdb> result =
        SymbolStores.of(path, host).find(StoreFixture.crash().sought());
    result.found().ifPresent(OpenPdb::close);
    return result.found().map(open -> folder.relativize(open.path()).toString()).orElse("-")
        + result.remarks();
  }

  /**
   * Waits for the file {@code go}, then runs all rounds.
   *
   * @param args the folder
   */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    StoreFixture.crash();
    Await.until("the test creates the file go", () -> Files.exists(folder.resolve("go")));
    for (int round = 0; round < ROUNDS; round++) {
      System.out.println(find(folder, round));
    }
  }
}

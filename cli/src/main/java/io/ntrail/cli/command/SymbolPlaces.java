package io.ntrail.cli.command;

import io.ntrail.analysis.symbols.PdbSearch;
import io.ntrail.analysis.symbols.SymbolPath;
import io.ntrail.analysis.symbols.SymbolStores;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Where PDBs are looked for: in what {@code -y} names, files, folders or symbol paths, then in the
 * symbol path of the environment. Servers are not asked.
 */
final class SymbolPlaces {
  private SymbolPlaces() {}

  static OptionSpec option() {
    return Options.values(
        "PATH", "where PDBs lie: a PDB, a folder of them, or a symbol path", "-y", "--symbols");
  }

  /** What was asked for; what of it cannot be used is said. */
  static PdbSearch of(ParseResult parsed, Terminal terminal) {
    List<Path> places = new ArrayList<>();
    List<SymbolPath> paths = new ArrayList<>();
    SymbolPath.Host host = SymbolPath.Host.here();
    for (String text : Options.all(parsed, "-y")) {
      if (isSymbolPath(text)) {
        paths.add(SymbolPath.parse(text, host));
      } else {
        places.add(Options.path(text));
      }
    }
    SymbolPath environment = SymbolPath.ofEnvironment(host);
    paths.add(environment);
    SymbolPath whole =
        new SymbolPath(
            paths.stream().flatMap(path -> path.elements().stream()).toList(),
            paths.stream().flatMap(path -> path.problems().stream()).toList(),
            environment.defaultStore());
    whole.problems().forEach(why -> terminal.err().println("warning: symbol path: " + why));
    return new PdbSearch(places, SymbolStores.of(whole, host));
  }

  /** A name of a file may hold all that a symbol path does, but seldom does. */
  private static boolean isSymbolPath(String text) {
    return text.indexOf('*') >= 0 || text.indexOf(';') >= 0 || text.matches("(?i)https?://.*");
  }
}

package io.ntrail.cli.common;

import io.ntrail.analysis.etw.EtwProfile;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.ParseResult;

/** Names that come from servers: they never prevent an answer, and missing ones are reported. */
public final class SymbolDownloads {
  /** PDBs that are named in one line; more are counted. */
  private static final int MOST_NAMED = 3;

  /** More images are seldom needed to understand a profile. */
  private static final long MOST_HINTED = 20;

  /** Microsoft's public symbol server. */
  public static final String PUBLIC_SERVER = "https://msdl.microsoft.com/download/symbols";

  private SymbolDownloads() {}

  /**
   * Fetches PDBs, if servers are to be asked: a text waits some time for them, anything else until
   * all are there.
   *
   * @param images numbers of the files that matter, the hottest first; asked only if needed
   */
  public static void fetch(
      SymbolSearchPath places,
      RecordingSymbols symbols,
      Supplier<List<Integer>> images,
      boolean isText,
      ParseResult parsed) {
    if (places.asksServers()) {
      symbols.prepare(images.get(), SymbolSearchPath.wait(parsed, isText));
    }
  }

  /** Fetches the names of a profile, if servers are to be asked. */
  public static void fetch(
      EtwProfile profile, SymbolSearchPath places, boolean isText, ParseResult parsed) {
    if (places.asksServers()) {
      profile.fetchNames(SymbolSearchPath.wait(parsed, isText));
    }
  }

  /** Returns the symbols that an answer lacks; none are missed without a search path. */
  public static Losses.Symbols lacking(SymbolSearchPath places, RecordingSymbols symbols) {
    return new Losses.Symbols(symbols.gaps(), places.isConfigured() && symbols.lacksAny());
  }

  /** Warns of downloads that timed out, and suggests a symbol path if none was given. */
  public static void remarks(
      Path file,
      SymbolSearchPath places,
      RecordingSymbols symbols,
      boolean isText,
      ParseResult parsed,
      Terminal terminal) {
    List<String> late = symbols.late();
    // The answer comes before the remarks.
    terminal.out().flush();
    if (!late.isEmpty()) {
      String more =
          late.size() > MOST_NAMED
              ? " and " + Numbers.count(late.size() - MOST_NAMED) + " more"
              : "";
      terminal
          .err()
          .println(
              "warning: "
                  + String.join(", ", late.subList(0, Math.min(MOST_NAMED, late.size())))
                  + more
                  + " not downloaded in time: no function names for these modules (partial downloads are kept)");
      hint(parsed, terminal, "ntrail symbols " + ShellWords.file(file) + " --fetch");
    } else if (isText && !places.isConfigured() && symbols.lacksAny()) {
      long missing = Math.min(MOST_HINTED, symbols.hot() - symbols.found());
      hint(
          parsed,
          terminal,
          "ntrail symbols %s --hot %s --fetch --server %s"
              .formatted(ShellWords.file(file), Long.toString(missing), PUBLIC_SERVER));
    }
  }

  private static void hint(ParseResult parsed, Terminal terminal, String line) {
    if (!CommonOptions.has(parsed, "-q")) {
      terminal.err().println("try: " + line);
    }
  }
}

package io.ntrail.cli.common;

import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.programs.symbols.SymbolPath.Store;
import io.ntrail.programs.symbols.http.FetchListener;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reports once which server is queried, and keeps the progress of its downloads. */
public final class FetchProgress implements FetchListener {
  private record Coming(long bytes, long total) {}

  private final Terminal terminal;
  private final boolean quiet;
  private final Map<StoreKey, Coming> coming = new LinkedHashMap<>();
  private long arrived;

  FetchProgress(Terminal terminal, boolean quiet) {
    this.terminal = terminal;
    this.quiet = quiet;
  }

  @Override
  public void asks(URI server) {
    if (!quiet) {
      if (terminal.errIsTerminal()) {
        // There may be a line that is rewritten.
        terminal.eraseLine();
      }
      terminal.err().println("asking " + Store.Http.text(server) + " for symbols");
    }
  }

  @Override
  public synchronized void comes(StoreKey key, long bytes, long total) {
    coming.put(key, new Coming(bytes, total));
  }

  @Override
  public synchronized void ends(StoreKey key) {
    Coming last = coming.remove(key);
    arrived += last == null ? 0 : last.bytes;
  }

  /** Bytes that came from servers so far, those of files that turned out to be wrong included. */
  synchronized long bytes() {
    return arrived + coming.values().stream().mapToLong(Coming::bytes).sum();
  }

  /** Returns the state of the current download; empty if there is none. */
  public synchronized Optional<String> line() {
    if (coming.isEmpty()) {
      return Optional.empty();
    }
    String more = coming.size() == 1 ? "" : " and " + (coming.size() - 1) + " more";
    Map.Entry<StoreKey, Coming> first =
        coming.entrySet().stream()
            .filter(entry -> entry.getValue().bytes > 0)
            .findFirst()
            .orElseGet(() -> coming.entrySet().iterator().next());
    Coming file = first.getValue();
    if (file.bytes == 0) {
      return Optional.of("requesting " + first.getKey().name() + more);
    }
    String share =
        file.total <= 0
            ? Numbers.bytes(file.bytes)
            : "%d %%   %s of %s"
                .formatted(
                    100 * file.bytes / file.total,
                    Numbers.bytes(file.bytes),
                    Numbers.bytes(file.total));
    return Optional.of("fetching " + first.getKey().name() + "  " + share + more);
  }
}

package io.ntrail.programs.symbols;

import io.ntrail.programs.symbols.PdbSearch.Tried;
import java.util.List;
import java.util.Optional;

/**
 * The stores and folders of a symbol path, in which files are found by their identity, and which
 * keep what others have. May be used by several threads, and beside other programs.
 */
public final class SymbolStores {
  private final SymbolPath path;
  private final boolean windows;
  private final Optional<StoreClient> fetch;

  private SymbolStores(SymbolPath path, boolean windows, Optional<StoreClient> fetch) {
    this.path = path;
    this.windows = windows;
    this.fetch = fetch;
  }

  /** Returns the stores of a path without contacting servers: no byte goes to the network. */
  public static SymbolStores of(SymbolPath path, SymbolPath.Host host) {
    return new SymbolStores(path, host.windows(), Optional.empty());
  }

  /** The stores of a path with its servers. */
  public static SymbolStores of(SymbolPath path, SymbolPath.Host host, StoreClient fetch) {
    return new SymbolStores(path, host.windows(), Optional.of(fetch));
  }

  /** Returns the stores without their servers. */
  public SymbolStores offline() {
    return new SymbolStores(path, windows, Optional.empty());
  }

  /** No stores at all. */
  public static SymbolStores none() {
    SymbolPath.Host host = SymbolPath.Host.here();
    return of(new SymbolPath(List.of(), List.of(), host.home()), host);
  }

  /**
   * Result of a search.
   *
   * @param found to be closed by the caller; empty if there is none
   * @param tried the places that did not have it, in the order in which they were tried
   * @param remarks stores that should have kept a copy and do not, each in a sentence
   */
  public record Result<T>(Optional<T> found, List<Tried> tried, List<String> remarks) {
    /** Copies the lists. */
    public Result {
      tried = List.copyOf(tried);
      remarks = List.copyOf(remarks);
    }
  }

  /**
   * Finds a file, and copies it into the stores before the one that has it, as the symbol path
   * specifies.
   */
  public <T extends FileRequest.Opened> Result<T> find(FileRequest<T> sought) {
    return new StoreSearch<>(path, windows, fetch, sought).run();
  }
}

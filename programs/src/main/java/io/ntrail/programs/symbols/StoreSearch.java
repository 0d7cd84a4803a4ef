package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.programs.symbols.LocalStore.Entry;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.StoreWriter.Content;
import io.ntrail.programs.symbols.StoreWriter.Stored;
import io.ntrail.programs.symbols.SymbolPath.Cache;
import io.ntrail.programs.symbols.SymbolPath.Chain;
import io.ntrail.programs.symbols.SymbolPath.Element;
import io.ntrail.programs.symbols.SymbolPath.Folder;
import io.ntrail.programs.symbols.SymbolPath.Store;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One search for one file, from the first element of a symbol path to the one that has it. */
final class StoreSearch<T extends FileRequest.Opened> {
  /** The file, open. */
  private record Hit<T>(T opened, Path file, boolean packed) {}

  /**
   * Time after which another fetch of the same file that makes no progress is not waited for any
   * more.
   */
  private static final long PATIENCE_MILLIS = 120_000;

  private final SymbolPath path;
  private final boolean windows;
  private final Optional<StoreClient> fetch;
  private final FileRequest<T> sought;
  private final StoreWriter<T> writer;
  private final List<Tried> tried = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();

  /** The caches before the element that is searched; the last one first. */
  private final List<LocalStore> caches = new ArrayList<>();

  StoreSearch(
      SymbolPath path, boolean windows, Optional<StoreClient> fetch, FileRequest<T> sought) {
    this.path = path;
    this.windows = windows;
    this.fetch = fetch;
    this.sought = sought;
    this.writer = new StoreWriter<>(sought);
  }

  SymbolStores.Result<T> run() {
    for (Element element : path.elements()) {
      Optional<Hit<T>> hit =
          switch (element) {
            case Cache(Store.Local(Path folder)) -> {
              LocalStore store = local(folder);
              Optional<Hit<T>> cached = inStore(store);
              caches.addFirst(store);
              yield cached;
            }
            case Folder(Path archive) when ZipStore.isZip(archive) ->
                new ZipStore(archive)
                    .find(sought, tried)
                    .map(opened -> new Hit<>(opened, archive, false));
            case Folder(Path folder) -> inFolder(local(folder)).map(found -> kept(found, caches));
            case Chain(List<Store> stores) when stores.size() == 1 -> alone(stores.getFirst());
            case Chain(List<Store> stores) -> inChain(stores);
          };
      if (hit.isPresent()) {
        return new SymbolStores.Result<>(hit.map(Hit::opened), tried, remarks);
      }
    }
    return new SymbolStores.Result<>(Optional.empty(), tried, remarks);
  }

  private LocalStore local(Path folder) {
    return new LocalStore(folder, windows);
  }

  /** A chain of one store keeps nothing itself, unless what it has must be unpacked. */
  private Optional<Hit<T>> alone(Store store) {
    if (store instanceof Store.Http server) {
      return onServer(server, caches);
    }
    LocalStore only = local(((Store.Local) store).path());
    LocalStore unpacked = local(path.defaultStore());
    if (!caches.isEmpty() || unpacked.equals(only) || !hasOnlyPacked(only)) {
      return inStore(only).map(found -> kept(found, caches));
    }
    return inStore(unpacked).or(() -> inStore(only).map(found -> kept(found, List.of(unpacked))));
  }

  private boolean hasOnlyPacked(LocalStore store) {
    List<Entry> entries = store.entries(sought.key());
    return !entries.isEmpty()
        && entries.stream()
            .allMatch(entry -> entry instanceof Entry.Candidate(_, boolean packed) && packed);
  }

  private Optional<Hit<T>> inChain(List<Store> stores) {
    List<LocalStore> before = new ArrayList<>();
    for (Store store : stores) {
      Optional<Hit<T>> hit =
          switch (store) {
            case Store.Http server -> onServer(server, before.isEmpty() ? caches : before);
            case Store.Local(Path folder) ->
                inStore(local(folder)).map(found -> copied(found, before));
          };
      if (hit.isPresent()) {
        return hit;
      }
      if (store instanceof Store.Local(Path folder)) {
        before.addFirst(local(folder));
      }
    }
    return Optional.empty();
  }

  /** Into the stores of its chain; into the caches only if none of those takes it. */
  private Hit<T> copied(Hit<T> hit, List<LocalStore> before) {
    if (before.isEmpty()) {
      return hit;
    }
    Hit<T> copy = kept(hit, before);
    return copy.equals(hit) ? kept(hit, caches) : copy;
  }

  private Optional<Hit<T>> inStore(LocalStore store) {
    return isThere(store) ? first(store, store.entries(sought.key())) : Optional.empty();
  }

  private Optional<Hit<T>> inFolder(LocalStore folder) {
    return isThere(folder)
        ? first(folder, folder.plainEntries(sought.key(), sought.kinds()))
        : Optional.empty();
  }

  private boolean isThere(LocalStore store) {
    boolean isThere = Files.isDirectory(store.root());
    if (!isThere) {
      tried.add(new Tried(store.root().toString(), false, store.root() + " is not a folder"));
    }
    return isThere;
  }

  private Optional<Hit<T>> first(LocalStore store, List<Entry> entries) {
    for (Entry entry : entries) {
      String place = entry.place().toString();
      switch (entry) {
        case Entry.Candidate(Path file, boolean packed) -> {
          try {
            return Optional.of(new Hit<>(sought.open(file), file, packed));
          } catch (CannotGoOn e) {
            tried.add(Tried.refused(place, e));
          }
        }
        case Entry.Withdrawn(_, String message) -> {
          tried.add(new Tried(place, false, message));
          return Optional.empty();
        }
        case Entry.Unusable(_, String why) -> tried.add(new Tried(place, true, why));
      }
    }
    if (entries.isEmpty()) {
      String root = store.root().toString();
      tried.add(new Tried(root, false, root + " has no " + sought.key()));
    }
    return Optional.empty();
  }

  /**
   * Copies what was found from store to store; the last one gets it decompressed. A store that
   * cannot take it is skipped.
   *
   * @param stores the nearest one first
   * @return the last copy, and what was found is closed; what was found if there is no copy
   */
  private Hit<T> kept(Hit<T> hit, List<LocalStore> stores) {
    Path file = hit.file();
    boolean packed = hit.packed();
    for (LocalStore store : stores) {
      boolean last = store.equals(stores.getLast());
      Content content =
          packed && last ? StoreWriter.contentOf(file) : StoreWriter.copyOf(file, packed);
      try {
        Stored stored = writer.put(store, content);
        file = stored.file();
        packed = stored.packed();
      } catch (IOException | CannotGoOn e) {
        remarks.add(notKept(store, e));
      }
    }
    return file.equals(hit.file()) ? hit : reopened(hit, file, packed);
  }

  private Hit<T> reopened(Hit<T> hit, Path file, boolean packed) {
    try {
      Hit<T> copy = new Hit<>(sought.open(file), file, packed);
      hit.opened().close();
      return copy;
    } catch (CannotGoOn e) {
      remarks.add(e.message());
      return hit;
    }
  }

  private String notKept(LocalStore store, Exception e) {
    // The message of a file system's exception is its file; what happened is the reason, or its
    // class.
    String why =
        e instanceof FileSystemException failed
            ? (failed.getReason() == null ? e.getClass().getSimpleName() : failed.getReason())
            : e.getMessage();
    return "%s cannot keep a copy of %s: %s".formatted(store.root(), sought.key().name(), why);
  }

  /** Fetches into the nearest store that takes it, and copies it on from there. */
  private Optional<Hit<T>> onServer(Store.Http store, List<LocalStore> stores) {
    String place = store.text();
    if (fetch.isEmpty()) {
      String why = place + " skipped: downloads are not enabled";
      tried.add(new Tried(place, false, why));
      return Optional.empty();
    }
    for (int i = 0; i < stores.size(); i++) {
      LocalStore keeper = stores.get(i);
      try {
        Optional<Hit<T>> hit = fetched(store, fetch.get(), keeper);
        List<LocalStore> others = stores.subList(i + 1, stores.size());
        return hit.map(found -> others.isEmpty() ? last(found, keeper) : kept(found, others));
      } catch (IOException e) {
        remarks.add(notKept(keeper, e));
      }
    }
    tried.add(new Tried(place, false, "no folder can keep downloads from " + place));
    return Optional.empty();
  }

  /**
   * Fetches into a store.
   *
   * @throws IOException if the store does not take it
   */
  private Optional<Hit<T>> fetched(Store.Http server, StoreClient fetch, LocalStore keeper)
      throws IOException {
    Path folder = writer.folderOf(keeper);
    Optional<StoreClient.Answer.Missing> known =
        fetch.known(server.address(), sought.key(), folder);
    if (known.isPresent()) {
      return missing(server, known.get());
    }
    try {
      return claimed(server, fetch, keeper, folder);
    } finally {
      deleteIfEmpty(folder);
    }
  }

  private Optional<Hit<T>> claimed(
      Store.Http server, StoreClient fetch, LocalStore keeper, Path folder) throws IOException {
    try (PartialFile part = PartialFile.claim(folder, sought.key().name(), PATIENCE_MILLIS)) {
      Optional<Hit<T>> meanwhile = whatOthersFetched(keeper);
      if (meanwhile.isPresent()) {
        return meanwhile;
      }
      // Whoever held the file may also have learned that the server has none.
      Optional<StoreClient.Answer.Missing> known =
          fetch.known(server.address(), sought.key(), folder);
      if (known.isPresent()) {
        return missing(server, known.get());
      }
      return switch (fetch.fetch(server.address(), sought.key(), part)) {
        case StoreClient.Answer.Missing missing -> missing(server, missing);
        case StoreClient.Answer.Fetched(boolean packed) ->
            taken(server, fetch, keeper, part, packed);
      };
    }
  }

  /** Leaves nothing of what was made for a file that did not come. */
  private static void deleteIfEmpty(Path folder) {
    try {
      Files.delete(folder);
      Files.delete(folder.resolveSibling("").normalize());
    } catch (IOException e) {
      // There is something in it.
    }
  }

  private Optional<Hit<T>> taken(
      Store.Http server, StoreClient fetch, LocalStore keeper, PartialFile part, boolean packed)
      throws IOException {
    try {
      String origin = "the file from " + server.text();
      Stored stored = writer.take(keeper, part, packed, origin);
      return Optional.of(new Hit<>(sought.open(stored.file()), stored.file(), stored.packed()));
    } catch (CannotGoOn e) {
      if (Thread.currentThread().isInterrupted()) {
        // A stopped thread cannot read files: that is no evidence about this one.
        return missing(server, new StoreClient.Answer.Missing(false, e.message()));
      }
      fetch.refused(server.address(), sought.key(), part.folder(), e.message());
      return missing(server, new StoreClient.Answer.Missing(true, e.message()));
    }
  }

  private Optional<Hit<T>> missing(Store.Http server, StoreClient.Answer.Missing missing) {
    tried.add(new Tried(server.text(), missing.isThere(), missing.why()));
    return Optional.empty();
  }

  /** Returns what another thread or program put into a store since it was searched. */
  private Optional<Hit<T>> whatOthersFetched(LocalStore store) {
    for (Entry entry : store.entries(sought.key())) {
      if (entry instanceof Entry.Candidate(Path file, boolean packed)) {
        try {
          return Optional.of(new Hit<>(sought.open(file), file, packed));
        } catch (CannotGoOn e) {
          // It was there before, and was tried then.
        }
      }
    }
    return Optional.empty();
  }

  /** The last store has files unpacked only. */
  private Hit<T> last(Hit<T> hit, LocalStore store) {
    if (!hit.packed()) {
      return hit;
    }
    Hit<T> unpacked = kept(hit, List.of(store));
    if (!unpacked.equals(hit)) {
      try {
        Files.deleteIfExists(hit.file());
      } catch (IOException e) {
        remarks.add(hit.file() + " could not be deleted: " + e.getMessage());
      }
    }
    return unpacked;
  }
}

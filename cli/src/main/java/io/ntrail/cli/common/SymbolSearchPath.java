package io.ntrail.cli.common;

import io.ntrail.cli.text.Terminal;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolPath.Chain;
import io.ntrail.programs.symbols.SymbolPath.Element;
import io.ntrail.programs.symbols.SymbolPath.Store;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.programs.symbols.ZipStore;
import io.ntrail.programs.symbols.http.FetchLimits;
import io.ntrail.programs.symbols.http.HttpStoreClient;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Search path of PDBs: what {@code -y} names, files, folders or symbol paths, then in the symbol
 * path of the environment, then on the servers of {@code --server}, at last in earlier downloads
 * from such servers. Nothing goes to the network unless one of them names a server.
 */
public final class SymbolSearchPath implements AutoCloseable {
  /** A user who names a file may know better than a server said a while ago. */
  private static final Duration ASKED_FOR = Duration.ofMinutes(5);

  private static final long DEFAULT_WAIT = 30;
  private static final String SERVER = "--server";
  private static final String WAIT = "--symbols-wait";
  private static final String IMAGE_PATH = "--image-path";

  private final PdbSearch search;
  private final SymbolStores images;
  private final SymbolPath path;
  private final FetchProgress progress;
  private final Optional<HttpStoreClient> fetch;
  private final boolean isConfigured;

  private SymbolSearchPath(
      PdbSearch search,
      SymbolStores images,
      SymbolPath path,
      FetchProgress progress,
      Optional<HttpStoreClient> fetch,
      boolean isConfigured) {
    this.search = search;
    this.images = images;
    this.path = path;
    this.progress = progress;
    this.fetch = fetch;
    this.isConfigured = isConfigured;
  }

  /** {@code -y} alone, for commands that ask no server. */
  public static OptionSpec option() {
    return CommonOptions.values(
        "PATH", "symbol search path: a PDB, a folder of PDBs, or a symbol path", "-y", "--symbols");
  }

  /**
   * {@code --image-path}: folders of images that a recording tells of.
   *
   * @param help what it is for in a command
   */
  public static OptionSpec imageFolders(String help) {
    return CommonOptions.values("FOLDER", help, IMAGE_PATH);
  }

  /** Returns whether {@code --image-path} names any. */
  public static boolean hasImageFolders(ParseResult parsed) {
    return CommonOptions.has(parsed, IMAGE_PATH);
  }

  /** Returns the folders of {@code --image-path} as places to look in. */
  public static SymbolStores imageFolders(ParseResult parsed) {
    List<Element> folders =
        CommonOptions.all(parsed, IMAGE_PATH).stream()
            .<Element>map(folder -> new SymbolPath.Folder(CommonOptions.path(folder)))
            .toList();
    SymbolPath.Host host = SymbolPath.Host.here();
    return SymbolStores.of(new SymbolPath(folders, List.of(), host.home()), host);
  }

  /** {@code -y} and {@code --server}. */
  public static void options(CommandSpec spec) {
    spec.addOption(option());
    spec.addOption(
        CommonOptions.values(
            "URL", "a symbol server to query for PDBs not found elsewhere", SERVER));
  }

  /** Adds the options of the search path, and how long text output waits for servers. */
  public static void optionsWithWait(CommandSpec spec) {
    options(spec);
    spec.addOption(
        CommonOptions.value(
            "SECONDS",
            "seconds that text output waits for symbol servers (default: 30; other formats wait for"
                + " all); 0: no queries",
            WAIT));
  }

  /**
   * Returns the search path that was requested, without its servers; warns of what cannot be used.
   */
  public static PdbSearch offline(ParseResult parsed, Terminal terminal) {
    try (SymbolSearchPath places = of(parsed, terminal)) {
      return places.search.offline();
    }
  }

  /** Returns the search path that was requested; warns of what cannot be used. */
  public static SymbolSearchPath of(ParseResult parsed, Terminal terminal) {
    return of(List.of(), parsed, terminal);
  }

  /**
   * Returns the search path that was requested, and in front of it what came with recordings: PDBs
   * in their zips, and what Windows Performance Recorder puts beside them.
   */
  public static SymbolSearchPath of(List<Path> recordings, ParseResult parsed, Terminal terminal) {
    return of(recordings, List.of(), parsed, terminal);
  }

  /**
   * Returns the search path that was requested, and in front of it the folders of a running
   * program's modules: linkers put PDBs beside images.
   */
  public static SymbolSearchPath ofFolders(
      List<Path> folders, ParseResult parsed, Terminal terminal) {
    return of(List.of(), folders, parsed, terminal);
  }

  private static SymbolSearchPath of(
      List<Path> recordings, List<Path> folders, ParseResult parsed, Terminal terminal) {
    // Who sent a recording may have put the PDBs beside it.
    List<Path> places = new ArrayList<>(recordings.stream().filter(ZipStore::isZip).toList());
    List<SymbolPath> paths = new ArrayList<>();
    SymbolPath.Host host = SymbolPath.Host.here();
    for (String text : CommonOptions.all(parsed, "-y")) {
      if (isSymbolPath(text)) {
        paths.add(SymbolPath.parse(text, host));
      } else {
        places.add(CommonOptions.path(text));
      }
    }
    SymbolPath environment = SymbolPath.ofEnvironment(host);
    paths.add(environment);
    List<Element> elements =
        new ArrayList<>(
            recordings.stream()
                .map(file -> file.resolveSibling(file.getFileName() + ".NGENPDB"))
                .filter(Files::isDirectory)
                .<Element>map(SymbolPath.Folder::new)
                .toList());
    folders.forEach(folder -> elements.add(new SymbolPath.Folder(folder)));
    paths.forEach(path -> elements.addAll(path.elements()));
    List<String> servers = knows(parsed, SERVER) ? CommonOptions.all(parsed, SERVER) : List.of();
    boolean isConfigured =
        paths.stream().anyMatch(path -> !path.elements().isEmpty())
            || CommonOptions.has(parsed, "-y")
            || !servers.isEmpty();
    Optional<Store.Local> cache = cache(host);
    for (String server : servers) {
      List<Store> chain = new ArrayList<>();
      chain.add(cache.orElseGet(() -> new Store.Local(environment.defaultStore())));
      chain.add(server(server));
      elements.add(new Chain(chain));
    }
    if (servers.isEmpty()) {
      cache
          .filter(store -> Files.isDirectory(store.path()))
          .ifPresent(store -> elements.add(new Chain(List.of(store))));
    }
    SymbolPath whole =
        new SymbolPath(
            elements,
            paths.stream().flatMap(path -> path.problems().stream()).toList(),
            environment.defaultStore());
    whole.problems().forEach(why -> terminal.err().println("warning: symbol path: " + why));
    FetchProgress progress = new FetchProgress(terminal, CommonOptions.has(parsed, "-q"));
    Optional<HttpStoreClient> fetch =
        hasServers(whole) && asksServers(parsed)
            ? Optional.of(new HttpStoreClient(limits(parsed), progress))
            : Optional.empty();
    SymbolStores stores =
        fetch
            .map(asked -> SymbolStores.of(whole, host, asked))
            .orElseGet(() -> SymbolStores.of(whole, host));
    return new SymbolSearchPath(
        new PdbSearch(places, stores),
        images(places, whole, host, fetch),
        whole,
        progress,
        fetch,
        isConfigured);
  }

  /** Images are searched in their own path, else in that of PDBs. */
  private static SymbolStores images(
      List<Path> places, SymbolPath path, SymbolPath.Host host, Optional<HttpStoreClient> fetch) {
    List<Element> elements = new ArrayList<>();
    places.stream().map(SymbolPath.Folder::new).forEach(elements::add);
    elements.addAll(SymbolPath.ofImages(host).elements());
    elements.addAll(path.elements());
    SymbolPath whole = new SymbolPath(elements, List.of(), path.defaultStore());
    return fetch
        .map(asked -> SymbolStores.of(whole, host, asked))
        .orElseGet(() -> SymbolStores.of(whole, host));
  }

  private static boolean knows(ParseResult parsed, String option) {
    return parsed.commandSpec().findOption(option) != null;
  }

  private static boolean hasServers(SymbolPath path) {
    return !servers(path).isEmpty();
  }

  private static boolean asksServers(ParseResult parsed) {
    return knows(parsed, SERVER)
        && (!knows(parsed, "--fetch") || CommonOptions.has(parsed, "--fetch"))
        && (!knows(parsed, WAIT) || CommonOptions.number(parsed, WAIT, DEFAULT_WAIT) > 0);
  }

  private static FetchLimits limits(ParseResult parsed) {
    boolean isAskedFor = knows(parsed, "--fetch") && CommonOptions.has(parsed, "--fetch");
    return isAskedFor ? FetchLimits.USUAL.remembering(ASKED_FOR) : FetchLimits.USUAL;
  }

  /** The servers of a symbol path, as messages name them. */
  public static List<String> servers(SymbolPath path) {
    return path.elements().stream()
        .filter(Chain.class::isInstance)
        .flatMap(chain -> ((Chain) chain).stores().stream())
        .filter(Store.Http.class::isInstance)
        .map(server -> ((Store.Http) server).text())
        .distinct()
        .toList();
  }

  private static Store.Http server(String text) {
    try {
      URI address = new URI(text);
      if (address.getHost() != null && String.valueOf(address.getScheme()).matches("(?i)https?")) {
        return new Store.Http(address);
      }
    } catch (URISyntaxException e) {
      // Said below.
    }
    throw new UsageError(
        "--server takes the address of a server, not " + text, "--server https://SERVER/symbols");
  }

  /**
   * The folder that keeps what {@code --server} gave: that of caches of this user on this system.
   * Empty if the system does not say.
   */
  public static Optional<Store.Local> cache(SymbolPath.Host host) {
    String named = System.getenv(host.windows() ? "LOCALAPPDATA" : "XDG_CACHE_HOME");
    try {
      Path folder =
          named == null || named.isBlank() ? host.home().resolve(".cache") : Path.of(named);
      return Optional.of(new Store.Local(folder.resolve("ntrail").resolve("symbols")))
          .filter(store -> store.path().isAbsolute());
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** Returns the symbol stores on this machine that the words and the environment name. */
  static List<Path> localStores(ParseResult parsed) {
    if (!knows(parsed, "-y")) {
      return List.of();
    }
    SymbolPath.Host host = SymbolPath.Host.here();
    List<Element> elements = new ArrayList<>(SymbolPath.ofEnvironment(host).elements());
    CommonOptions.all(parsed, "-y").stream()
        .filter(SymbolSearchPath::isSymbolPath)
        .forEach(text -> elements.addAll(SymbolPath.parse(text, host).elements()));
    cache(host).ifPresent(store -> elements.add(new Chain(List.of(store))));
    return elements.stream()
        .filter(Chain.class::isInstance)
        .flatMap(chain -> ((Chain) chain).stores().stream())
        .filter(Store.Local.class::isInstance)
        .map(store -> ((Store.Local) store).path())
        .filter(Files::isDirectory)
        .distinct()
        .toList();
  }

  /** Warns of places of {@code -y} that do not exist. */
  public static void warnOfMissing(ParseResult parsed, Terminal terminal) {
    if (knows(parsed, "-y")) {
      missing(parsed, SymbolPath.Host.here())
          .forEach(
              place -> terminal.err().println("warning: -y " + place + ": no such file or folder"));
    }
  }

  /** Returns the places of {@code -y} that do not exist, but for caches that would be made. */
  private static List<String> missing(ParseResult parsed, SymbolPath.Host host) {
    List<String> missing = new ArrayList<>();
    for (String text : CommonOptions.all(parsed, "-y")) {
      if (!isSymbolPath(text)) {
        if (!Files.exists(CommonOptions.path(text))) {
          missing.add(text);
        }
        continue;
      }
      for (Element element : SymbolPath.parse(text, host).elements()) {
        @Nullable Path place =
            switch (element) {
              case SymbolPath.Folder(Path path) -> path;
              case Chain(List<Store> stores)
                  when stores.size() == 1 && stores.getFirst() instanceof Store.Local local ->
                  local.path();
              default -> null;
            };
        if (place != null && !Files.exists(place)) {
          missing.add(place.toString());
        }
      }
    }
    return missing.stream().distinct().toList();
  }

  /** Returns whether a word of {@code -y} names a file or a folder, and not a symbol path. */
  public static boolean isPlace(String text) {
    return !isSymbolPath(text);
  }

  /** A name of a file may hold all that a symbol path does, but seldom does. */
  private static boolean isSymbolPath(String text) {
    return text.indexOf('*') >= 0 || text.indexOf(';') >= 0 || text.matches("(?i)https?://.*");
  }

  /** Looks there. */
  public PdbSearch search() {
    return search;
  }

  /** Looks there and in {@code _NT_EXECUTABLE_IMAGE_PATH} for images. */
  public SymbolStores images() {
    return images;
  }

  /** Returns whether servers are queried. */
  public boolean asksServers() {
    return fetch.isPresent();
  }

  /** The servers that are named, also if they are not asked. */
  public List<String> servers() {
    return servers(path);
  }

  /** Returns whether a search path is configured. */
  boolean isConfigured() {
    return isConfigured;
  }

  /** Returns the downloads in progress. */
  public FetchProgress progress() {
    return progress;
  }

  /** Ends downloads, and begins no more: answers have the names that are there. */
  public void stop() {
    fetch.ifPresent(HttpStoreClient::stop);
  }

  /**
   * Returns how long an answer waits for servers; null: to the end.
   *
   * @param isText whether people read it
   */
  static @Nullable Duration wait(ParseResult parsed, boolean isText) {
    return isText || CommonOptions.has(parsed, WAIT)
        ? Duration.ofSeconds(Math.min(CommonOptions.number(parsed, WAIT, DEFAULT_WAIT), 1_000_000))
        : null;
  }

  @Override
  public void close() {
    fetch.ifPresent(HttpStoreClient::close);
  }
}

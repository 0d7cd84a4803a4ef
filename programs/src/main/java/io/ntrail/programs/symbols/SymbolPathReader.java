package io.ntrail.programs.symbols;

import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.programs.symbols.SymbolPath.Cache;
import io.ntrail.programs.symbols.SymbolPath.Chain;
import io.ntrail.programs.symbols.SymbolPath.Element;
import io.ntrail.programs.symbols.SymbolPath.Folder;
import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.programs.symbols.SymbolPath.Store;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the text of a symbol path, and collects what it cannot use. */
final class SymbolPathReader {
  private static final String SYMBOL_SERVER = "symsrv.dll";
  private static final Pattern VARIABLE = Pattern.compile("%([^%;*]+)%");
  private static final Pattern ADDRESS = Pattern.compile("(?s)([A-Za-z][A-Za-z0-9+.-]+)://.*");

  private final Host host;
  private final Path defaultStore;
  private final List<Element> elements = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  SymbolPathReader(Host host) {
    this.host = host;
    this.defaultStore = defaultStore();
  }

  private Path defaultStore() {
    String named = host.variable("DBGHELP_HOMEDIR");
    if (named != null && !named.isBlank()) {
      LocalPath home = LocalPath.of(named.strip(), host.windows());
      if (home.path() != null) {
        return home.path().resolve("sym");
      }
      problems.add("DBGHELP_HOMEDIR: " + home.why());
    }
    return host.home().resolve("sym");
  }

  SymbolPath read(String text) {
    for (String element : expand(text).split(";", -1)) {
      if (!element.isBlank()) {
        element(element.strip());
      }
    }
    return new SymbolPath(elements, problems, defaultStore);
  }

  /**
   * Expands variables like Windows: an undefined name stays as it is, replacements are not expanded
   * again.
   */
  private String expand(String text) {
    StringBuilder out = new StringBuilder();
    Matcher matcher = VARIABLE.matcher(text);
    int from = 0;
    while (matcher.find(from)) {
      String value = host.variable(matcher.group(1));
      out.append(text, from, matcher.start());
      if (value != null) {
        out.append(value);
        from = matcher.end();
      } else {
        // The second sign may be the first one of another name.
        out.append(text, matcher.start(), matcher.end() - 1);
        from = matcher.end() - 1;
      }
    }
    return out.append(text, from, text.length()).toString();
  }

  private void element(String text) {
    List<String> parts = Arrays.stream(text.split("\\*", -1)).map(String::strip).toList();
    String keyword = parts.getFirst();
    if (parts.size() == 1) {
      plain(text);
    } else if (keyword.equalsIgnoreCase("srv")) {
      chain(parts.subList(1, parts.size()));
    } else if (keyword.equalsIgnoreCase("symsrv")) {
      server(text, parts);
    } else if (keyword.equalsIgnoreCase("cache")) {
      cache(text, parts);
    } else {
      problems.add(
          "unknown symbol path element %s: %s* is not srv*, symsrv* or cache*"
              .formatted(LocalPath.printable(text), LocalPath.printable(keyword)));
    }
  }

  private void plain(String text) {
    if (ADDRESS.matcher(text).matches()) {
      chain(List.of(text));
    } else {
      path(text).map(Folder::new).ifPresent(elements::add);
    }
  }

  private void server(String text, List<String> parts) {
    String library = parts.get(1);
    if (WindowsPath.lastPart(library).equalsIgnoreCase(SYMBOL_SERVER)) {
      List<String> stores = parts.subList(2, parts.size());
      chain(stores.isEmpty() ? List.of("") : stores);
    } else if (library.isEmpty()) {
      problems.add(LocalPath.printable(text) + " has no DLL after symsrv*");
    } else {
      problems.add(
          "%s needs another symbol server DLL, %s; only symsrv.dll is supported"
              .formatted(LocalPath.printable(text), LocalPath.printable(library)));
    }
  }

  private void cache(String text, List<String> parts) {
    if (parts.size() > 2) {
      problems.add(LocalPath.printable(text) + " has more than one folder after cache*");
      return;
    }
    store(parts.get(1))
        .ifPresent(store -> {
          if (store instanceof Store.Local local) {
            elements.add(new Cache(local));
          } else {
            problems.add(LocalPath.printable(text) + " would cache files on a server");
          }
        });
  }

  private void chain(List<String> texts) {
    List<Store> stores = new ArrayList<>();
    for (String text : texts) {
      store(text).filter(store -> !stores.contains(store)).ifPresent(stores::add);
    }
    if (stores.isEmpty()) {
      return;
    }
    // What comes from a server needs a folder: a cache before it, else the default store.
    boolean onlyServers = stores.stream().allMatch(store -> store instanceof Store.Http);
    if (onlyServers && elements.stream().noneMatch(element -> element instanceof Cache)) {
      stores.addFirst(new Store.Local(defaultStore));
    }
    elements.add(new Chain(stores));
  }

  private Optional<Store> store(String text) {
    if (text.isEmpty()) {
      return Optional.of(new Store.Local(defaultStore));
    }
    Matcher address = ADDRESS.matcher(text);
    return address.matches()
        ? address(text, address.group(1)).map(Store.Http::new)
        : path(text).map(Store.Local::new);
  }

  private Optional<URI> address(String text, String scheme) {
    if (!scheme.equalsIgnoreCase("http") && !scheme.equalsIgnoreCase("https")) {
      problems.add(
          LocalPath.printable(text) + " has an unsupported URL scheme (only http and https)");
      return Optional.empty();
    }
    try {
      URI address = new URI(text);
      if (address.getHost() != null) {
        return Optional.of(address);
      }
    } catch (URISyntaxException e) {
      // Said below.
    }
    problems.add(LocalPath.printable(text) + " is not a server URL");
    return Optional.empty();
  }

  private Optional<Path> path(String text) {
    LocalPath read = LocalPath.of(text, host.windows());
    if (read.path() == null) {
      problems.add(read.why());
    }
    return Optional.ofNullable(read.path());
  }
}

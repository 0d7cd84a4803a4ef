package io.ntrail.programs.symbols;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A symbol path, in the syntax of {@code _NT_SYMBOL_PATH}, which every program that deals with
 * symbols of Windows reads:
 *
 * <pre>
 *   cache*C:\cache;srv*C:\sym*\\server\share*https://server/symbols;D:\build
 * </pre>
 *
 * @param elements in the order in which they are searched
 * @param problems parts of the text that cannot be used, each in a sentence
 * @param defaultStore the folder that stands for an unnamed store
 */
public record SymbolPath(List<Element> elements, List<String> problems, Path defaultStore) {
  /** Copies the lists. */
  public SymbolPath {
    elements = List.copyOf(elements);
    problems = List.copyOf(problems);
  }

  /** One part of a symbol path. */
  public sealed interface Element {}

  /** {@code cache*}: keeps what is found by the elements after it, and is searched before them. */
  public record Cache(Store.Local store) implements Element {}

  /**
   * {@code srv*}: stores that are searched from the first to the last; what is found in one is
   * copied into those before it.
   *
   * @param stores at least one
   */
  public record Chain(List<Store> stores) implements Element {
    /** Copies the list. */
    public Chain {
      stores = List.copyOf(stores);
      if (stores.isEmpty()) {
        throw new IllegalArgumentException("a chain without stores");
      }
    }
  }

  /** A plain folder of files. It is never written to. */
  public record Folder(Path path) implements Element {}

  /** A place with files by their keys. */
  public sealed interface Store {
    /** A folder of this machine or of a share. */
    record Local(Path path) implements Store {}

    /**
     * A server.
     *
     * @param address {@code http} or {@code https}, perhaps with a name and a password
     */
    record Http(URI address) implements Store {
      /** The address for messages: without what only the server and its user should know. */
      public String text() {
        return text(address);
      }

      /** Any address without its user, query and fragment. */
      public static String text(URI address) {
        String port = address.getPort() < 0 ? "" : ":" + address.getPort();
        return LocalPath.printable(
            "%s://%s%s%s"
                .formatted(
                    address.getScheme(),
                    address.getHost(),
                    port,
                    address.getRawPath() == null ? "" : address.getRawPath()));
      }
    }
  }

  /**
   * Environment of a symbol path.
   *
   * @param windows whether paths are those of Windows
   * @param variables the environment: null for a name that it does not have
   * @param home the user's folder
   */
  public record Host(boolean windows, UnaryOperator<@Nullable String> variables, Path home) {
    /** The machine that this program runs on. */
    public static Host here() {
      return new Host(
          System.getProperty("os.name", "").startsWith("Windows"),
          name -> name == null ? null : System.getenv(name),
          Path.of(System.getProperty("user.home", "")));
    }

    @Nullable String variable(String name) {
      return variables.apply(name);
    }
  }

  /** Reads a symbol path; there is nothing that it throws for. */
  public static SymbolPath parse(String text, Host host) {
    return new SymbolPathReader(host).read(text);
  }

  /** Returns the path for images: {@code _NT_EXECUTABLE_IMAGE_PATH}. */
  public static SymbolPath ofImages(Host host) {
    String text = host.variable("_NT_EXECUTABLE_IMAGE_PATH");
    return parse(text == null ? "" : text, host);
  }

  /**
   * Returns the path of the environment: {@code _NT_SYMBOL_PATH}, then {@code _NT_ALT_SYMBOL_PATH}.
   */
  public static SymbolPath ofEnvironment(Host host) {
    return parse(
        Stream.of("_NT_SYMBOL_PATH", "_NT_ALT_SYMBOL_PATH")
            .map(host::variable)
            .filter(text -> text != null)
            .collect(Collectors.joining(";")),
        host);
  }
}

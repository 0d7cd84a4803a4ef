package io.ntrail.formats.identity;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Names of well-known keys, from a resource that is read at the first question: a line each, key,
 * tab, name; comments begin with {@code #}. May be used by several threads.
 *
 * @param <K> numbers or identifiers
 */
public final class NameTable<K> {
  private final Class<?> beside;
  private final String resource;
  private final Function<String, K> key;
  private volatile @Nullable Map<K, String> names;

  /**
   * Creates a table of which nothing is read yet.
   *
   * @param beside a class of the package that has the resource
   * @param key reads a key
   */
  public NameTable(Class<?> beside, String resource, Function<String, K> key) {
    this.beside = beside;
    this.resource = resource;
    this.key = key;
  }

  /** Returns the name of a key; null if it is not known. */
  public @Nullable String name(K wanted) {
    Map<K, String> known = names;
    if (known == null) {
      // Threads that ask at the same time may each read it: they get the same.
      known = read();
      names = known;
    }
    return known.get(wanted);
  }

  private Map<K, String> read() {
    Map<K, String> read = new HashMap<>();
    try (InputStream in = beside.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + resource);
      }
      BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      String line;
      while ((line = lines.readLine()) != null) {
        if (!line.startsWith("#")) {
          int tab = line.indexOf('\t');
          read.put(key.apply(line.substring(0, tab)), line.substring(tab + 1));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return read;
  }
}

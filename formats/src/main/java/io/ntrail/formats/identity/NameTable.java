package io.ntrail.formats.identity;

import io.ntrail.formats.bytes.ResourceFile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Names of well-known keys, from a resource that is read at the first question: a line each, key,
 * tab, name, in the order of the keys; comments before them begin with {@code #}. May be used by
 * several threads.
 *
 * @param <K> numbers or identifiers
 */
public final class NameTable<K> {
  /** Questions that are answered by a search in the text: most recordings ask for few names. */
  private static final int FEW = 200;

  private final Class<?> beside;
  private final String resource;
  private final Function<String, K> key;
  private final Comparator<K> order;
  private final AtomicInteger questions = new AtomicInteger();
  private volatile @Nullable String text;
  private volatile @Nullable Map<K, String> names;

  /**
   * Creates a table of which nothing is read yet.
   *
   * @param beside a class of the package that has the resource
   * @param key reads a key
   * @param order of the keys in the resource
   */
  public NameTable(Class<?> beside, String resource, Function<String, K> key, Comparator<K> order) {
    this.beside = beside;
    this.resource = resource;
    this.key = key;
    this.order = order;
  }

  /** Returns the name of a key; null if it is not known. */
  public @Nullable String name(K wanted) {
    Map<K, String> known = names;
    if (known == null) {
      // Threads that ask at the same time may each read it: they get the same.
      String lines = text;
      if (lines == null) {
        lines = ResourceFile.text(beside, resource);
        text = lines;
      }
      if (questions.incrementAndGet() <= FEW) {
        return find(lines, wanted);
      }
      known = names(lines);
      names = known;
      text = null;
    }
    return known.get(wanted);
  }

  private @Nullable String find(String lines, K wanted) {
    int low = first(lines);
    int high = lines.length();
    while (low < high) {
      int from = lines.lastIndexOf('\n', (low + high) / 2 - 1) + 1;
      int tab = lines.indexOf('\t', from);
      int end = end(lines, from);
      int difference = order.compare(wanted, key.apply(lines.substring(from, tab)));
      if (difference == 0) {
        return lines.substring(tab + 1, end);
      }
      if (difference < 0) {
        high = from;
      } else {
        low = end + 1;
      }
    }
    return null;
  }

  private Map<K, String> names(String lines) {
    Map<K, String> all = new HashMap<>();
    for (int from = first(lines); from < lines.length(); from = end(lines, from) + 1) {
      int tab = lines.indexOf('\t', from);
      all.put(key.apply(lines.substring(from, tab)), lines.substring(tab + 1, end(lines, from)));
    }
    return all;
  }

  /** Returns the start of the first line that is no comment. */
  private static int first(String lines) {
    int from = 0;
    while (lines.startsWith("#", from)) {
      from = end(lines, from) + 1;
    }
    return from;
  }

  private static int end(String lines, int from) {
    int newline = lines.indexOf('\n', from);
    return newline < 0 ? lines.length() : newline;
  }
}

package io.ntrail.analysis.symbols;

import java.net.URI;
import java.nio.file.Path;

/** Gets files from stores on servers. May be asked by several threads. */
@FunctionalInterface
public interface StoreFetch {
  /** What a server said. */
  sealed interface Answer {
    /**
     * The whole file is where it was to be written.
     *
     * @param packed whether it is the compressed form, {@code foo.pd_}
     */
    record Fetched(boolean packed) implements Answer {}

    /**
     * There is none.
     *
     * @param isThere whether the server has a file, which cannot be used
     * @param why in a sentence
     */
    record Missing(boolean isThere, String why) implements Answer {}
  }

  /**
   * Asks a server for a file. What it sends is checked by who asked.
   *
   * @param server the root of the store
   * @param part a file that does not exist, in a folder that does; what is written there is deleted
   *     if the answer is {@link Answer.Missing}
   */
  Answer fetch(URI server, StoreKey key, Path part);
}

package io.ntrail.programs.symbols;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Gets files from stores on servers. May be used by several threads. */
@FunctionalInterface
public interface StoreClient {
  /** Answer of a server. */
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
   * Requests a file from a server. The caller checks what it sends.
   *
   * @param server the root of the store
   * @param part where the file is to be written; it may hold what an earlier fetch has left there
   */
  Answer fetch(URI server, StoreKey key, PartialFile part);

  /**
   * Returns an earlier answer of a server, if it need not be asked again.
   *
   * @param folder of the key in the store that would keep the file; it need not be there
   */
  default Optional<Answer.Missing> known(URI server, StoreKey key, Path folder) {
    return Optional.empty();
  }

  /**
   * Called when the file that a server sent was not the requested one.
   *
   * @param folder of the key in the store that would have kept the file
   * @param why in a sentence
   */
  default void refused(URI server, StoreKey key, Path folder, String why) {}
}

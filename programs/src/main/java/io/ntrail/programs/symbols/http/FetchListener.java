package io.ntrail.programs.symbols.http;

import io.ntrail.programs.symbols.StoreKey;
import java.net.URI;

/** Listener to the progress of fetches. Called by several threads. */
public interface FetchListener {
  /** Does nothing. */
  FetchListener NONE =
      new FetchListener() {
        @Override
        public void asks(URI server) {}

        @Override
        public void comes(StoreKey key, long bytes, long total) {}

        @Override
        public void ends(StoreKey key) {}
      };

  /** Before the first request to a server. */
  void asks(URI server);

  /**
   * Called when a file is requested, and while it arrives.
   *
   * @param bytes that have arrived so far; 0 while it is unknown whether there is a file
   * @param total expected bytes; -1 if unknown
   */
  void comes(StoreKey key, long bytes, long total);

  /** A file has come, or does not. */
  void ends(StoreKey key);
}

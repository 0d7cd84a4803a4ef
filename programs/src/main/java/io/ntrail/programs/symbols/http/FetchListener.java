package io.ntrail.programs.symbols.http;

import io.ntrail.programs.symbols.StoreKey;
import java.net.URI;

/** Is told what is fetched while it is. Called by several threads. */
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
   * A file is asked for, or on its way.
   *
   * @param bytes that have come so far; 0 as long as nobody knows whether there is a file
   * @param total how many will have come then; -1 if the server does not tell
   */
  void comes(StoreKey key, long bytes, long total);

  /** A file has come, or does not. */
  void ends(StoreKey key);
}

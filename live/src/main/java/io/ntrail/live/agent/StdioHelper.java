package io.ntrail.live.agent;

import java.util.function.BooleanSupplier;

/**
 * Helper process that owns the standard streams of this process until it is closed.
 *
 * @param name of the shared section ({@link StdioHelperImage})
 * @param alive tells whether the process runs
 * @param end ends it
 */
public record StdioHelper(String name, BooleanSupplier alive, Runnable end)
    implements AutoCloseable {
  /** Returns whether it still holds them. */
  public boolean isAlive() {
    return alive.getAsBoolean();
  }

  @Override
  public void close() {
    end.run();
  }
}

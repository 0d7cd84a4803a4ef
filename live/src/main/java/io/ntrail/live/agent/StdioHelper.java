package io.ntrail.live.agent;

/**
 * Helper process that owns the standard streams of this process until it is closed.
 *
 * @param name of the shared section ({@link StdioHelperImage})
 * @param process the program
 */
public record StdioHelper(String name, Process process, Runnable removal) implements AutoCloseable {
  /** Returns whether it still holds them. */
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    removal.run();
  }
}

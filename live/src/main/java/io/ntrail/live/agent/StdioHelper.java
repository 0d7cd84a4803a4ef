package io.ntrail.live.agent;

/**
 * A program that holds the standard streams of this process, until it is closed.
 *
 * @param name of the section where it says what it holds ({@link StdioHelperImage})
 * @param process the program
 */
public record StdioHelper(String name, Process process, Runnable removal) implements AutoCloseable {
  /** Whether it still holds them. */
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    removal.run();
  }
}

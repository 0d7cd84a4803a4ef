package io.ntrail.analysis.probe.engine;

/** Data of one action, which is printed when its firing is over, or when it is committed. */
@FunctionalInterface
public interface Recorded {
  /** Prints it, or does what it is for. */
  void consume(Consumer to);

  /** Bytes that it takes in a speculation. */
  default int size() {
    return 8;
  }
}

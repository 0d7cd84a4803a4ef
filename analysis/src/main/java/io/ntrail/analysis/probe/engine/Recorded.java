package io.ntrail.analysis.probe.engine;

/** Data of one action, which is printed when its firing is over, or when it is committed. */
@FunctionalInterface
public interface Recorded {
  /** Prints it, or does its work. */
  void consume(Consumer to);
}

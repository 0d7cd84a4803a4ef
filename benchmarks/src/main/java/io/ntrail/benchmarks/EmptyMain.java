package io.ntrail.benchmarks;

/** The floor of every start-up time: a program that does nothing. */
public final class EmptyMain {
  private EmptyMain() {}

  /** Does nothing. */
  public static void main(String[] args) {}
}

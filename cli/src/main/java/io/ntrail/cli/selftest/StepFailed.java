package io.ntrail.cli.selftest;

/** Failure of a step: something else was seen than expected. */
final class StepFailed extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final String expected;
  private final String seen;

  StepFailed(String expected, String seen) {
    super("expected " + expected + ", seen " + seen);
    this.expected = expected;
    this.seen = seen;
  }

  String expected() {
    return expected;
  }

  String seen() {
    return seen;
  }
}

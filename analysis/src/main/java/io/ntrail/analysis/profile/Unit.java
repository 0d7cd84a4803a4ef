package io.ntrail.analysis.profile;

/** What weights are. */
public enum Unit {
  SAMPLES("samples"),
  NANOS("ns"),
  BYTES("bytes"),
  COUNT("count"),
  EVENTS("events");

  private final String text;

  Unit(String text) {
    this.text = text;
  }

  /** As options and answers spell it. */
  public String text() {
    return text;
  }
}

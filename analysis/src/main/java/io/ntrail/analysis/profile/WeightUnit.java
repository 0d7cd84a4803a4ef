package io.ntrail.analysis.profile;

/** What weights are. */
public enum WeightUnit {
  SAMPLES("samples"),
  NANOS("ns"),
  BYTES("bytes"),
  COUNT("count"),
  EVENTS("events");

  private final String text;

  WeightUnit(String text) {
    this.text = text;
  }

  /** As options and answers spell it. */
  public String text() {
    return text;
  }
}

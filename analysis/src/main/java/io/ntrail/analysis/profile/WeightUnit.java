package io.ntrail.analysis.profile;

/** Unit of weights. */
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

  /** Returns it as options and answers spell it. */
  public String text() {
    return text;
  }
}

package io.ntrail.analysis.calls;

/** Ways in which a call ends. */
public enum CallEnd {
  /** It returned. */
  RETURN,
  /** An exception left it. */
  UNWIND,
  /** An exception left it; the record of that is of its tail call, whose frame was in its place. */
  LEFT,
  /** It had not ended when the recording did. */
  OPEN,
  /** Its end is missing; it was over when something showed that it was. */
  INFERRED,
  /** Entry only: the end is not recorded. */
  ENTRY_ONLY,
  /** It was over when the recording says so, which does not know how it ended. */
  OVER;

  private static final CallEnd[] ALL = values();

  static CallEnd at(int ordinal) {
    return ALL[ordinal];
  }

  /** Returns true if it is known to be over without a record of it. */
  public boolean isAbandoned() {
    return this == LEFT || this == INFERRED || this == OVER;
  }
}

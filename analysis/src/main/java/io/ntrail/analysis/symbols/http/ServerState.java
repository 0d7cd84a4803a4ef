package io.ntrail.analysis.symbols.http;

import java.util.List;

/** What is learned of a server while it is asked. Used by several threads. */
final class ServerState {
  /** How many files in a row a server may fail at before it is left alone. */
  private static final int MOST_FAILURES = 3;

  /** How a store lays out its files. */
  enum Tiers {
    UNKNOWN,
    ONE,
    TWO
  }

  /** How a file may be called on a server. */
  enum Form {
    PLAIN,
    PACKED,
    POINTER
  }

  private boolean isKnown;
  private String leftAlone = "";
  private int failures;
  private Tiers tiers = Tiers.UNKNOWN;
  private Form form = Form.PLAIN;
  private int spelling;

  /** Whether this is the first request to it. */
  synchronized boolean isNew() {
    boolean isNew = !isKnown;
    isKnown = true;
    return isNew;
  }

  /** Why it is not asked any more; empty if it is. */
  synchronized String leftAlone() {
    return leftAlone;
  }

  /** It answered as it should. */
  synchronized void answered() {
    failures = 0;
  }

  /**
   * It did not.
   *
   * @param isFinal whether there is no use in asking for another file
   */
  synchronized void failed(String why, boolean isFinal) {
    failures++;
    if (isFinal || failures >= MOST_FAILURES) {
      leftAlone = why;
    }
  }

  synchronized Tiers tiers() {
    return tiers;
  }

  synchronized void tiers(Tiers found) {
    tiers = found;
  }

  /** The forms, that of the last file first. */
  synchronized List<Form> forms() {
    return switch (form) {
      case PLAIN -> List.of(Form.PLAIN, Form.PACKED, Form.POINTER);
      case PACKED -> List.of(Form.PACKED, Form.PLAIN, Form.POINTER);
      case POINTER -> List.of(Form.POINTER, Form.PLAIN, Form.PACKED);
    };
  }

  /** Which of the spellings of a key the last file had. */
  synchronized int spelling() {
    return spelling;
  }

  /** A file was there. */
  synchronized void had(Form foundForm, int foundSpelling) {
    failures = 0;
    form = foundForm;
    spelling = foundSpelling;
  }
}

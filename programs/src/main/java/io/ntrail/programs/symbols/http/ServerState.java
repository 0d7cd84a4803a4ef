package io.ntrail.programs.symbols.http;

import io.ntrail.programs.symbols.StoreKey;
import java.util.List;
import java.util.Locale;

/** Facts learned about a server while using it. Used by several threads. */
final class ServerState {
  /** Number of consecutive failures after which a server is skipped. */
  private static final int MOST_FAILURES = 3;

  /** Layouts of a store. */
  enum Tiers {
    UNKNOWN,
    ONE,
    TWO
  }

  /** Forms of a file's name on a server. */
  enum Form {
    PLAIN,
    PACKED,
    POINTER
  }

  /** Spellings of the digits of a key, relative to Microsoft's. */
  enum Digits {
    UNKNOWN,
    SAME,
    LOWER,
    UPPER;

    /** Returns the spelling of a key that was found, or is to be requested. */
    static Digits of(StoreKey spelled, StoreKey key) {
      return spelled.key().equals(key.key())
          ? SAME
          : spelled.key().equals(key.key().toLowerCase(Locale.ROOT)) ? LOWER : UPPER;
    }
  }

  private boolean isKnown;
  private String leftAlone = "";
  private int failures;
  private Tiers tiers = Tiers.UNKNOWN;
  private Form form = Form.PLAIN;
  private Digits digits = Digits.UNKNOWN;
  private boolean hasPointers;

  /** Returns true before the first request to it. */
  synchronized boolean isNew() {
    boolean isNew = !isKnown;
    isKnown = true;
    return isNew;
  }

  /** Returns why it is skipped; empty if it is not. */
  synchronized String leftAlone() {
    return leftAlone;
  }

  /** It answered as it should. */
  synchronized void answered() {
    failures = 0;
  }

  /**
   * Notes a failure.
   *
   * @param isFinal whether requesting another file is useless
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

  /**
   * Returns the forms to try, that of the last file first. A server that had some files, none of
   * them by a pointer, is not queried for pointers any more.
   */
  synchronized List<Form> forms() {
    return switch (form) {
      case PLAIN ->
          hasPointers || digits == Digits.UNKNOWN
              ? List.of(Form.PLAIN, Form.PACKED, Form.POINTER)
              : List.of(Form.PLAIN, Form.PACKED);
      case PACKED ->
          hasPointers
              ? List.of(Form.PACKED, Form.PLAIN, Form.POINTER)
              : List.of(Form.PACKED, Form.PLAIN);
      case POINTER -> List.of(Form.POINTER, Form.PLAIN, Form.PACKED);
    };
  }

  /**
   * The spellings of a key that are to be tried: all that occur, and once a file was there only
   * those with digits as it had them. (Names are written by hand, and keys by programs.)
   */
  synchronized List<StoreKey> spellings(StoreKey key) {
    return key.spellings().stream()
        .filter(spelled -> digits == Digits.UNKNOWN || isSpelled(spelled.key(), key.key()))
        .toList();
  }

  private boolean isSpelled(String spelled, String key) {
    return spelled.equals(
        switch (digits) {
          case UNKNOWN, SAME -> key;
          case LOWER -> key.toLowerCase(Locale.ROOT);
          case UPPER -> key.toUpperCase(Locale.ROOT);
        });
  }

  /** A file was there. */
  synchronized void had(Form foundForm, Digits foundDigits) {
    failures = 0;
    form = foundForm;
    digits = foundDigits;
    hasPointers |= foundForm == Form.POINTER;
  }
}

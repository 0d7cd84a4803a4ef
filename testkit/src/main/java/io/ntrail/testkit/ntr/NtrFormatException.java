package io.ntrail.testkit.ntr;

/** Bytes that docs/ntr.md calls damage. */
final class NtrFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NtrFormatException(String what) {
    super(what);
  }
}

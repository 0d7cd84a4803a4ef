package io.ntrail.testkit.ntr;

/** Bytes that docs/ntr.md calls damage. */
final class BadNtr extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BadNtr(String what) {
    super(what);
  }
}

package io.ntrail.analysis.dumps;

/** Kinds of addresses at which an access fails. */
public enum AddressKind {
  /** Null, or a field of what a null pointer points to. */
  NULL,
  /** An address that no x64 processor has, or one that it did not report. */
  NON_CANONICAL,
  /** Guard page, of a stack or of something else. */
  GUARD_PAGE,
  /** Part of a stack that is not committed. */
  STACK_RESERVE,
  /** Nothing is allocated there. */
  FREE,
  /** Reserved, but without memory. */
  RESERVED,
  /** Range of a module that has been unloaded. */
  UNLOADED_MODULE,
  /** Memory with a protection that does not allow the access. */
  PROTECTED,
  /** Memory that should have allowed the access. */
  ACCESSIBLE,
  /** The dump does not tell. */
  UNKNOWN
}

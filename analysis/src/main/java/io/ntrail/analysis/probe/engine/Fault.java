package io.ntrail.analysis.probe.engine;

/** Mistake of a program that its compiler could not see: the clause ends, others go on. */
public final class Fault extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Kind kind;
  private final long value;

  /** Kinds of faults, by DTrace's numbers. */
  public enum Kind {
    /** No kind. */
    UNKNOWN("unknown fault"),
    /** Address that cannot be read. */
    BADADDR("invalid address"),
    /** Address that is no multiple of the size. */
    BADALIGN("invalid alignment"),
    /** Operation that does not exist here. */
    ILLOP("illegal operation"),
    /** Division by zero. */
    DIVZERO("divide-by-zero"),
    /** Too much memory. */
    NOSCRATCH("out of scratch space"),
    /** Address of the kernel. */
    KPRIV("invalid kernel access"),
    /** Address of a user. */
    UPRIV("invalid user access"),
    /** Too many keys. */
    TUPOFLOW("tuple stack overflow"),
    /** Stack that cannot be walked. */
    BADSTACK("bad stack");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** Returns DTrace's words for it. */
    public String text() {
      return text;
    }
  }

  /** A fault about a value: an address, or 0. */
  public Fault(Kind kind, long value) {
    super(kind.text, null, false, false);
    this.kind = kind;
    this.value = value;
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the address, or 0. */
  public long value() {
    return value;
  }
}

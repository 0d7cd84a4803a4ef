package io.ntrail.programs.x86;

/** What an instruction does with a register or with memory. */
public enum Access {
  /** Reads it. */
  READ,
  /** Writes all of it. */
  WRITE,
  /** Reads it and writes it. */
  READ_WRITE,
  /** May read it: a condition, a mask or a count decides. */
  MAY_READ,
  /** May write it. */
  MAY_WRITE,
  /** Reads it, and may write it. */
  READ_MAY_WRITE;

  private static final Access[] VALUES = values();

  static Access at(int ordinal) {
    return VALUES[ordinal];
  }

  /** Whether it reads, or may. */
  public boolean reads() {
    return this != WRITE && this != MAY_WRITE;
  }

  /** Whether it writes, or may. */
  public boolean writes() {
    return this != READ && this != MAY_READ;
  }

  /** The same, if something decides whether it happens at all. */
  Access conditional() {
    return switch (this) {
      case READ, MAY_READ -> MAY_READ;
      case WRITE, MAY_WRITE -> MAY_WRITE;
      case READ_WRITE, READ_MAY_WRITE -> READ_MAY_WRITE;
    };
  }
}

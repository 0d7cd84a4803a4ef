package io.ntrail.programs.x86;

/** Access of an instruction to a register or to memory. */
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

  /** Returns true if it reads, or may. */
  public boolean reads() {
    return this != WRITE && this != MAY_WRITE;
  }

  /** Returns true if it writes, or may. */
  public boolean writes() {
    return this != READ && this != MAY_READ;
  }

  /** Returns the access if it is conditional. */
  Access conditional() {
    return switch (this) {
      case READ, MAY_READ -> MAY_READ;
      case WRITE, MAY_WRITE -> MAY_WRITE;
      case READ_WRITE, READ_MAY_WRITE -> READ_MAY_WRITE;
    };
  }
}

package io.ntrail.programs.x86.asm.operands;

/**
 * A label: a place in code that is being assembled. Made by the assembler that it belongs to. It
 * may be used before it is bound. As an operand it is the target of a branch.
 */
public abstract non-sealed class Label implements AssemblerOperand {
  private final String name;

  /**
   * Makes an unbound label.
   *
   * @param name for messages
   */
  protected Label(String name) {
    this.name = name;
  }

  /** Returns the name, for messages. */
  public final String name() {
    return name;
  }

  @Override
  public final String toString() {
    return name;
  }
}

package io.ntrail.programs.x86.asm;

/**
 * A place in the code, made by {@link Assembler#label()} and given its place by {@link
 * Assembler#bind}. It may be used before it has a place. As an operand it is where a branch goes.
 */
public final class Label implements AssemblerOperand {
  private static final int UNBOUND = -1;

  private final Assembler owner;
  private final String name;
  private int at = UNBOUND;
  private int elasticBefore;

  Label(Assembler owner, String name) {
    this.owner = owner;
    this.name = name;
  }

  /** For messages. */
  public String name() {
    return name;
  }

  boolean belongsTo(Assembler assembler) {
    return owner == assembler;
  }

  boolean isBound() {
    return at != UNBOUND;
  }

  /** Gives it its place: behind {@code at} fixed bytes and {@code elasticBefore} elastic items. */
  void bind(int at, int elasticBefore) {
    this.at = at;
    this.elasticBefore = elasticBefore;
  }

  int at() {
    return at;
  }

  int elasticBefore() {
    return elasticBefore;
  }

  @Override
  public String toString() {
    return name;
  }
}

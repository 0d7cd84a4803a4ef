package io.ntrail.formats.schema;

import org.jspecify.annotations.Nullable;

/**
 * A length or a number of elements in a schema.
 *
 * @param kind its source
 * @param value the number itself, or the slot of the field that has it
 */
public record LengthSpec(Kind kind, int value) {
  /** Sources of the number. */
  public enum Kind {
    /** There is none: the type itself says where it ends; one element. */
    NONE,
    /** A number in the schema. */
    FIXED,
    /** The value of a field that came before, by its slot. */
    SLOT,
    /**
     * Like {@link #SLOT}, of elements that share the rest of the payload equally: their last
     * members may be absent.
     */
    SHARES,
    /** A 16-bit number right before it. */
    PREFIX16,
    /** The rest of the payload. */
    REST
  }

  /** None. */
  public static final LengthSpec NONE = new LengthSpec(Kind.NONE, 0);

  /** The rest of the payload. */
  public static final LengthSpec REST = new LengthSpec(Kind.REST, 0);

  /** A 16-bit number is right before it. */
  public static final LengthSpec PREFIX16 = new LengthSpec(Kind.PREFIX16, 0);

  /** A number that the schema has. */
  public static LengthSpec fixed(int number) {
    return new LengthSpec(Kind.FIXED, number);
  }

  /** The value of the field with this slot. */
  public static LengthSpec slot(int slot) {
    return new LengthSpec(Kind.SLOT, slot);
  }

  /** Returns the number of elements in the field with this slot, with equal shares of the rest. */
  public static LengthSpec shares(int slot) {
    return new LengthSpec(Kind.SHARES, slot);
  }

  /** The slot that it asks; -1 if it asks none. */
  public int slot() {
    return kind == Kind.SLOT || kind == Kind.SHARES ? value : -1;
  }

  // Written out: those that a record makes of itself at run time cost a start milliseconds.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LengthSpec that && kind == that.kind && value == that.value;
  }

  @Override
  public int hashCode() {
    return 31 * kind.ordinal() + value;
  }
}

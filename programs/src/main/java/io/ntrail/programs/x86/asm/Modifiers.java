package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Rounding;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.MaskRegister;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Modifiers before an instruction: its prefixes, and for AVX-512 mask and rounding.
 *
 * @param prefixes in the order in which they are written
 * @param mask selects elements, or null for all
 * @param zeroing whether the other elements become zero; else they stay as they are
 * @param rounding static rounding
 */
record Modifiers(
    Set<Prefix> prefixes, @Nullable MaskRegister mask, boolean zeroing, Rounding rounding) {
  /** No modifiers. */
  static final Modifiers NONE =
      new Modifiers(EnumSet.noneOf(Prefix.class), null, false, Rounding.NONE);

  boolean isNone() {
    return prefixes.isEmpty() && mask == null && rounding == Rounding.NONE;
  }

  boolean has(Prefix prefix) {
    return prefixes.contains(prefix);
  }

  /**
   * Returns the modifiers with one more prefix; unchanged if it cannot be combined with the others.
   */
  Modifiers with(Prefix prefix) {
    if (!prefixes.stream().allMatch(prefix::goesWith)) {
      return this;
    }
    Set<Prefix> more = EnumSet.of(prefix);
    more.addAll(prefixes);
    return new Modifiers(more, mask, zeroing, rounding);
  }

  Modifiers with(MaskRegister selected, boolean zero) {
    return new Modifiers(prefixes, selected, zero, rounding);
  }

  Modifiers with(Rounding how) {
    return new Modifiers(prefixes, mask, zeroing, how);
  }

  /** Returns true if all of them have an effect before a form with these operands. */
  boolean areAllowed(CodeSize size, InstructionForm form, AssemblerOperand... operands) {
    for (Prefix prefix : prefixes) {
      if (!prefix.isAllowed(size, form, prefixes, operands)) {
        return false;
      }
    }
    return maskIsAllowed(form, operands) && roundingIsAllowed(form, operands);
  }

  private boolean maskIsAllowed(InstructionForm form, AssemblerOperand... operands) {
    if (mask == null) {
      return !form.has("masked");
    }
    for (int i = 0; i < operands.length; i++) {
      OperandKind kind = form.operands().get(i);
      if (kind.has(OperandKind.Mark.MASKED)) {
        // What is not selected in memory stays as it is.
        return !zeroing || (kind.has(OperandKind.Mark.ZEROED) && !(operands[i] instanceof Mem));
      }
    }
    return false;
  }

  private boolean roundingIsAllowed(InstructionForm form, AssemblerOperand... operands) {
    if (rounding == Rounding.NONE) {
      return true;
    }
    OperandKind.Mark mark =
        rounding == Rounding.SAE ? OperandKind.Mark.SAE : OperandKind.Mark.ROUNDING;
    boolean marked = false;
    for (int i = 0; i < operands.length; i++) {
      if (operands[i] instanceof Mem) {
        return false;
      }
      marked |= form.operands().get(i).has(mark);
    }
    return marked;
  }

  // What a record has by itself is made by the JVM at the first call, in several milliseconds.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Modifiers its
        && prefixes.equals(its.prefixes)
        && Objects.equals(mask, its.mask)
        && zeroing == its.zeroing
        && rounding == its.rounding;
  }

  @Override
  public int hashCode() {
    return ((prefixes.hashCode() * 31 + Objects.hashCode(mask)) * 31 + rounding.hashCode()) * 2
        + (zeroing ? 1 : 0);
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(" ");
    prefixes.forEach(prefix -> text.add(prefix.name()));
    if (mask != null) {
      text.add("{" + mask + (zeroing ? "}{z}" : "}"));
    }
    if (rounding != Rounding.NONE) {
      text.add("{" + rounding.text() + "}");
    }
    return text.toString();
  }
}

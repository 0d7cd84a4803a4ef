package io.ntrail.analysis.probe.syntax;

import java.util.List;

/** Expression as it is written. */
public sealed interface Expression {
  /** Returns the place where it begins. */
  Place place();

  /** Number or character. */
  record Number(long value, int size, boolean isSigned, Place place) implements Expression {}

  /** String, a character for each byte. */
  record Text(String value, Place place) implements Expression {}

  /** Lifetime of a variable. */
  enum Scope {
    GLOBAL,
    THREAD,
    CLAUSE
  }

  /** Variable or another name. */
  record Name(String name, Scope scope, Place place) implements Expression {}

  /** Aggregation with its keys. */
  record Aggregation(String name, List<Expression> keys, Place place) implements Expression {}

  /** Operator before its operand: {@code ! ~ - + * & ++ --}. */
  record Prefix(String operator, Expression operand, Place place) implements Expression {}

  /** Operator behind its operand: {@code ++ --}. */
  record Postfix(String operator, Expression operand, Place place) implements Expression {}

  /** Operator between its operands; {@code ,} too. */
  record Binary(String operator, Expression left, Expression right, Place place)
      implements Expression {}

  /** Assignment; the operator is that before the equals sign, empty if there is none. */
  record Assignment(String operator, Expression target, Expression value, Place place)
      implements Expression {}

  /** Choice of one of two. */
  record Conditional(Expression condition, Expression then, Expression otherwise, Place place)
      implements Expression {}

  /** Call of a function or an action. */
  record Call(String function, List<Expression> arguments, Place place) implements Expression {}

  /** Element of an array. */
  record Index(Expression array, List<Expression> keys, Place place) implements Expression {}

  /** Member of a struct. */
  record Member(Expression struct, String name, boolean isPointer, Place place)
      implements Expression {}

  /** Conversion. */
  record Cast(TypeName type, Expression operand, Place place) implements Expression {}

  /** Size of a type. */
  record SizeOfType(TypeName type, Place place) implements Expression {}

  /** Size of an expression. */
  record SizeOf(Expression operand, Place place) implements Expression {}

  /** Offset of a member. */
  record OffsetOf(TypeName type, String member, Place place) implements Expression {}

  /** Conversion to a string. */
  record StringOf(Expression operand, Place place) implements Expression {}
}

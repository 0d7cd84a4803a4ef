package io.ntrail.programs.x86;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The operands of one instruction: a flyweight that {@link OperandReader#read} fills again and
 * again. Operands are counted from 0, the destination first, as the manuals write them; operands
 * that are not encoded and not written are not among them, but for the memory of string
 * instructions. Not for several threads at once.
 */
public final class Operands {
  /** More operands has no instruction. */
  public static final int MOST = 5;

  private static final OperandType[] TYPES = OperandType.values();

  /**
   * Number of operand slots, with one that forms without an operand of a kind write to, which saves
   * a branch.
   */
  private static final int PLACES = FormRecords.NO_OPERAND + 1;

  // Written by the reader.
  int form;

  int count;

  /** Ordinals of types, three bits each. */
  int types;

  /**
   * Registers; of immediates the width in bits; segment and base of string instructions, else 0.
   */
  final int[] details = new int[PLACES];

  /** Immediates and offsets. */
  final long[] numbers = new long[PLACES];

  /** Word 1 of the form. */
  int attributes;

  // The memory operand that ModRM names; string instructions have their own.
  int segment;
  int base;
  int index;
  int scale;
  long displacement;
  int memoryBytes;
  boolean farPointer;

  int prefixes;

  /** The segment of a prefix, or -1. */
  int segmentPrefix;

  // Of VEX, XOP and EVEX: B and X, as in REX; the rest of the number of an index; the length.
  int extension;
  int highVectorIndex;
  int vectorLength;

  // Of EVEX: cleared before the next instruction, if there was one.
  boolean evex;
  boolean broadcastBit;
  int broadcast;
  int mask;
  int masked;
  boolean zeroing;
  int rounding;

  /** Creates a flyweight without operands. */
  public Operands() {}

  void set(int operand, OperandType type, long number, int detail) {
    types = types & ~(7 << 3 * operand) | type.ordinal() << 3 * operand;
    numbers[operand] = number;
    details[operand] = detail;
  }

  private int typeOf(int operand) {
    return types >>> 3 * operand & 7;
  }

  boolean isRegister(int operand) {
    return typeOf(operand) == OperandType.REGISTER.ordinal();
  }

  /** Notes that there is no instruction. */
  void clear() {
    count = 0;
    form = 0;
    prefixes = 0;
    clearEvex();
  }

  /** Resets what only EVEX sets. */
  void clearEvex() {
    evex = false;
    broadcastBit = false;
    broadcast = 0;
    mask = 0;
    zeroing = false;
    rounding = 0;
  }

  /** Returns the number of the form in the list of forms: stable only within one program. */
  public int form() {
    return form;
  }

  /** Returns the mnemonic of the manuals, in small letters; empty if there is no instruction. */
  public String mnemonic() {
    return form == 0 ? "" : FormRecords.get().mnemonic(form);
  }

  /** Returns the number of operands. */
  public int count() {
    return count;
  }

  private void check(int operand, OperandType type) {
    if (operand < 0 || operand >= count || typeOf(operand) != type.ordinal()) {
      throw new IllegalStateException(
          "operand " + operand + " of " + mnemonic() + " is not a " + type);
    }
  }

  /**
   * Returns the kind of an operand.
   *
   * @throws IndexOutOfBoundsException if there is no such operand
   */
  public OperandType type(int operand) {
    if (operand < 0 || operand >= count) {
      throw new IndexOutOfBoundsException(operand);
    }
    return TYPES[typeOf(operand)];
  }

  /**
   * A register.
   *
   * @throws IllegalStateException if the operand is something else
   */
  public Register register(int operand) {
    check(operand, OperandType.REGISTER);
    return Register.at(details[operand]);
  }

  /**
   * The value of an immediate, sign-extended where the instruction does so.
   *
   * @throws IllegalStateException if the operand is something else
   */
  public long immediate(int operand) {
    check(operand, OperandType.IMMEDIATE);
    return numbers[operand];
  }

  /**
   * Returns the number of significant bits of an immediate.
   *
   * @throws IllegalStateException if the operand is something else
   */
  public int immediateBits(int operand) {
    check(operand, OperandType.IMMEDIATE);
    return details[operand];
  }

  /** The operand that is memory, or -1. CMPS and MOVS have two; the first is meant. */
  public int memoryOperand() {
    for (int i = 0; i < count; i++) {
      if (typeOf(i) == OperandType.MEMORY.ordinal()) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Memory.
   *
   * @throws IllegalStateException if the operand is something else
   */
  public Operand.InMemory memory(int operand) {
    check(operand, OperandType.MEMORY);
    int own = details[operand];
    if (own != 0) {
      // Of a string instruction: bytes, segment and base.
      return new Operand.InMemory(
          (int) numbers[operand],
          Register.at(own >>> 16 & 0xFFFF),
          Optional.of(Register.at(own & 0x7FFF)),
          Optional.empty(),
          1,
          0,
          0);
    }
    return new Operand.InMemory(
        memoryBytes,
        Register.at(segment),
        register0(base),
        register0(index),
        scale,
        displacement,
        broadcast);
  }

  /**
   * Returns true if memory lies at a distance from the instruction pointer.
   *
   * @throws IllegalStateException if the operand is something else
   */
  public boolean isPointerRelative(int operand) {
    check(operand, OperandType.MEMORY);
    return details[operand] == 0
        && base >= 0
        && base >>> Register.STRIDE_SHIFT == RegisterClass.POINTER.ordinal();
  }

  private static Optional<Register> register0(int id) {
    return id < 0 ? Optional.empty() : Optional.of(Register.at(id));
  }

  /** The operand as a value. */
  public Operand get(int operand) {
    return switch (type(operand)) {
      case REGISTER -> new Operand.InRegister(register(operand));
      case MEMORY -> memory(operand);
      case IMMEDIATE -> new Operand.Immediate(numbers[operand], details[operand]);
      case RELATIVE -> new Operand.Relative(numbers[operand]);
      case FAR -> new Operand.Far(details[operand], numbers[operand]);
    };
  }

  /** All operands as values. */
  public List<Operand> list() {
    List<Operand> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      list.add(get(i));
    }
    return list;
  }

  /** The mask register, if one is named: K1 to K7. */
  public Optional<Register> mask() {
    return mask == 0 ? Optional.empty() : Optional.of(Register.of(RegisterClass.MASK, mask));
  }

  /** Returns the index of the operand that is masked, or -1. */
  public int maskedOperand() {
    return mask == 0 ? -1 : masked;
  }

  /**
   * Returns true if elements that the mask does not select become zero; else they stay as they are.
   */
  public boolean isZeroing() {
    return zeroing;
  }

  /** Returns the static rounding mode and exception suppression of the instruction. */
  public Rounding rounding() {
    return Rounding.at(rounding);
  }

  /** Returns true if the prefix is there and has an effect. */
  public boolean has(InstructionPrefix prefix) {
    return (prefixes & 1 << prefix.ordinal()) != 0;
  }

  @Override
  public String toString() {
    return mnemonic() + " " + list();
  }
}

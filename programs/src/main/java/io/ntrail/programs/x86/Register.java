package io.ntrail.programs.x86;

import java.util.List;
import java.util.Locale;

/**
 * A register that instructions name. There is one object for each, so that {@code ==} compares
 * them.
 */
public final class Register implements Comparable<Register> {
  /** Registers of one class in the table of all: a power of two, enough for the largest. */
  static final int STRIDE_SHIFT = 5;

  private static final List<String> GENERAL =
      List.of("ax", "cx", "dx", "bx", "sp", "bp", "si", "di");
  private static final List<String> SEGMENTS = List.of("es", "cs", "ss", "ds", "fs", "gs");
  private static final Register[] ALL = all();

  private final RegisterClass type;
  private final int number;
  private final String name;

  private Register(RegisterClass type, int number) {
    this.type = type;
    this.number = number;
    this.name = name(type, number);
  }

  private static Register[] all() {
    RegisterClass[] types = RegisterClass.values();
    Register[] all = new Register[types.length << STRIDE_SHIFT];
    for (RegisterClass type : types) {
      for (int number = 0; number < type.count(); number++) {
        all[id(type, number)] = new Register(type, number);
      }
    }
    return all;
  }

  static int id(RegisterClass type, int number) {
    return type.ordinal() << STRIDE_SHIFT | number;
  }

  /** The register with that place in the table of all. */
  static Register at(int id) {
    return ALL[id];
  }

  /**
   * The register of a class with that number, as instructions encode it.
   *
   * @throws IllegalArgumentException if the class has no such register
   */
  public static Register of(RegisterClass type, int number) {
    if (number < 0 || number >= type.count()) {
      throw new IllegalArgumentException("no register " + number + " in " + type);
    }
    return ALL[id(type, number)];
  }

  private static String name(RegisterClass type, int number) {
    boolean old = number < 8;
    return switch (type) {
      case GENERAL8 -> old ? low8(number) : "r" + number + "b";
      case HIGH8 -> GENERAL.get(number).charAt(0) + "h";
      case GENERAL16 -> old ? GENERAL.get(number) : "r" + number + "w";
      case GENERAL32 -> old ? "e" + GENERAL.get(number) : "r" + number + "d";
      case GENERAL64 -> old ? "r" + GENERAL.get(number) : "r" + number;
      case POINTER -> number == 0 ? "eip" : "rip";
      case SEGMENT -> SEGMENTS.get(number);
      case CONTROL -> "cr" + number;
      case DEBUG -> "dr" + number;
      case X87 -> "st(" + number + ")";
      case MMX -> "mm" + number;
      case MASK -> "k" + number;
      case TILE -> "tmm" + number;
      case BOUND -> "bnd" + number;
      case XMM, YMM, ZMM -> type.name().toLowerCase(Locale.ROOT) + number;
    };
  }

  private static String low8(int number) {
    String wide = GENERAL.get(number);
    return number < 4 ? wide.charAt(0) + "l" : wide + "l";
  }

  /** Returns the register's class, with its width. */
  public RegisterClass type() {
    return type;
  }

  /** Its number, as instructions encode it. */
  public int number() {
    return number;
  }

  /** Width in bits. */
  public int bits() {
    return type.bits();
  }

  /**
   * The register that it is a part of: RAX for AH, ZMM3 for XMM3, else itself. Outside 64-bit code
   * that is larger than what the code can name.
   */
  public Register whole() {
    return switch (type) {
      case GENERAL8, HIGH8, GENERAL16, GENERAL32 -> of(RegisterClass.GENERAL64, number);
      case XMM, YMM -> of(RegisterClass.ZMM, number);
      default -> this;
    };
  }

  @Override
  public int compareTo(Register other) {
    return Integer.compare(id(type, number), id(other.type, other.number));
  }

  /** Its name in Intel syntax. */
  @Override
  public String toString() {
    return name;
  }
}

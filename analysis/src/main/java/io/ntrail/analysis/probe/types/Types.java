package io.ntrail.analysis.probe.types;

import io.ntrail.analysis.probe.types.Type.Integral;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Types that every program has, and the rules of C for those of results. */
public final class Types {
  /** Signed number of four bytes, the type of most constants. */
  public static final Integral INT = new Integral("int", 4, true);

  /** Character. */
  public static final Integral CHAR = new Integral("char", 1, true);

  /** Signed number of eight bytes. */
  public static final Integral INT64 = new Integral("int64_t", 8, true);

  /** Unsigned number of four bytes. */
  public static final Integral UINT32 = new Integral("uint32_t", 4, false);

  /** Unsigned number of eight bytes. */
  public static final Integral UINT64 = new Integral("uint64_t", 8, false);

  /** String: a value, not a pointer. */
  public static final Type.Text TEXT = new Type.Text();

  /** No value. */
  public static final Type.Nothing VOID = new Type.Nothing();

  /** Pointer to anything. */
  public static final Type.Pointer ADDRESS = new Type.Pointer(VOID);

  private static final Map<String, Type> NAMED = named();

  private Types() {}

  private static Map<String, Type> named() {
    Map<String, Type> all = new HashMap<>();
    signed(all, 1, "int8_t", "CHAR");
    signed(all, 2, "int16_t", "SHORT");
    signed(all, 4, "int32_t", "LONG", "pid_t", "id_t", "NTSTATUS", "BOOL", "boolean_t");
    signed(all, 8, "int64_t", "intptr_t", "ssize_t", "ptrdiff_t", "longlong_t", "off_t", "time_t");
    signed(all, 8, "LONGLONG", "LONG64");
    unsigned(all, 1, "uint8_t", "uchar_t", "UCHAR", "BYTE", "BOOLEAN");
    unsigned(all, 2, "uint16_t", "ushort_t", "USHORT", "WORD", "WCHAR", "wchar_t");
    unsigned(all, 4, "uint32_t", "uint_t", "ulong_t", "ULONG", "DWORD");
    unsigned(all, 8, "uint64_t", "uintptr_t", "size_t", "u_longlong_t", "ULONGLONG", "ULONG64");
    unsigned(all, 8, "ULONG_PTR", "SIZE_T");
    all.put("PVOID", ADDRESS);
    all.put("HANDLE", ADDRESS);
    return all;
  }

  private static void signed(Map<String, Type> all, int size, String... names) {
    for (String name : names) {
      all.put(name, new Integral(name, size, true));
    }
  }

  private static void unsigned(Map<String, Type> all, int size, String... names) {
    for (String name : names) {
      all.put(name, new Integral(name, size, false));
    }
  }

  /** Returns the type that a name stands for in every program. */
  public static Optional<Type> named(String name) {
    return Optional.ofNullable(NAMED.get(name));
  }

  /** Returns the type of words such as {@code unsigned long long}; empty if they are none. */
  public static Optional<Type> ofWords(List<String> words) {
    int longs = 0;
    boolean isUnsigned = false;
    String base = "int";
    for (String word : words) {
      switch (word) {
        case "long" -> longs++;
        case "unsigned" -> isUnsigned = true;
        case "signed", "int" -> {
          // What is meant without it, too.
        }
        default -> base = word;
      }
    }
    String sign = isUnsigned ? "unsigned " : "";
    return switch (base) {
      case "void" -> Optional.of(VOID);
      case "string" -> Optional.of(TEXT);
      case "char" -> Optional.of(isUnsigned ? new Integral("unsigned char", 1, false) : CHAR);
      case "short" -> Optional.of(new Integral(sign + "short", 2, !isUnsigned));
      case "int" ->
          Optional.of(
              switch (longs) {
                case 0 -> isUnsigned ? new Integral("unsigned int", 4, false) : INT;
                case 1 -> new Integral(sign + "long", 4, !isUnsigned);
                default -> new Integral(sign + "long long", 8, !isUnsigned);
              });
      default -> Optional.empty();
    };
  }

  /** Returns true for types whose values are keys of one kind: numbers, strings, stacks, places. */
  public static boolean areAlike(Type one, Type other) {
    if (one instanceof Type.Code code && other instanceof Type.Code its) {
      return code.isStack() == its.isStack();
    }
    return one.isNumber() && other.isNumber()
        || one instanceof Type.Text && other instanceof Type.Text;
  }

  /** Returns the type of a number of a size. */
  public static Integral integral(int size, boolean isSigned) {
    return switch (size) {
      case 1 -> isSigned ? new Integral("int8_t", 1, true) : new Integral("uint8_t", 1, false);
      case 2 -> isSigned ? new Integral("int16_t", 2, true) : new Integral("uint16_t", 2, false);
      case 4 -> isSigned ? INT : UINT32;
      default -> isSigned ? INT64 : UINT64;
    };
  }

  /** Returns the integral type of a number: of an address that of 64 bits. */
  public static Integral integral(Type type) {
    return type instanceof Integral integral ? integral : UINT64;
  }

  /**
   * Returns the type of the result of two numbers: the larger one, of two of a size that without a
   * sign. Small types are not promoted to int as in C; source: dt_type_promote() of libdtrace.
   */
  public static Integral common(Type left, Type right) {
    Integral one = integral(left);
    Integral other = integral(right);
    if (one.size() != other.size()) {
      return one.size() > other.size() ? one : other;
    }
    return one.isSigned() ? other : one;
  }
}

package io.ntrail.formats.decoration;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of operators and of compiler-generated functions, by their codes. */
final class OperatorNames {
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("2", "operator new"),
          Map.entry("3", "operator delete"),
          Map.entry("4", "operator="),
          Map.entry("5", "operator>>"),
          Map.entry("6", "operator<<"),
          Map.entry("7", "operator!"),
          Map.entry("8", "operator=="),
          Map.entry("9", "operator!="),
          Map.entry("A", "operator[]"),
          Map.entry("C", "operator->"),
          Map.entry("D", "operator*"),
          Map.entry("E", "operator++"),
          Map.entry("F", "operator--"),
          Map.entry("G", "operator-"),
          Map.entry("H", "operator+"),
          Map.entry("I", "operator&"),
          Map.entry("J", "operator->*"),
          Map.entry("K", "operator/"),
          Map.entry("L", "operator%"),
          Map.entry("M", "operator<"),
          Map.entry("N", "operator<="),
          Map.entry("O", "operator>"),
          Map.entry("P", "operator>="),
          Map.entry("Q", "operator,"),
          Map.entry("R", "operator()"),
          Map.entry("S", "operator~"),
          Map.entry("T", "operator^"),
          Map.entry("U", "operator|"),
          Map.entry("V", "operator&&"),
          Map.entry("W", "operator||"),
          Map.entry("X", "operator*="),
          Map.entry("Y", "operator+="),
          Map.entry("Z", "operator-="),
          Map.entry("_0", "operator/="),
          Map.entry("_1", "operator%="),
          Map.entry("_2", "operator>>="),
          Map.entry("_3", "operator<<="),
          Map.entry("_4", "operator&="),
          Map.entry("_5", "operator|="),
          Map.entry("_6", "operator^="),
          Map.entry("_D", "`vbase dtor'"),
          Map.entry("_E", "`vector deleting dtor'"),
          Map.entry("_F", "`default ctor closure'"),
          Map.entry("_G", "`scalar deleting dtor'"),
          Map.entry("_H", "`vector ctor iterator'"),
          Map.entry("_I", "`vector dtor iterator'"),
          Map.entry("_J", "`vector vbase ctor iterator'"),
          Map.entry("_K", "`virtual displacement map'"),
          Map.entry("_L", "`eh vector ctor iterator'"),
          Map.entry("_M", "`eh vector dtor iterator'"),
          Map.entry("_N", "`eh vector vbase ctor iterator'"),
          Map.entry("_O", "`copy ctor closure'"),
          Map.entry("_T", "`local vftable ctor closure'"),
          Map.entry("_U", "operator new[]"),
          Map.entry("_V", "operator delete[]"),
          Map.entry("_X", "`placement delete closure'"),
          Map.entry("_Y", "`placement delete[] closure'"),
          Map.entry("__A", "`managed vector ctor iterator'"),
          Map.entry("__B", "`managed vector dtor iterator'"),
          Map.entry("__C", "`EH vector copy ctor iterator'"),
          Map.entry("__D", "`EH vector vbase copy ctor iterator'"),
          Map.entry("__G", "`vector copy ctor iterator'"),
          Map.entry("__H", "`vector vbase copy constructor iterator'"),
          Map.entry("__I", "`managed vector vbase copy constructor iterator'"),
          Map.entry("__L", "operator co_await"),
          Map.entry("__M", "operator<=>"));

  /** llvm-undname shortens them; in "vector" they stay. */
  private static final Pattern SHORT = Pattern.compile("\\b([cd])tor\\b");

  private static final String MANAGED_COPY = "`managed vector vbase copy constructor iterator'";

  private OperatorNames() {}

  /**
   * Returns the name of a code.
   *
   * @param code the letters after {@code ?}, such as {@code 4} or {@code _U}
   * @return null if there is none, or none that is a name by itself
   */
  static @Nullable String of(String code) {
    return NAMES.get(code);
  }

  /** Returns the name that the C runtime uses: in full words. */
  static String spelledOut(String name) {
    if (name.equals(MANAGED_COPY)) {
      return "`managed vector copy constructor iterator'";
    }
    return SHORT
        .matcher(name)
        .replaceAll(found -> found.group(1).equals("c") ? "constructor" : "destructor")
        .replace("`EH ", "`eh ")
        .replace("operator \"\"", "operator \"\" ");
  }
}

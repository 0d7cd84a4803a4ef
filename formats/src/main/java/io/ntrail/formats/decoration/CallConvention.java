package io.ntrail.formats.decoration;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Calling convention of a 32-bit function, as its name tells it: where its arguments are. Of a name
 * that does not tell, cdecl or stdcall is assumed, whose arguments are all on the stack.
 *
 * @param title what it is called
 * @param isKnown whether the name tells it
 * @param inEcx whether the first argument is in ecx
 * @param inEdx whether the next one is in edx
 * @param words number of words of arguments, registers included; -1 if the name does not tell it
 */
public record CallConvention(
    String title, boolean isKnown, boolean inEcx, boolean inEdx, int words) {
  /** Numbers of ecx and edx among places of arguments (docs/ntr.md section 4). */
  private static final int ECX = 5;

  private static final int EDX = 6;
  private static final int UNKNOWN = -1;

  private static final Pattern GNU_NAME = Pattern.compile("__?Z");

  /** Begin of a name as Rust has them since its names are its own ("v0"). */
  private static final Pattern RUST_NAME = Pattern.compile("__?R[BCIMNXY]");

  /** Returns the convention of a function by its name as compilers give it, decorated or not. */
  public static CallConvention of(String name) {
    if (name.startsWith("?")) {
      return Undecorator.of(name, Undecorator.Style.FULL)
          .map(CallConvention::ofPlusPlus)
          .orElse(onStack("cdecl or stdcall", false, UNKNOWN));
    }
    int at = name.lastIndexOf('@');
    String digits = name.substring(at + 1);
    boolean hasBytes =
        at > 0
            && !digits.isEmpty()
            && digits.length() < 6
            && digits.chars().allMatch(CallConvention::isDigit);
    if (hasBytes) {
      int words = Math.ceilDiv(Integer.parseInt(digits), Integer.BYTES);
      boolean isVector = name.charAt(at - 1) == '@';
      return isVector || name.charAt(0) == '@'
          ? new CallConvention(isVector ? "vectorcall" : "fastcall", true, true, true, words)
          : onStack("stdcall", true, words);
    }
    if (GNU_NAME.matcher(name).lookingAt()) {
      return ofGnu(name.substring(name.indexOf('Z') - 1));
    }
    return isDecorated(name)
        ? onStack("cdecl", true, UNKNOWN)
        : onStack("cdecl or stdcall", false, UNKNOWN);
  }

  /**
   * Returns the convention of a function by a name that may be that of an export: where an
   * underscore alone would tell it, it may as well belong to the name ({@code _lopen}).
   */
  public static CallConvention ofExport(String name) {
    CallConvention told = of(name);
    boolean isByUnderscore = isDecorated(name) && !GNU_NAME.matcher(name).lookingAt();
    return isByUnderscore && told.words == UNKNOWN
        ? onStack("cdecl or stdcall", false, UNKNOWN)
        : told;
  }

  /** Parts that GCC makes of functions are called as it likes, and Rust's functions as it likes. */
  private static boolean isDecorated(String name) {
    return name.startsWith("_") && name.indexOf('.') < 0 && !RUST_NAME.matcher(name).lookingAt();
  }

  private static boolean isDigit(int letter) {
    return letter >= '0' && letter <= '9';
  }

  private static CallConvention onStack(String title, boolean isKnown, int words) {
    return new CallConvention(title, isKnown, false, false, words);
  }

  /** GNU compilers pass {@code this} as Microsoft's do, from GCC 4.7 on. */
  private static CallConvention ofGnu(String name) {
    return switch (GnuMember.of(name)) {
      case HAS_THIS -> new CallConvention("thiscall", true, true, false, UNKNOWN);
      case HAS_NONE, NO_MEMBER -> onStack("cdecl", true, UNKNOWN);
      case MAY_HAVE_THIS -> onStack("cdecl or thiscall", false, UNKNOWN);
    };
  }

  /** By the first convention in the text of a declaration, which is the function's own. */
  private static CallConvention ofPlusPlus(String text) {
    int first = Integer.MAX_VALUE;
    CallConvention found = onStack("cdecl or stdcall", false, UNKNOWN);
    for (CallConvention one :
        List.of(
            onStack("cdecl", true, UNKNOWN),
            onStack("stdcall", true, UNKNOWN),
            new CallConvention("thiscall", true, true, false, UNKNOWN),
            new CallConvention("fastcall", true, true, true, UNKNOWN),
            new CallConvention("vectorcall", true, true, true, UNKNOWN))) {
      int at = text.indexOf("__" + one.title + " ");
      if (at >= 0 && at < first) {
        first = at;
        found = one;
      }
    }
    return found;
  }

  /** Returns whether a function is known to return 64 bits: only C++ names tell that. */
  public static boolean returnsWide(String name) {
    return name.startsWith("?")
        && Undecorator.of(name, Undecorator.Style.FULL)
            .filter(text ->
                text.matches(
                    "((public|protected|private): )?((static|virtual) )?(unsigned )?__int64 .*"))
            .isPresent();
  }

  /** Returns whether arguments may be in registers where words of the stack are taken for them. */
  public boolean mayUseRegisters() {
    return !isKnown && !inEcx && title.contains("thiscall");
  }

  /** Returns its name, and whether it is assumed only. */
  public String text() {
    return isKnown ? title : title + " assumed";
  }

  /**
   * Returns which of some recorded values are arguments, in the order of the arguments.
   *
   * @param places of the values, as a recording tells them
   */
  public int[] arguments(List<Integer> places) {
    return IntStream.concat(
            IntStream.range(0, places.size())
                .filter(i -> inEcx && places.get(i) == ECX || inEdx && places.get(i) == EDX),
            IntStream.range(0, places.size())
                .filter(i -> places.get(i) != ECX && places.get(i) != EDX))
        .limit(words == UNKNOWN ? places.size() : words)
        .toArray();
  }

  /** Returns whether values of entries are words of a 32-bit program, by their places. */
  public static boolean isOf(List<Integer> places) {
    return places.contains(ECX);
  }
}

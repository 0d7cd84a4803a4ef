package io.ntrail.formats.decoration;

/**
 * Kind of a C++ function by its name as GNU compilers write it (Itanium C++ ABI, section 5.1). A
 * static member and a function of a namespace have names like any other member: most names do not
 * tell whether there is a {@code this}.
 */
enum GnuMember {
  /** It has a {@code this}. */
  HAS_THIS,

  /** It has none: an operator new or delete. */
  HAS_NONE,

  /** It is in a class or in a namespace, and may have a {@code this}. */
  MAY_HAVE_THIS,

  /** It is no member of a class. */
  NO_MEMBER;

  /** Qualifiers of members: restrict, volatile, const; of lvalues and rvalues. */
  private static final String QUALIFIERS = "rVKRO";

  /**
   * Judges a function.
   *
   * @param name that begins with {@code _Z}
   */
  static GnuMember of(String name) {
    // Parts and copies that GCC makes of a function take their arguments as it likes.
    if (name.indexOf('.') >= 0) {
      return MAY_HAVE_THIS;
    }
    if (name.startsWith("_ZTh") || name.startsWith("_ZTv") || name.startsWith("_ZTc")) {
      return HAS_THIS;
    }
    if (name.startsWith("_ZZ")) {
      // Something in a function: a lambda, a member of a local class.
      return MAY_HAVE_THIS;
    }
    return name.startsWith("_ZN") ? new Scan(name).nested() : NO_MEMBER;
  }

  /** One reading of a nested name. What is not understood ends it. */
  private static final class Scan {
    private static final char END = '\0';
    private final String name;
    private int at = 3;

    Scan(String name) {
      this.name = name;
    }

    private char next() {
      return at < name.length() ? name.charAt(at) : END;
    }

    private boolean take(char expected) {
      boolean is = next() == expected;
      at += is ? 1 : 0;
      return is;
    }

    GnuMember nested() {
      if (QUALIFIERS.indexOf(next()) >= 0) {
        return variadic(HAS_THIS);
      }
      GnuMember last = MAY_HAVE_THIS;
      while (next() != 'E') {
        char first = next();
        if (first == 'I') {
          if (!skipArguments()) {
            return MAY_HAVE_THIS;
          }
        } else if (first == 'B') {
          at++;
          if (!skipName()) {
            return MAY_HAVE_THIS;
          }
        } else if (first == 'c' && name.startsWith("cv", at)) {
          // A conversion is the last part, and its type is not read.
          return HAS_THIS;
        } else {
          last = part();
          if (at < 0) {
            return MAY_HAVE_THIS;
          }
        }
      }
      return last == HAS_THIS ? variadic(last) : last;
    }

    /** Members with an ellipsis have all arguments on the stack, the first of which is this. */
    private GnuMember variadic(GnuMember member) {
      return name.endsWith("z") ? MAY_HAVE_THIS : member;
    }

    /** Reads a part of the name; what is not understood moves the place to -1. */
    private GnuMember part() {
      take('L');
      char first = next();
      if (isDigit(first)) {
        return skipName() ? MAY_HAVE_THIS : lost();
      }
      if (first == 'S') {
        return skipSubstitution() ? MAY_HAVE_THIS : lost();
      }
      if (at + 1 >= name.length()) {
        return lost();
      }
      String two = name.substring(at, at + 2);
      at += 2;
      return switch (two) {
        // Constructors and destructors; = and ->, which have to be members that are not static,
        // as () and [] since C++23 have not.
        case "C1", "C2", "C3", "C4", "C5", "D0", "D1", "D2", "D4", "D5", "aS", "pt" -> HAS_THIS;
        case "nw", "na", "dl", "da" -> HAS_NONE;
        default -> isOperator(two.charAt(0), two.charAt(1)) ? MAY_HAVE_THIS : lost();
      };
    }

    private GnuMember lost() {
      at = -1;
      return MAY_HAVE_THIS;
    }

    private static boolean isDigit(char letter) {
      return letter >= '0' && letter <= '9';
    }

    private static boolean isOperator(char first, char second) {
      return first >= 'a'
          && first <= 'z'
          && (second >= 'a' && second <= 'z' || second >= 'A' && second <= 'Z');
    }

    /** Skips a length and so many characters. */
    private boolean skipName() {
      int length = 0;
      while (isDigit(next()) && length < name.length()) {
        length = 10 * length + next() - '0';
        at++;
      }
      at += length;
      return length > 0 && at < name.length();
    }

    /** Skips an abbreviation: {@code St}, {@code Ss}, {@code S_}, {@code S0_} and so on. */
    private boolean skipSubstitution() {
      at++;
      if (next() >= 'a' && next() <= 'z') {
        at++;
        return true;
      }
      while (isDigit(next()) || next() >= 'A' && next() <= 'Z') {
        at++;
      }
      return take('_');
    }

    /** Skips arguments of a template that are types, or numbers. */
    private boolean skipArguments() {
      int depth = 0;
      do {
        char first = next();
        if (isDigit(first)) {
          if (!skipName()) {
            return false;
          }
        } else if (first == 'S') {
          if (!skipSubstitution()) {
            return false;
          }
        } else if (first == 'L') {
          // A number of a builtin type.
          int end = name.indexOf('E', at);
          if (end < 0 || !name.substring(at + 1, end).matches("[a-z]n?[0-9]+")) {
            return false;
          }
          at = end + 1;
        } else if ("AXDTU".indexOf(first) >= 0 || first == END) {
          return false;
        } else {
          depth += first == 'I' || first == 'N' || first == 'F' || first == 'J' ? 1 : 0;
          depth -= first == 'E' ? 1 : 0;
          at++;
        }
      } while (depth > 0);
      return true;
    }
  }
}

package io.ntrail.formats.decoration;

/**
 * Decoration of C functions in 32-bit code, by calling convention: {@code _name} (cdecl), {@code
 * _name@8} (stdcall), {@code @name@8} (fastcall), {@code name@@8} (vectorcall); in export tables
 * also {@code name@8}. The number is that of the bytes of parameters.
 */
public final class CDecoration {
  private CDecoration() {}

  /** Returns a name as it is in the source; a name that is not decorated so as it is. */
  public static String plain(String name) {
    if (name.isEmpty() || name.charAt(0) == '?') {
      return name;
    }
    int end = name.length();
    while (end > 0 && name.charAt(end - 1) >= '0' && name.charAt(end - 1) <= '9') {
      end--;
    }
    boolean hasBytes = end < name.length() && end > 1 && name.charAt(end - 1) == '@';
    end = hasBytes ? end - 1 : name.length();
    boolean isVector = hasBytes && name.charAt(end - 1) == '@';
    if (isVector) {
      return end > 1 ? name.substring(0, end - 1) : name;
    }
    boolean isFast = hasBytes && name.charAt(0) == '@';
    int begin = isFast || name.charAt(0) == '_' ? 1 : 0;
    return begin < end ? name.substring(begin, end) : name;
  }
}

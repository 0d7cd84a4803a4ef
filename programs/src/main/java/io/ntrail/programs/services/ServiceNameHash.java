package io.ntrail.programs.services;

/**
 * The hash that KiServicesTab has instead of names: 32 bits over the name without its {@code Nt},
 * one character after the other. All arithmetic is unsigned and modulo 2^32.
 */
public final class ServiceNameHash {
  private ServiceNameHash() {}

  /**
   * The hash of a name.
   *
   * @param name without {@code Nt} or {@code Zw}: {@code OpenKeyTransacted} gives 0xB74A2D8F
   */
  public static int of(CharSequence name) {
    int hash = 0;
    for (int i = 0; i < name.length(); i++) {
      int sum = 1025 * (hash + name.charAt(i));
      hash = sum >>> 6 ^ sum;
    }
    return hash;
  }

  /**
   * Returns true if a name has the prefix of a system service, in front of a capital letter or a
   * digit.
   */
  static boolean isPrefixed(String name) {
    return name.length() > 2
        && (name.startsWith("Nt") || name.startsWith("Zw"))
        && !Character.isLowerCase(name.charAt(2));
  }
}

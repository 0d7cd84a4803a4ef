package io.ntrail.analysis.probe.compile;

/** Addresses of the internet as text. */
final class InternetAddresses {
  private static final int GROUPS = 8;

  private InternetAddresses() {}

  static String v4(byte[] bytes) {
    return v4(bytes, 0);
  }

  private static String v4(byte[] bytes, int from) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < from + 4; i++) {
      text.append(i == from ? "" : ".").append(bytes[i] & 0xFF);
    }
    return text.toString();
  }

  /** Returns an address of version 6: its longest row of zeros is left out. */
  static String v6(byte[] bytes) {
    int[] groups = new int[GROUPS];
    for (int i = 0; i < GROUPS; i++) {
      groups[i] = (bytes[2 * i] & 0xFF) << 8 | bytes[2 * i + 1] & 0xFF;
    }
    boolean hasV4 = groups[5] == 0xFFFF || groups[5] == 0 && (groups[6] != 0);
    for (int i = 0; i < 5; i++) {
      hasV4 &= groups[i] == 0;
    }
    if (hasV4) {
      return (groups[5] == 0 ? "::" : "::ffff:") + v4(bytes, 12);
    }
    int from = -1;
    int length = 1;
    for (int i = 0; i < GROUPS; i++) {
      int end = i;
      while (end < GROUPS && groups[end] == 0) {
        end++;
      }
      if (end - i > length) {
        from = i;
        length = end - i;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < GROUPS; i++) {
      if (i == from) {
        text.append("::");
        i += length - 1;
      } else {
        boolean isFirst = text.isEmpty() || text.charAt(text.length() - 1) == ':';
        text.append(isFirst ? "" : ":").append(Integer.toHexString(groups[i]));
      }
    }
    return text.toString();
  }
}

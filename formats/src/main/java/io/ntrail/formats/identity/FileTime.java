package io.ntrail.formats.identity;

/**
 * Points in time as Windows stores them: FILETIME, 100 ns since 1601-01-01 UTC. Written out since
 * {@code java.time} would cost several milliseconds at the start of the program.
 */
public final class FileTime {
  private static final long TO_UNIX_SECONDS = 11_644_473_600L;

  /** A second in its unit of 100 ns. */
  public static final long SECOND = 10_000_000L;

  /** The first day of the year 10000, counted from 1970. */
  private static final long LAST_DAY = 2_932_897L;

  private FileTime() {}

  /** Returns true if it is a date up to the year 9999. */
  public static boolean isDate(long fileTime) {
    return fileTime > 0 && Math.floorDiv(fileTime / SECOND - TO_UNIX_SECONDS, 86_400L) < LAST_DAY;
  }

  /** Returns nanoseconds since 1970 in UTC; beyond the year 2262 they do not fit. */
  public static long unixNanos(long fileTime) {
    return (fileTime - TO_UNIX_SECONDS * SECOND) * 100;
  }

  /** Returns true if it is a date that {@link #unixNanos} has a number for. */
  public static boolean hasUnixNanos(long fileTime) {
    long since = fileTime - TO_UNIX_SECONDS * SECOND;
    return fileTime > 0 && Math.abs(since) <= Long.MAX_VALUE / 100;
  }

  /** Returns the FILETIME of nanoseconds since 1970, rounded down. */
  public static long ofUnixNanos(long nanos) {
    return Math.floorDiv(nanos, 100) + TO_UNIX_SECONDS * SECOND;
  }

  /**
   * Returns {@code 2026-03-14T08:26:53.5891234Z}: ISO 8601 with 7 decimals; the bare number if it
   * is not a date up to the year 9999.
   */
  public static String text(long fileTime) {
    if (!isDate(fileTime)) {
      return Long.toUnsignedString(fileTime);
    }
    long seconds = fileTime / SECOND - TO_UNIX_SECONDS;
    int ofDay = (int) Math.floorMod(seconds, 86_400L);
    char[] text = "0000-00-00T00:00:00.0000000Z".toCharArray();
    putDate(text, Math.floorDiv(seconds, 86_400));
    put(text, 11, 2, ofDay / 3600);
    put(text, 14, 2, ofDay / 60 % 60);
    put(text, 17, 2, ofDay % 60);
    put(text, 20, 7, (int) (fileTime % SECOND));
    return new String(text);
  }

  /** The FILETIME of a number of seconds since 1970. */
  public static long ofUnixSeconds(long seconds) {
    return (seconds + TO_UNIX_SECONDS) * SECOND;
  }

  /**
   * The FILETIME of a day and a number of milliseconds after its midnight.
   *
   * @return 0 if month or day are none
   */
  public static long of(int year, int month, int day, long milliseconds) {
    if (month < 1 || month > 12 || day < 1 || day > 31 || year < 1601 || year > 9999) {
      return 0;
    }
    // Days from civil: years begin in March, so that the leap day is the last one.
    long y = month <= 2 ? year - 1 : year;
    long era = Math.floorDiv(y, 400);
    long ofEra = y - era * 400;
    long ofYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    long days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468;
    return (days * 86_400 + TO_UNIX_SECONDS) * SECOND + milliseconds * 10_000;
  }

  private static void putDate(char[] text, long daysSinceEpoch) {
    long z = daysSinceEpoch + 719_468;
    long era = Math.floorDiv(z, 146_097);
    long dayOfEra = z - era * 146_097;
    long yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    long shifted = (5 * dayOfYear + 2) / 153;
    long month = shifted < 10 ? shifted + 3 : shifted - 9;
    put(text, 0, 4, (int) (yearOfEra + era * 400 + (month <= 2 ? 1 : 0)));
    put(text, 5, 2, (int) month);
    put(text, 8, 2, (int) (dayOfYear - (153 * shifted + 2) / 5 + 1));
  }

  private static void put(char[] text, int at, int digits, int value) {
    int left = value;
    for (int i = at + digits - 1; i >= at; i--) {
      text[i] = (char) ('0' + left % 10);
      left /= 10;
    }
  }
}

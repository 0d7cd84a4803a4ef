package io.ntrail.analysis.merge.names;

import io.ntrail.analysis.merge.names.RecordTexts.Kind;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.LongSet;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Pseudonyms by a secret key: without it nobody can try names and see whether one gives the
 * pseudonym of a file. Each has the length of its name in every encoding, and none is a name of the
 * recording or the pseudonym of another one. One thread.
 */
final class Pseudonyms {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int DIGEST = 32;

  /** Trials with letters for letters and digits for digits; later ones take either. */
  private static final int MOST_OF_ITS_KIND = 200;

  private static final int MOST_TRIALS = 20_000;
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";
  private static final String DIGITS = "0123456789";

  /** Letters of one byte in the code pages of Western and Central Europe. */
  private static final String LATIN =
      "\u00e1\u00e2\u00e4\u00e7\u00e9\u00eb\u00ed\u00ee\u00f3\u00f4\u00f6\u00fa\u00fc\u00fd";

  /** Characters of two bytes in the code pages of China, Japan, Korea and Taiwan. */
  private static final String IDEOGRAPHS =
      "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u5927\u5c0f\u4e0a\u4e0b\u4e2d"
          + "\u4eba\u65e5\u6708\u706b\u6c34\u6728\u91d1\u571f\u5c71\u5ddd\u5929\u5730\u738b\u5b50";

  private final Mac mac;

  /**
   * Creates them.
   *
   * @param key secret; the same key gives the same pseudonyms for the same names
   */
  Pseudonyms(byte[] key) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has " + ALGORITHM, e);
    }
  }

  /** Returns 32 bytes that depend on a text and the number of a trial. */
  byte[] digest(String text, int trial) {
    mac.update((byte) (trial >>> 16));
    mac.update((byte) (trial >>> 8));
    mac.update((byte) trial);
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_16LE));
  }

  /**
   * Gives all names of a table their pseudonyms.
   *
   * @throws CannotGoOn if there are more names of some length than pseudonyms
   */
  void name(PseudonymTable names) {
    NameMatcher matcher = new NameMatcher(names, List.of());
    LongSet used = new LongSet();
    for (int name = 0; name < names.size(); name++) {
      if (names.kinds(name) != PseudonymTable.KEPT) {
        names.rename(name, unused(names.text(name), matcher, used));
      }
    }
  }

  private char[] unused(String name, NameMatcher matcher, LongSet used) {
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
      char[] candidate = candidate(name, trial);
      byte[] bytes = new String(candidate).getBytes(StandardCharsets.UTF_16LE);
      if (!matcher.has(bytes, 0, bytes.length, Kind.UTF16) && used.add(hash(candidate))) {
        return candidate;
      }
    }
    throw new CannotGoOn(
        "there are more names of "
            + name.length()
            + " characters in this recording than pseudonyms of that length",
        "cut a shorter part of it");
  }

  private static long hash(char[] text) {
    long hash = 1;
    for (char unit : text) {
      hash = PseudonymTable.step(hash, unit);
    }
    return hash;
  }

  private char[] candidate(String name, int trial) {
    char[] out = name.toCharArray();
    byte[] random = new byte[0];
    for (int i = 0; i < out.length; i++) {
      int at = 2 * i % DIGEST;
      if (at == 0) {
        random = digest(i + "/" + name, trial);
      }
      int value = (random[at] & 0xFF) << 8 | random[at + 1] & 0xFF;
      out[i] = unit(out[i], value, trial >= MOST_OF_ITS_KIND);
    }
    return out;
  }

  private static char of(String alphabet, int value) {
    return alphabet.charAt(value % alphabet.length());
  }

  private static char range(char first, char last, int value) {
    return (char) (first + value % (last - first + 1));
  }

  /** Returns a unit of as many bytes in the encodings that have both. */
  private static char unit(char unit, int value, boolean isAny) {
    if (NameUnits.isAsciiLetter(unit) || NameUnits.isDigit(unit)) {
      return isAny
          ? of(LETTERS + DIGITS, value)
          : NameUnits.isDigit(unit) ? of(DIGITS, value) : of(LETTERS, value);
    }
    if (Character.isLowSurrogate(unit)) {
      return range('\uDC00', '\uDFFF', value);
    }
    if (unit < 0x80 || !NameUnits.isWord(unit) || Character.isHighSurrogate(unit)) {
      return unit;
    }
    return switch (Character.UnicodeScript.of(unit)) {
      case GREEK -> unit < 0x800 ? range('\u03b1', '\u03c1', value) : of(IDEOGRAPHS, value);
      case CYRILLIC -> unit < 0x800 ? range('\u0430', '\u044f', value) : of(IDEOGRAPHS, value);
      case HEBREW -> unit < 0x800 ? range('\u05d0', '\u05d9', value) : of(IDEOGRAPHS, value);
      case ARABIC -> unit < 0x800 ? range('\u0627', '\u063a', value) : of(IDEOGRAPHS, value);
      case THAI -> range('\u0e01', '\u0e2e', value);
      default -> unit < 0x800 ? of(LATIN, value) : of(IDEOGRAPHS, value);
    };
  }
}

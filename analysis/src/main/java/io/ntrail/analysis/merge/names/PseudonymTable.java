package io.ntrail.analysis.merge.names;

import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.List;

/**
 * Names that are looked for, and their pseudonyms. A name is found by the hashes of its beginnings
 * up to each border of a word, so that a text is compared with all names at once, whatever their
 * number; identities that are long enough are found inside of words, too.
 */
final class PseudonymTable {
  /** Name of a user, a machine or a domain. */
  static final int IDENTITY = 1;

  /** Part of a path. */
  static final int PATH = 2;

  /** Word of a command line. */
  static final int COMMAND = 4;

  /** Base name of an image, which stays. */
  static final int KEPT = 8;

  /** An identity that is found at borders of words only, since it is part of names that stay. */
  static final int WORD_ONLY = 16;

  /** Characters of an identity that is found inside of words. */
  static final int LEAST_IN_WORD = 5;

  private static final int PREFIX = 1;
  private static final int SEEDS = 16;
  private static final long STEP = 0x9E3779B97F4A7C15L;

  private final int[] starts;
  private final char[] units;
  private final char[] pseudonyms;
  private final byte[] kinds;
  private final long[] threes = new long[1 << 15];
  private final long[] twos = new long[1 << 8];
  private final long[] twosInWord = new long[1 << 8];
  private final LongIntMap inWord = new LongIntMap();
  private final List<List<Integer>> namesInWord = new ArrayList<>();
  private boolean isBeyondAscii;
  private long seed;
  private LongIntMap byHash = new LongIntMap();

  /**
   * Names of different spelling.
   *
   * @param names folded, of two units at least
   * @param kinds of each, bits
   */
  PseudonymTable(List<String> names, byte[] kinds) {
    this.kinds = kinds.clone();
    this.starts = new int[names.size() + 1];
    int length = 0;
    for (int name = 0; name < names.size(); name++) {
      length += names.get(name).length();
      starts[name + 1] = length;
    }
    this.units = new char[length];
    this.pseudonyms = new char[length];
    for (int name = 0; name < names.size(); name++) {
      String text = names.get(name);
      text.getChars(0, text.length(), units, starts[name]);
      isBeyondAscii |= text.chars().anyMatch(unit -> unit >= 0x80);
      if (text.length() == 2) {
        set(twos, two(text.charAt(0), text.charAt(1)));
      } else {
        set(threes, three(text.charAt(0), text.charAt(1), text.charAt(2)));
      }
      if (isFoundInWords(name)) {
        addInWord(name);
      }
    }
    System.arraycopy(units, 0, pseudonyms, 0, length);
    // Two names with one hash are so rare that another seed ends it.
    for (seed = 1; !fill(); seed++) {
      if (seed == SEEDS) {
        throw new IllegalStateException("names that cannot be told apart");
      }
    }
  }

  private void addInWord(int name) {
    char first = unit(name, 0);
    char second = unit(name, 1);
    set(twosInWord, two(first, second));
    int at = inWord.get((long) first << 16 | second);
    if (at < 0) {
      at = namesInWord.size();
      inWord.put((long) first << 16 | second, at);
      namesInWord.add(new ArrayList<>());
    }
    namesInWord.get(at).add(name);
  }

  private static int two(char first, char second) {
    return (first << 7 ^ second) & (1 << 14) - 1;
  }

  private static int three(char first, char second, char third) {
    return (first << 14 ^ second << 7 ^ third) & (1 << 21) - 1;
  }

  private static void set(long[] bits, int bit) {
    bits[bit >>> 6] |= 1L << bit;
  }

  private static boolean has(long[] bits, int bit) {
    return (bits[bit >>> 6] & 1L << bit) != 0;
  }

  private boolean isFoundInWords(int name) {
    return (kinds[name] & (IDENTITY | WORD_ONLY)) == IDENTITY && length(name) >= LEAST_IN_WORD;
  }

  private boolean fill() {
    byHash = new LongIntMap();
    for (int name = 0; name < kinds.length; name++) {
      long hash = seed;
      for (int at = starts[name]; at < starts[name + 1]; at++) {
        hash = step(hash, units[at]);
        boolean isEnd = at + 1 == starts[name + 1];
        if (isEnd || NameUnits.isBorder(units[at], units[at + 1])) {
          int known = Math.max(0, byHash.get(hash));
          if (isEnd && known >>> 1 != 0) {
            return false;
          }
          byHash.put(hash, known | (isEnd ? name + 1 << 1 : PREFIX));
        }
      }
    }
    return true;
  }

  /** Returns the number of names. */
  int size() {
    return kinds.length;
  }

  /** Returns the hash of nothing. */
  long empty() {
    return seed;
  }

  /** Returns the hash of a text with one more unit. */
  static long step(long hash, char folded) {
    long mixed = (hash ^ folded) * STEP;
    return mixed ^ mixed >>> 29;
  }

  /** Returns what begins with the units of a hash up to a border; -1 if no name does. */
  int entry(long hash) {
    return byHash.get(hash);
  }

  /** Returns the name that an entry ends, -1 if it ends none. */
  static int name(int entry) {
    return (entry >>> 1) - 1;
  }

  /** Returns true if longer names begin like that. */
  static boolean goesOn(int entry) {
    return (entry & PREFIX) != 0;
  }

  /** Returns true if some name may begin with three units, of which the last may be missing. */
  boolean mayBegin(char first, char second, char third) {
    return has(threes, three(first, second, third)) || has(twos, two(first, second));
  }

  /** Returns true if some name has characters that are not of ASCII. */
  boolean isBeyondAscii() {
    return isBeyondAscii;
  }

  /** Returns the names that are found inside of words and begin with two units. */
  List<Integer> inWord(char first, char second) {
    int at = has(twosInWord, two(first, second)) ? inWord.get((long) first << 16 | second) : -1;
    return at < 0 ? List.of() : namesInWord.get(at);
  }

  /** Returns the kinds of a name. */
  int kinds(int name) {
    return kinds[name];
  }

  /** Returns the number of units of a name. */
  int length(int name) {
    return starts[name + 1] - starts[name];
  }

  /** Returns a folded unit of a name. */
  char unit(int name, int at) {
    return units[starts[name] + at];
  }

  /** Returns a name, folded. */
  String text(int name) {
    return new String(units, starts[name], length(name));
  }

  /** Returns a unit of the pseudonym of a name. */
  char pseudonym(int name, int at) {
    return pseudonyms[starts[name] + at];
  }

  /** Gives a name its pseudonym, which has as many units. */
  void rename(int name, char[] pseudonym) {
    System.arraycopy(pseudonym, 0, pseudonyms, starts[name], length(name));
  }
}

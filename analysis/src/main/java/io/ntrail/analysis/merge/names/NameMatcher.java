package io.ntrail.analysis.merge.names;

import io.ntrail.analysis.merge.names.RecordTexts.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds names of a {@link PseudonymTable} in bytes: in UTF-16 of either byte order at any
 * alignment, in UTF-8 and in code pages, in any case, the longest one first. One thread.
 *
 * <p>A name stands between borders of words, so that user {@code al} is not found in {@code
 * kernel32}; one of two or three characters stands where paths or command lines have their parts.
 * In bytes that nothing describes it stands in a text of some length, since it could be a number
 * otherwise.
 */
final class NameMatcher {
  private static final int SHORT = 3;

  /** Characters of a text in bytes of unknown meaning. */
  private static final int LEAST_RUN = 4;

  private final PseudonymTable names;
  private final List<TextEncoding> pages;
  private final long[] twos = new long[1 << 10];
  private final long[] threes = new long[1 << 15];
  private Kind kind = Kind.UNKNOWN;
  private int from;
  private int to;

  /** Bytes beyond ASCII, which are other characters in each code page. */
  private boolean hasHigh;

  /** End and name of the match. */
  private int end;

  private int name;

  /**
   * Creates one.
   *
   * @param pages encodings of text in bytes beside UTF-8 that names may be in
   */
  NameMatcher(PseudonymTable names, List<TextEncoding> pages) {
    this.names = names;
    this.pages = List.copyOf(pages);
    for (int one = 0; one < names.size(); one++) {
      beginnings(one);
    }
  }

  /** Notes the first bytes of a name in all encodings of bytes. */
  private void beginnings(int one) {
    int count = Math.min(3, names.length(one));
    List<String> begins = List.of("");
    for (int i = 0; i < count; i++) {
      List<String> longer = new ArrayList<>();
      for (String begin : begins) {
        String variants = NameUnits.variants(names.unit(one, i));
        for (int j = 0; j < variants.length(); j++) {
          longer.add(begin + variants.charAt(j));
        }
      }
      begins = longer;
    }
    for (String begin : begins) {
      beginning(TextEncoding.UTF8.encoded(begin));
      if (begin.chars().anyMatch(unit -> unit >= 0x80)) {
        pages.forEach(page -> beginning(page.encoded(begin)));
      }
    }
  }

  private void beginning(byte[] bytes) {
    if (bytes.length == 2) {
      int two = two(bytes, 0);
      twos[two >>> 6] |= 1L << two;
    } else if (bytes.length > 2) {
      int three = three(bytes, 0);
      threes[three >>> 6] |= 1L << three;
    }
  }

  private static int two(byte[] data, int at) {
    return (data[at] & 0xFF) << 8 | data[at + 1] & 0xFF;
  }

  private static int three(byte[] data, int at) {
    int all = two(data, at) << 8 | data[at + 2] & 0xFF;
    return (all ^ all >>> 21) & (1 << 21) - 1;
  }

  /** Replaces the names in some bytes. */
  void replace(byte[] data, int start, int stop, Kind itsKind) {
    range(data, start, stop, itsKind);
    for (int at = start; at < stop; ) {
      at = at(data, at, true);
    }
  }

  /** Returns true if some bytes have a name. */
  boolean has(byte[] data, int start, int stop, Kind itsKind) {
    range(data, start, stop, itsKind);
    for (int at = start; at < stop; ) {
      name = -1;
      at = at(data, at, false);
      if (name >= 0) {
        return true;
      }
    }
    return false;
  }

  private void range(byte[] data, int start, int stop, Kind itsKind) {
    from = start;
    to = stop;
    kind = itsKind;
    hasHigh = false;
    for (int at = start; !pages.isEmpty() && !hasHigh && at < stop; at++) {
      hasHigh = data[at] < 0;
    }
  }

  /** Returns the place to go on at: behind a name, or the next byte. */
  private int at(byte[] data, int at, boolean replaces) {
    int after = 0;
    if (at + 4 <= to) {
      boolean isAny = names.isBeyondAscii();
      char third = at + 6 <= to ? low(data, at + 4) : 0;
      if ((isAny || (data[at + 1] | data[at + 3]) == 0)
          && mayBegin(low(data, at), low(data, at + 2), third)) {
        after = found(TextEncoding.UTF16_LE, data, at, replaces);
      }
      if (after == 0
          && (isAny || (data[at] | data[at + 2]) == 0)
          && mayBegin(high(data, at), high(data, at + 2), Character.reverseBytes(third))) {
        after = found(TextEncoding.UTF16_BE, data, at, replaces);
      }
    }
    if (after == 0 && at + 2 <= to && mayBeginInBytes(data, at)) {
      after = found(TextEncoding.UTF8, data, at, replaces);
      for (int page = 0; after == 0 && hasHigh && page < pages.size(); page++) {
        after = found(pages.get(page), data, at, replaces);
      }
    }
    return after > 0 ? after : at + 1;
  }

  private static char low(byte[] data, int at) {
    return (char) (data[at] & 0xFF | (data[at + 1] & 0xFF) << 8);
  }

  private static char high(byte[] data, int at) {
    return (char) (data[at + 1] & 0xFF | (data[at] & 0xFF) << 8);
  }

  private boolean mayBegin(char first, char second, char third) {
    return names.mayBegin(
        NameUnits.folded(first), NameUnits.folded(second), NameUnits.folded(third));
  }

  private boolean mayBeginInBytes(byte[] data, int at) {
    int two = two(data, at);
    if ((twos[two >>> 6] & 1L << two) != 0) {
      return true;
    }
    if (at + 3 > to) {
      return false;
    }
    int three = three(data, at);
    return (threes[three >>> 6] & 1L << three) != 0;
  }

  /** Returns the end of the name that begins at a place; 0 if none does. */
  private int found(TextEncoding encoding, byte[] data, int at, boolean replaces) {
    char unit = (char) encoding.read(data, at, to);
    end = 0;
    int before = before(encoding, data, at);
    if (before < 0 || NameUnits.isBorder((char) before, unit)) {
      words(encoding, data, at, before);
    }
    if (kind != Kind.DESCRIPTION) {
      inWord(encoding, data, at, NameUnits.folded(unit));
    }
    if (end > 0 && replaces) {
      write(encoding, data, at);
    }
    return end;
  }

  /**
   * Returns the unit before a place, {@link TextEncoding#NONE} at the start of a text: in bytes of
   * unknown meaning the end of a text of bytes may look like a letter before one in UTF-16.
   */
  private int before(TextEncoding encoding, byte[] data, int at) {
    int before = encoding.before(data, at, from);
    boolean isWide = encoding == TextEncoding.UTF16_LE || encoding == TextEncoding.UTF16_BE;
    boolean isOther =
        kind == Kind.UNKNOWN
            && isWide
            && before > 0
            && before < 0x80
            && encoding.before(data, at - 2, from) >= 0x100;
    return isOther ? TextEncoding.NONE : before;
  }

  /** Looks for names that end at a border of words. */
  private void words(TextEncoding encoding, byte[] data, int start, int before) {
    long hash = names.empty();
    int length = 0;
    int at = start;
    int read = encoding.read(data, at, to);
    while (read >= 0) {
      char unit = (char) read;
      hash = PseudonymTable.step(hash, NameUnits.folded(unit));
      length++;
      at += read >>> 16;
      read = encoding.read(data, at, to);
      if (read < 0 || NameUnits.isBorder(unit, (char) read)) {
        int entry = names.entry(hash);
        if (entry < 0) {
          return;
        }
        int candidate = PseudonymTable.name(entry);
        if (candidate >= 0
            && names.length(candidate) == length
            && isThere(encoding, data, start, candidate) > 0
            && fits(encoding, data, start, at, candidate, before, read)) {
          end = at;
          name = candidate;
        }
        if (!PseudonymTable.goesOn(entry)) {
          return;
        }
      }
    }
  }

  private void inWord(TextEncoding encoding, byte[] data, int start, char first) {
    int read = encoding.read(data, start, to);
    int second = encoding.read(data, start + (read >>> 16), to);
    if (second < 0) {
      return;
    }
    for (int candidate : names.inWord(first, NameUnits.folded((char) second))) {
      int after = isThere(encoding, data, start, candidate);
      if (after > end) {
        end = after;
        name = candidate;
      }
    }
  }

  /** Returns the end of a name that is at a place; 0 if it is not. */
  private int isThere(TextEncoding encoding, byte[] data, int start, int candidate) {
    int at = start;
    for (int i = 0; i < names.length(candidate); i++) {
      int read = encoding.read(data, at, to);
      if (read < 0 || NameUnits.folded((char) read) != names.unit(candidate, i)) {
        return 0;
      }
      at += read >>> 16;
    }
    return at;
  }

  private boolean fits(
      TextEncoding encoding,
      byte[] data,
      int start,
      int stop,
      int candidate,
      int before,
      int after) {
    int kinds = names.kinds(candidate);
    int length = names.length(candidate);
    boolean isIdentity = (kinds & PseudonymTable.IDENTITY) != 0;
    if (kind == Kind.DESCRIPTION) {
      return isIdentity && length >= SHORT && !WellKnownNames.isMarkup(names.text(candidate));
    }
    if (kinds == PseudonymTable.KEPT) {
      return true;
    }
    boolean isPart =
        isPartOfPath(before, after)
            || (kinds & (PseudonymTable.COMMAND | PseudonymTable.IDENTITY)) != 0
                && isWordOfCommand(before, after);
    boolean isLong = length > SHORT || isIdentity && length == SHORT;
    return (isLong || isPart)
        && (isTrusted(encoding, start) || isInText(encoding, data, start, stop, isIdentity));
  }

  private static boolean isEdge(int unit) {
    return unit <= 0 || unit == '"' || unit == '\'';
  }

  private static boolean isSlash(int unit) {
    return unit == '\\' || unit == '/';
  }

  private static boolean isPartOfPath(int before, int after) {
    boolean isJoined = after == '-' || after == '_';
    boolean isJoinedBefore = before == '-' || before == '_' || before == '.';
    return isSlash(before) && !isJoined
        || isSlash(after) && !isJoinedBefore
        || isEdge(before) && (isEdge(after) || after == '.');
  }

  private static boolean isWordOfCommand(int before, int after) {
    return isSeparator(before) && isSeparator(after);
  }

  private static boolean isSeparator(int unit) {
    return isEdge(unit) || " \t\r\n=:;,@|()<>&".indexOf(unit) >= 0;
  }

  /** Returns true if the bytes are described as text of an encoding. */
  private boolean isTrusted(TextEncoding encoding, int start) {
    return switch (kind) {
      case UTF16 -> encoding == TextEncoding.UTF16_LE && (start - from & 1) == 0;
      case BYTES -> encoding != TextEncoding.UTF16_LE && encoding != TextEncoding.UTF16_BE;
      case UNKNOWN, DESCRIPTION -> false;
    };
  }

  /** Returns true if what surrounds a match is text, and so much that it is no number. */
  private boolean isInText(
      TextEncoding encoding, byte[] data, int start, int stop, boolean isIdentity) {
    boolean isWide = encoding == TextEncoding.UTF16_LE || encoding == TextEncoding.UTF16_BE;
    int width = isWide ? 2 : 1;
    int least = isIdentity && (isWide || stop - start >= SHORT) ? 2 : LEAST_RUN;
    int run = (stop - start) / width;
    for (int at = stop; run < least && at + width <= to; at += width) {
      int read = encoding.read(data, at, to);
      if (read < 0 || !isText((char) read)) {
        break;
      }
      run++;
    }
    for (int at = start; run < least && at - width >= from; at -= width) {
      int unit = encoding.before(data, at, from);
      if (unit < 0 || !isText((char) unit)) {
        break;
      }
      run++;
    }
    return run >= least;
  }

  private static boolean isText(char unit) {
    return unit >= ' ' && unit < 0x7F || unit > 0xA0 && NameUnits.isWord(unit);
  }

  private void write(TextEncoding encoding, byte[] data, int start) {
    if (names.kinds(name) == PseudonymTable.KEPT) {
      return;
    }
    int at = start;
    for (int i = 0; i < names.length(name); i++) {
      int width = encoding.read(data, at, to) >>> 16;
      encoding.write(data, at, width, names.pseudonym(name, i));
      at += width;
    }
  }
}

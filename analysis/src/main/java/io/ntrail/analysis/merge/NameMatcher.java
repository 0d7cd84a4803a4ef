package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.RecordTexts.Kind;
import java.util.List;

/**
 * Finds names of a {@link NameTable} in bytes: in UTF-16 of either byte order at any alignment, in
 * UTF-8 and in code pages, in any case, the longest one first. One thread.
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

  private final NameTable names;
  private final List<TextEncoding> pages;
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
  NameMatcher(NameTable names, List<TextEncoding> pages) {
    this.names = names;
    this.pages = List.copyOf(pages);
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
    int low = data[at] & 0xFF;
    if (at + 1 < to) {
      int high = data[at + 1] & 0xFF;
      int after = found(TextEncoding.UTF16_LE, data, at, (char) (low | high << 8), replaces);
      if (after > 0) {
        return after;
      }
      after = found(TextEncoding.UTF16_BE, data, at, (char) (high | low << 8), replaces);
      if (after > 0) {
        return after;
      }
    }
    // Names have two characters at least.
    if (at + 1 >= to || data[at + 1] == 0) {
      return at + 1;
    }
    int read = low < 0x80 ? low : TextEncoding.UTF8.read(data, at, to);
    int after = found(TextEncoding.UTF8, data, at, (char) read, replaces);
    for (int page = 0; after == 0 && hasHigh && page < pages.size(); page++) {
      TextEncoding its = pages.get(page);
      after = found(its, data, at, (char) its.read(data, at, to), replaces);
    }
    return after > 0 ? after : at + 1;
  }

  /** Returns the end of the name that begins at a place; 0 if none does. */
  private int found(TextEncoding encoding, byte[] data, int at, char unit, boolean replaces) {
    char first = NameUnits.folded(unit);
    if (!names.begins(first)) {
      return 0;
    }
    end = 0;
    int before = before(encoding, data, at);
    if (before < 0 || NameUnits.isBorder((char) before, unit)) {
      words(encoding, data, at, before);
    }
    if (kind != Kind.DESCRIPTION && names.beginsInWord(first)) {
      inWord(encoding, data, at, first);
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
      hash = NameTable.step(hash, NameUnits.folded(unit));
      length++;
      at += read >>> 16;
      read = encoding.read(data, at, to);
      if (read < 0 || NameUnits.isBorder(unit, (char) read)) {
        int entry = names.entry(hash);
        if (entry < 0) {
          return;
        }
        int candidate = NameTable.name(entry);
        if (candidate >= 0
            && names.length(candidate) == length
            && isThere(encoding, data, start, candidate) > 0
            && fits(encoding, data, start, at, candidate, before, read)) {
          end = at;
          name = candidate;
        }
        if (!NameTable.goesOn(entry)) {
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
    boolean isIdentity = (kinds & NameTable.IDENTITY) != 0;
    if (kind == Kind.DESCRIPTION) {
      return isIdentity && length >= SHORT && !WellKnownNames.isMarkup(names.text(candidate));
    }
    if (kinds == NameTable.KEPT) {
      return true;
    }
    boolean isPart =
        isPartOfPath(before, after)
            || (kinds & (NameTable.COMMAND | NameTable.IDENTITY)) != 0
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
    if (names.kinds(name) == NameTable.KEPT) {
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

package io.ntrail.analysis.merge.names;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds the names in paths, and paths in texts. */
final class PathNames {
  private static final Set<String> NAMESPACES = Set.of("?", ".", "??", "global??");
  private static final Set<String> REDIRECTORS =
      Set.of("mup", "lanmanredirector", "webdavredirector");

  private static final Set<String> PROFILES = Set.of("users", "documents and settings");
  private static final Set<String> ROOTS = Set.of("windows", "systemroot", "program files");
  private static final String NOT_IN_NAMES = "\"<>|*?:";
  private static final int MOST_NAME = 255;

  private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:");
  private static final Pattern ROOT =
      Pattern.compile(
          "(?i)(?:device|systemroot|users|windows|documents and settings|program ?files.*|programdata"
              + "|\\?\\?|global\\?\\?|[a-z]:|\\?|\\.)");

  private static final Pattern SERVER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,62}");
  private static final Pattern HOST =
      Pattern.compile("://(?:[^/@\\s]{1,64}@)?([A-Za-z0-9][A-Za-z0-9.-]{1,252})");

  /** Sites that every machine asks, and those that name formats. */
  private static final Pattern PUBLIC =
      Pattern.compile(
          "(?i)(?:^|\\.)(?:microsoft|windows|windowsupdate|msftncsi|msftconnecttest|live|bing"
              + "|office|digicert|verisign|w3|xmlsoap|openxmlformats|adobe|google|mozilla|github)"
              + "\\.(?:com|org|net)$|^[0-9.]+$");

  private static final Pattern MARKS = Pattern.compile("[\"<>|*?:]+");

  private final NameCollector to;

  PathNames(NameCollector to) {
    this.to = to;
  }

  private static boolean isSlash(char unit) {
    return unit == '\\' || unit == '/';
  }

  /** Collects the names of a text that is a path. */
  void whole(String text, boolean isImage) {
    parts(split(text), isUnc(text, 0), isImage);
    // It may be a list, or a path with something behind it.
    if (text.indexOf(';') >= 0 || text.indexOf('"') >= 0) {
      find(text, true);
    }
  }

  private static boolean isUnc(String text, int at) {
    return text.length() > at + 2
        && text.charAt(at) == '\\'
        && text.charAt(at + 1) == '\\'
        && !isSlash(text.charAt(at + 2));
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int begin = 0;
    for (int at = 0; at <= text.length(); at++) {
      if (at == text.length() || isSlash(text.charAt(at))) {
        if (at > begin) {
          parts.add(text.substring(begin, at));
        }
        begin = at + 1;
      }
    }
    return parts;
  }

  /**
   * Looks for paths in a text.
   *
   * @param isText true if it is text for certain, so that whatever has backslashes is a path
   */
  void find(String text, boolean isText) {
    if (text.indexOf('\\') < 0 && text.indexOf('/') < 0) {
      return;
    }
    hosts(text);
    for (int at = 0; at < text.length(); ) {
      at = begins(text, at, isText) ? path(text, at) : at + 1;
    }
  }

  /** Collects the machines that are named by URLs. */
  private void hosts(String text) {
    if (!text.contains("://")) {
      return;
    }
    HOST.matcher(text)
        .results()
        .map(found -> found.group(1))
        .forEach(host -> {
          if (host.indexOf('.') < 0) {
            to.machine(host);
          } else if (!PUBLIC.matcher(host).find()) {
            to.name(host, PseudonymTable.PATH);
          }
        });
  }

  private static boolean begins(String text, int at, boolean isText) {
    char unit = text.charAt(at);
    char before = at == 0 ? ' ' : text.charAt(at - 1);
    if (NameUnits.isAsciiLetter(unit)) {
      boolean isDrive =
          at + 2 < text.length()
              && text.charAt(at + 1) == ':'
              && isSlash(text.charAt(at + 2))
              // Of other bytes the one before may look like a letter.
              && (!NameUnits.isWord(before) || !isText && text.charAt(at + 2) == '\\');
      return isDrive
          || isText && !isSlash(before) && NameUnits.isBorder(before, unit) && isRelative(text, at);
    }
    if (unit == '\\' && !NameUnits.isWord(before) && before != '\\') {
      return isText
          || ROOT.matcher(next(text, at + 1)).matches()
          || isUnc(text, at) && SERVER.matcher(next(text, at + 2)).matches();
    }
    return unit == '/'
        && !NameUnits.isWord(before)
        && before != '/'
        && before != ':'
        && (text.startsWith("/home/", at) || text.startsWith("/Users/", at));
  }

  /** Returns true if a word has a backslash in it. */
  private static boolean isRelative(String text, int start) {
    for (int at = start; at < text.length(); at++) {
      char unit = text.charAt(at);
      if (unit == '\\') {
        return at > start && at + 1 < text.length() && text.charAt(at + 1) > ' ';
      }
      if (unit <= ' ' || NOT_IN_NAMES.indexOf(unit) >= 0 || unit == '/') {
        return false;
      }
    }
    return false;
  }

  private static String next(String text, int start) {
    int at = start;
    while (at < text.length() && !isSlash(text.charAt(at)) && text.charAt(at) >= ' ') {
      at++;
    }
    return text.substring(start, at);
  }

  /** Collects the names of a path that begins in a text, and returns its end. */
  private int path(String text, int start) {
    boolean isUnc = isUnc(text, start);
    boolean isQuoted = start > 0 && text.charAt(start - 1) == '"';
    List<String> parts = new ArrayList<>();
    int at = start;
    while (at < text.length()) {
      while (at < text.length() && isSlash(text.charAt(at))) {
        at++;
      }
      String part = next(text, at);
      boolean isFirst = parts.isEmpty() && (DRIVE.matcher(part).matches() || part.startsWith("?"));
      int bad = isFirst ? part.length() : firstBad(part);
      boolean isMiddle =
          bad == part.length()
              && at + part.length() < text.length()
              && isSlash(text.charAt(at + part.length()))
              && part.length() <= MOST_NAME;
      if (isMiddle) {
        parts.add(part);
        at += part.length();
        continue;
      }
      String last = part.substring(0, bad);
      boolean isToTheEnd = start == 0 && at + bad == text.length() || isQuoted;
      if (isToTheEnd && last.length() <= MOST_NAME) {
        List<String> all = new ArrayList<>(parts);
        all.add(last);
        parts(all, isUnc, false);
      }
      String word = word(last);
      if (!word.equals(last) || !isToTheEnd) {
        parts.add(word);
        parts(parts, isUnc, false);
      }
      return Math.max(at + word.length(), start + 1);
    }
    parts(parts, isUnc, false);
    return Math.max(at, start + 1);
  }

  private static int firstBad(String part) {
    for (int i = 0; i < part.length(); i++) {
      if (NOT_IN_NAMES.indexOf(part.charAt(i)) >= 0) {
        return i;
      }
    }
    return part.length();
  }

  /** Returns the first word of a text. */
  private static String word(String text) {
    int at = 0;
    while (at < text.length() && text.charAt(at) > ' ' && ",;)]}'=&".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    // The dot behind a sentence is none of a file.
    return at > 0 && text.charAt(at - 1) == '.' ? text.substring(0, at - 1) : text.substring(0, at);
  }

  private void parts(List<String> all, boolean isUnc, boolean isImage) {
    List<String> parts = new ArrayList<>(all);
    boolean isServer = isUnc;
    if (!parts.isEmpty() && NAMESPACES.contains(folded(parts.getFirst()))) {
      parts.removeFirst();
      isServer = false;
    }
    if (parts.size() > 1 && folded(parts.getFirst()).equals("unc")) {
      parts.removeFirst();
      isServer = true;
    } else if (parts.size() > 2
        && folded(parts.getFirst()).equals("device")
        && REDIRECTORS.contains(folded(parts.get(1)))) {
      parts.subList(0, 2).clear();
      parts.removeIf(part -> part.startsWith(";"));
      isServer = true;
    }
    if (parts.isEmpty() || folded(parts.getFirst()).equals("registry")) {
      return;
    }
    if (isServer) {
      to.machine(parts.removeFirst());
    }
    names(parts, isImage);
  }

  private static String folded(String part) {
    return part.toLowerCase(Locale.ROOT);
  }

  private void names(List<String> parts, boolean isImage) {
    int root = 0;
    while (root < parts.size() && isVolume(folded(parts.get(root)))) {
      root++;
    }
    boolean isOfWindows = false;
    boolean isTree = false;
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      String folded = folded(part);
      boolean isLast = i + 1 == parts.size();
      isOfWindows |= i <= root && ROOTS.stream().anyMatch(folded::startsWith);
      boolean isProfile =
          i > 0
              && i <= root + 2
              && (PROFILES.contains(folded(parts.get(i - 1)))
                  || i == root + 1 && folded(parts.get(i - 1)).equals("home"));
      if (isProfile && !(isLast && isFile(part))) {
        to.user(part);
      } else if (isLast && isImage && (isFileOfImage(part) || !isFile(part))) {
        to.image(part);
      } else if (isLast) {
        for (String one : MARKS.split(part, -1)) {
          if (isTree && !isFileOfImage(one)) {
            continue;
          }
          file(one, PseudonymTable.PATH);
        }
      } else if (!isTree) {
        for (String one : MARKS.split(part, -1)) {
          to.name(one, PseudonymTable.PATH);
        }
      }
      isTree |= isOfWindows && (WellKnownNames.isTree(folded) || folded.equals("windowsapps"));
    }
  }

  private static boolean isVolume(String folded) {
    return DRIVE.matcher(folded).matches()
        || folded.equals("device")
        || folded.startsWith("harddiskvolume")
        || folded.startsWith("volume{");
  }

  private static boolean isFile(String name) {
    int dot = name.lastIndexOf('.');
    return dot > 0 && WellKnownNames.isExtension(folded(name.substring(dot + 1)));
  }

  private static boolean isFileOfImage(String name) {
    int dot = name.lastIndexOf('.');
    return dot > 0 && WellKnownNames.isImage(folded(name.substring(dot + 1)));
  }

  /** Collects the name of a file: extensions stay, and so do images. */
  void file(String name, int kind) {
    if (name.startsWith(".") && WellKnownNames.isExtension(folded(name.substring(1)))) {
      return;
    }
    if (isFileOfImage(name)) {
      to.image(name);
    } else if (isFile(name)) {
      String stem = name.substring(0, name.lastIndexOf('.'));
      if (isFileOfImage(stem)) {
        to.image(stem);
      } else {
        to.name(stem, kind);
      }
    } else {
      to.name(name, kind);
    }
  }
}

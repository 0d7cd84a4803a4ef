package io.ntrail.export.stacks;

import io.ntrail.analysis.naming.FrameKind;
import java.util.Comparator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of frames as they are in files: what they may contain, and what they mean. */
public final class FrameNames {
  /** A frame without a name. */
  public static final String UNKNOWN = "[unknown]";

  private static final Pattern PROCESS = Pattern.compile("(.+) \\(\\d+\\)");
  private static final Pattern NAMELESS = Pattern.compile("process \\d+");
  private static final Pattern KERNEL_MODULE =
      Pattern.compile("(?i)(ntoskrnl\\.exe|ntkrnl\\w*\\.exe|hal\\.dll|[^!]*\\.sys)(!.*|\\+0x.*)?");

  /** Order of UTF-8, byte by byte. */
  public static final Comparator<String> BYTEWISE = FrameNames::compare;

  private FrameNames() {}

  /**
   * A name that fits into every format: {@code ;} separates frames and becomes a colon, what
   * controls a line or a terminal a blank, half a character a replacement.
   */
  public static String fit(String name) {
    StringBuilder fitting = null;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      char instead = c == ';' ? ':' : controls(c) ? ' ' : isHalf(name, i) ? '\uFFFD' : c;
      if (instead != c) {
        if (fitting == null) {
          fitting = new StringBuilder(name);
        }
        fitting.setCharAt(i, instead);
      }
    }
    String fit = fitting == null ? name : fitting.toString();
    return fit.isEmpty() ? UNKNOWN : fit;
  }

  private static boolean controls(char c) {
    // A byte order mark is none where a name stands, but may come to stand where one does.
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029' || c == '\uFEFF';
  }

  /** Returns whether half of a surrogate pair is there alone. */
  private static boolean isHalf(String name, int at) {
    char c = name.charAt(at);
    if (Character.isHighSurrogate(c)) {
      return at + 1 == name.length() || !Character.isLowSurrogate(name.charAt(at + 1));
    }
    return Character.isLowSurrogate(c)
        && (at == 0 || !Character.isHighSurrogate(name.charAt(at - 1)));
  }

  private static int compare(String a, String b) {
    int shorter = Math.min(a.length(), b.length());
    for (int i = 0; i < shorter; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean both = Character.isSurrogate(x) == Character.isSurrogate(y);
        // Surrogates stand for what lies behind all other characters.
        return both ? Character.compare(x, y) : Character.isSurrogate(x) ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }

  /**
   * Returns the kind of a frame by its name: the suffixes that flame graph tools know ({@code
   * _[k]}, {@code _[i]}, {@code _[j]}), or by its module.
   *
   * @param isFirst whether it is the outermost frame, where processes stand
   */
  public static FrameKind kind(String name, boolean isFirst) {
    if (name.endsWith("]") && name.length() > 4 && name.startsWith("_[", name.length() - 4)) {
      switch (name.charAt(name.length() - 2)) {
        case 'k' -> {
          return FrameKind.KERNEL;
        }
        case 'i' -> {
          return FrameKind.INLINED;
        }
        case 'j', '0', '1' -> {
          return FrameKind.MANAGED;
        }
        default -> {
          // Another's ending, or a part of the name.
        }
      }
    }
    if (isFirst && PROCESS.matcher(name).matches()) {
      return FrameKind.PROCESS;
    }
    if (name.startsWith("(jitted)")) {
      return FrameKind.MANAGED;
    }
    return KERNEL_MODULE.matcher(name).matches() ? FrameKind.KERNEL : FrameKind.NATIVE;
  }

  /** Returns the suffix by which flame graph tools know a kind of frame; often empty. */
  public static String annotation(FrameKind kind) {
    return switch (kind) {
      case KERNEL -> "_[k]";
      case INLINED -> "_[i]";
      case MANAGED -> "_[j]";
      case PROCESS, NATIVE -> "";
    };
  }

  /** A name without the annotation of its kind. */
  public static String plain(String name, FrameKind kind) {
    String ending = annotation(kind);
    return !ending.isEmpty() && name.endsWith(ending) && name.length() > ending.length()
        ? name.substring(0, name.length() - ending.length())
        : name;
  }

  /** Name of a process without its id: what it has in common with another run's. */
  public static String withoutId(String process) {
    if (NAMELESS.matcher(process).matches()) {
      return "process";
    }
    var parts = PROCESS.matcher(process);
    return parts.matches() ? parts.group(1) : process;
  }

  /** Returns the module in a name; null if it has none. */
  public static @Nullable String module(String name) {
    int end = name.indexOf('!');
    if (end <= 0) {
      end = name.indexOf("+0x");
    }
    return end > 0 ? name.substring(0, end) : null;
  }
}

package io.ntrail.analysis.probe.aggregation;

import java.nio.charset.StandardCharsets;

/**
 * Look of the bars of distributions. Texts are bytes, a character for each.
 *
 * @param isZoomed true: the longest bar takes 95 % of the room, else all bars together fill it
 * @param isUtf8 true: bars of block characters, else of at signs
 */
public record BarStyle(boolean isZoomed, boolean isUtf8) {
  /** Bars as they are unless an option says otherwise. */
  public static final BarStyle PLAIN = new BarStyle(false, false);

  private static final int LENGTH = 40;
  private static final int EIGHTHS = 8;
  private static final double ZOOMED = 0.95;

  /** First of the characters for a whole, seven eighths, and so on. */
  private static final char FULL_BLOCK = 0x2588;

  /** Last of the characters from an eighth to a whole of the height. */
  private static final char LOWEST_BLOCK = 0x2581;

  private static final String LEVELS = "__xxxxXX";
  private static final String NEGATIVE_LEVELS = "vvvvVV";

  /** Weights that are drawn together. */
  public record Scale(double total, double most, boolean hasPositive, boolean hasNegative) {
    /** Returns the scale of weights from one range to another. */
    public static Scale of(long[] weights, int first, int last) {
      double total = 0;
      double most = 0;
      boolean hasPositive = false;
      boolean hasNegative = false;
      for (int i = first; i <= last; i++) {
        double size = Math.abs((double) weights[i]);
        hasPositive |= weights[i] > 0;
        hasNegative |= weights[i] < 0;
        total += size;
        most = Math.max(most, size);
      }
      return new Scale(total, most, hasPositive, hasNegative);
    }
  }

  /** Returns a bar with the line that it begins at. */
  public String bar(long weight, Scale scale) {
    boolean isBoth = scale.hasPositive && scale.hasNegative;
    int length = isBoth ? LENGTH / 2 : LENGTH;
    double whole = isZoomed ? scale.most / ZOOMED : scale.total;
    double depth = whole == 0 ? 0 : Math.abs((double) weight) * length / whole;
    if (!scale.hasNegative) {
      return "|" + right(depth, length);
    }
    int ats = Math.min(length, (int) (depth + 0.5));
    String left = " ".repeat(length - ats) + (isUtf8 ? block(FULL_BLOCK) : "@").repeat(ats) + "|";
    if (!scale.hasPositive) {
      return left;
    }
    String other = " ".repeat(length);
    return weight <= 0 ? left + other : other + "|" + right(depth, length);
  }

  private String right(double depth, int length) {
    if (!isUtf8) {
      int ats = Math.min(length, (int) (depth + 0.5));
      return "@".repeat(ats) + " ".repeat(length - ats);
    }
    int eighths = Math.min(EIGHTHS * length, (int) (depth * EIGHTHS + 0.5));
    int part = eighths % EIGHTHS;
    int used = eighths / EIGHTHS + (part > 0 ? 1 : 0);
    return block(FULL_BLOCK).repeat(eighths / EIGHTHS)
        + (part > 0 ? block((char) (FULL_BLOCK + EIGHTHS - part)) : "")
        + " ".repeat(length - used);
  }

  /** Returns a character that is as high as its share. */
  String level(long weight, Scale scale) {
    double whole = isZoomed ? scale.most / ZOOMED : scale.total;
    if (weight == 0 || whole == 0) {
      return " ";
    }
    boolean isBlock = isUtf8 && weight > 0;
    int levels = weight > 0 ? EIGHTHS : NEGATIVE_LEVELS.length();
    double share = Math.min(1, Math.abs((double) weight) / whole);
    int level = Math.clamp((int) Math.ceil(share * levels) - 1, 0, levels - 1);
    return isBlock
        ? block((char) (LOWEST_BLOCK + level))
        : String.valueOf((weight > 0 ? LEVELS : NEGATIVE_LEVELS).charAt(level));
  }

  private static String block(char c) {
    return new String(
        String.valueOf(c).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}

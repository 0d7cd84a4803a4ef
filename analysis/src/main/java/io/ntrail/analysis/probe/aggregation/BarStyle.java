package io.ntrail.analysis.probe.aggregation;

import java.nio.charset.StandardCharsets;

/**
 * Look of the bars of distributions. Texts are bytes, a character for each.
 *
 * @param isZoomed true: the longest bar takes 95 % of the room, else all bars together fill it
 * @param hasBlocks true: bars of block characters with eighths of them, else of at signs
 * @param hasLevels true: lines of block characters, else of letters
 */
public record BarStyle(boolean isZoomed, boolean hasBlocks, boolean hasLevels) {
  /** Bars as they are unless an option says otherwise. */
  public static final BarStyle PLAIN = new BarStyle(false, false, true);

  private static final int LENGTH = 40;
  private static final int EIGHTHS = 8;
  private static final double ZOOMED = 0.95;

  /** First of the characters for a whole, seven eighths, and so on. */
  private static final char FULL_BLOCK = 0x2588;

  /** Last of the characters from an eighth to a whole of the height. */
  private static final char LOWEST_BLOCK = 0x2581;

  private static final String LEVELS = "__xxxxXX";
  private static final String NEGATIVE_LEVELS = "vvvvVV";

  /**
   * Weights that are drawn together.
   *
   * @param whole weight that takes all of the room
   */
  public record Scale(double whole, boolean hasPositive, boolean hasNegative) {
    /** Returns a scale whose whole is an integer, as bars of counts and sums have it. */
    public Scale floored() {
      return new Scale(Math.floor(whole), hasPositive, hasNegative);
    }
  }

  /** Returns the scale of weights from one range to another. */
  public Scale scale(long[] weights, int first, int last) {
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
    return new Scale(isZoomed ? most / ZOOMED : total, hasPositive, hasNegative);
  }

  /** Returns a bar with the line that it begins at. */
  public String bar(long weight, Scale scale) {
    boolean isBoth = scale.hasPositive && scale.hasNegative;
    int length = isBoth ? LENGTH / 2 : LENGTH;
    double depth =
        scale.whole == 0 ? 0 : Math.min(length, Math.abs((double) weight) * length / scale.whole);
    if (!scale.hasNegative && hasBlocks) {
      return "|" + blocks(depth, length);
    }
    int ats = (int) (depth + 0.5);
    String right = "|" + "@".repeat(ats) + " ".repeat(length - ats);
    if (!scale.hasNegative) {
      return right;
    }
    String left = " ".repeat(length - ats) + "@".repeat(ats) + "|";
    if (!scale.hasPositive) {
      return left;
    }
    String other = " ".repeat(length);
    return weight <= 0 ? left + other : other + right;
  }

  /** Returns as many blocks and eighths of one as are full. */
  private static String blocks(double depth, int length) {
    int whole = (int) depth;
    int part = (int) ((depth - whole) * EIGHTHS);
    return block(FULL_BLOCK).repeat(whole)
        + (part > 0 ? block((char) (FULL_BLOCK + EIGHTHS - part)) : "")
        + " ".repeat(length - whole - (part > 0 ? 1 : 0));
  }

  /** Returns a character that is as high as its share of the whole, the lowest one below 1/14. */
  String level(long weight, Scale scale) {
    if (weight == 0) {
      return " ";
    }
    String letters = weight > 0 ? LEVELS : NEGATIVE_LEVELS;
    int highest = letters.length() - 1;
    int level = (int) (Math.abs((double) weight) * highest / scale.whole + 0.5);
    return weight > 0 && hasLevels
        ? block((char) (LOWEST_BLOCK + level))
        : String.valueOf(letters.charAt(level));
  }

  private static String block(char c) {
    return new String(
        String.valueOf(c).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}

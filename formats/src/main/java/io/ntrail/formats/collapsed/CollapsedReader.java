package io.ntrail.formats.collapsed;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads collapsed stacks: UTF-8, or UTF-16 with a byte order mark; lines end with LF or CRLF. The
 * weight is what follows the last blank or tab, a decimal number. Lines that begin with {@code #}
 * are comments. Any other line becomes a {@link Gap}.
 */
public final class CollapsedReader {
  /** Bytes that a line may have. */
  static final int LONGEST = 1 << 20;

  /** Bytes in which the first stack is searched; comments may be in front of it. */
  private static final int LOOKED_AT = 1 << 16;

  /** Stacks that have to follow comments before a file is known by them. */
  private static final int AFTER_COMMENTS = 8;

  /** Digits after the point that a weight may have, zeros at the end not counted. */
  private static final int MOST_DECIMALS = 18;

  private static final int MOST_DIGITS = 40;
  private static final String WHAT = "a line of collapsed stacks";

  private final InputFile input;
  private final Gaps gaps;
  private final Consumer<String> frames;
  private final WeightSink weights;
  private final Charset charset;

  /** Bytes of a character. */
  private final int unit;

  private final long begin;
  private Bytes window = Bytes.copyOf(new byte[0], "");
  private long windowAt;
  private long lines;

  /** The sum of all weights, in units of the last of so many decimals as any of them has. */
  private long sum;

  private int decimals;

  /** Receives the weight of a stack after its frames. */
  @FunctionalInterface
  public interface WeightSink {
    /**
     * Takes one.
     *
     * @param weight in units of its last decimal
     * @param decimals how many it has: 125 with one is 12.5
     */
    void accept(long weight, int decimals);
  }

  private CollapsedReader(InputFile input, Gaps gaps, Consumer<String> frames, WeightSink weights) {
    this.input = input;
    this.gaps = gaps;
    this.frames = frames;
    this.weights = weights;
    Bytes head = input.window(0, (int) Math.min(3, input.size()));
    int mark = head.length() >= 2 ? head.u8(0) << 8 | head.u8(1) : 0;
    if (mark == 0xFFFE || mark == 0xFEFF) {
      charset = mark == 0xFFFE ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_16BE;
      unit = 2;
      begin = 2;
    } else {
      charset = StandardCharsets.UTF_8;
      unit = 1;
      begin = mark == 0xEFBB && head.length() == 3 && head.u8(2) == 0xBF ? 3 : 0;
    }
  }

  /**
   * Returns true if a file starts as collapsed stacks do: with a line of text that ends with a
   * number. After comments several lines have to, as the headings of other texts begin like
   * comments. So does a file of nothing but comments; an empty one does not.
   */
  public static boolean looksLike(InputFile input) {
    return new CollapsedReader(input, new Gaps(), _ -> {}, (_, _) -> {}).looksLike();
  }

  private boolean looksLike() {
    long at = begin;
    boolean comments = false;
    int stacks = 0;
    while (at < Math.min(input.size(), LOOKED_AT)) {
      long end = lineEnd(at, Math.min(input.size(), at + LONGEST));
      String line = line(at, end);
      if (line.indexOf('\0') >= 0) {
        return false;
      }
      if (isComment(line)) {
        comments = true;
      } else if (!line.isBlank()) {
        if (weightAt(line) == 0 || weight(line.substring(weightAt(line))) == null) {
          return false;
        }
        if (!comments || ++stacks == AFTER_COMMENTS) {
          return true;
        }
      }
      at = end + unit;
    }
    return stacks > 0 || comments && at >= input.size();
  }

  /**
   * Hands out the stacks of a file, in the order of its lines.
   *
   * @param frames receives the frames of a stack from the outermost inwards; an empty text if one
   *     has no name
   * @param weights receives the weight of a stack after its frames; the sum of all is below 2^63,
   *     in units of the last decimal that any of them has
   * @param gaps receives what could not be read
   * @return number of lines that have a stack
   */
  public static long read(InputFile input, Consumer<String> frames, WeightSink weights, Gaps gaps) {
    CollapsedReader reader = new CollapsedReader(input, gaps, frames, weights);
    reader.read();
    return reader.lines;
  }

  private void read() {
    long at = begin;
    while (at < input.size()) {
      long end = lineEnd(at, input.size());
      if (end - at > LONGEST) {
        gap(at, end, "it is longer than 1 MiB");
      } else {
        String problem = add(line(at, end));
        if (!problem.isEmpty()) {
          gap(at, end, problem);
        }
      }
      at = end + unit;
    }
  }

  private void gap(long at, long end, String why) {
    gaps.add(new Gap(input.name(), at, end - at, WHAT, why));
  }

  /**
   * Returns the end of the line that begins at a place: its line feed.
   *
   * @param limit where it ends if there is none before
   */
  private long lineEnd(long at, long limit) {
    boolean bigEndian = charset.equals(StandardCharsets.UTF_16BE);
    for (long i = at; i + unit <= limit; i += unit) {
      int c = u8(i);
      if (unit == 2) {
        c = bigEndian ? c << 8 | u8(i + 1) : c | u8(i + 1) << 8;
      }
      if (c == '\n') {
        return i;
      }
    }
    return limit;
  }

  private int u8(long at) {
    if (at < windowAt || at >= windowAt + window.length()) {
      windowAt = at;
      window = input.window(at, (int) Math.min(LONGEST, input.size() - at));
    }
    return window.u8((int) (at - windowAt));
  }

  private String line(long at, long end) {
    int length = (int) (end - at);
    String line = new String(input.window(at, length).array(0, length), charset);
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  /** Returns the start of the weight of a line; 0 if there is nothing before it. */
  private static int weightAt(String line) {
    return Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t')) + 1;
  }

  private static boolean isComment(String line) {
    return line.startsWith("#");
  }

  /** A weight, without zeros at its end; null if it is none. */
  private static @Nullable BigDecimal weight(String text) {
    if (text.length() > MOST_DIGITS || !text.matches("\\d+(\\.\\d*)?")) {
      return null;
    }
    BigDecimal weight = new BigDecimal(text.endsWith(".") ? text + "0" : text).stripTrailingZeros();
    return weight.scale() < 0 ? weight.setScale(0) : weight;
  }

  /**
   * Adds a weight to the sum of all.
   *
   * @throws ArithmeticException if that is not below 2^63, in units of its last decimal
   */
  private void add(BigDecimal weight) {
    int scale = Math.max(decimals, weight.scale());
    long units = weight.setScale(scale).unscaledValue().longValueExact();
    sum =
        BigDecimal.valueOf(sum, decimals)
            .setScale(scale)
            .unscaledValue()
            .add(BigInteger.valueOf(units))
            .longValueExact();
    decimals = scale;
  }

  /** Hands out a line; returns what is wrong with it, or nothing. */
  private String add(String line) {
    if (line.isBlank() || isComment(line)) {
      return "";
    }
    int at = weightAt(line);
    BigDecimal weight = at == 0 ? null : weight(line.substring(at));
    if (weight == null) {
      return "it does not end with a weight";
    }
    if (weight.scale() > MOST_DECIMALS) {
      return "its weight has more than " + MOST_DECIMALS + " decimals";
    }
    if (weight.unscaledValue().bitLength() > 63) {
      return "its weight is not below 2^63, in units of its last decimal";
    }
    try {
      add(weight);
    } catch (ArithmeticException e) {
      return "the sum of all weights is not below 2^63, in units of their last decimal";
    }
    int begin = 0;
    int end = at - 1;
    while (begin <= end) {
      int next = line.indexOf(';', begin);
      int stop = next < 0 || next > end ? end : next;
      frames.accept(line.substring(begin, stop));
      begin = stop + 1;
    }
    weights.accept(weight.unscaledValue().longValueExact(), weight.scale());
    lines++;
    return "";
  }
}

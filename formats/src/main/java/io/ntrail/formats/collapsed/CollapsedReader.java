package io.ntrail.formats.collapsed;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Reads collapsed stacks: UTF-8, or UTF-16 with a byte order mark; lines end with LF or CRLF. The
 * weight is what follows the last blank or tab; a whole number, also as {@code 3.0}. Any other line
 * becomes a {@link Gap}.
 */
public final class CollapsedReader {
  /** Bytes that a line may have. */
  static final int LONGEST = 1 << 20;

  private static final int LOOKED_AT = 1 << 12;
  private static final String WHAT = "a line of collapsed stacks";

  private final InputFile input;
  private final Gaps gaps;
  private final Consumer<String> frames;
  private final LongConsumer weights;
  private final Charset charset;

  /** Bytes of a character. */
  private final int unit;

  private final long begin;
  private Bytes window = Bytes.copyOf(new byte[0], "");
  private long windowAt;
  private long lines;
  private long sum;

  private CollapsedReader(
      InputFile input, Gaps gaps, Consumer<String> frames, LongConsumer weights) {
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
   * number. An empty one does not.
   */
  public static boolean looksLike(InputFile input) {
    return new CollapsedReader(input, new Gaps(), _ -> {}, _ -> {}).looksLike();
  }

  private boolean looksLike() {
    long at = begin;
    while (at < Math.min(input.size(), LOOKED_AT)) {
      long end = lineEnd(at, Math.min(input.size(), at + LONGEST));
      String line = line(at, end);
      if (line.indexOf('\0') >= 0) {
        return false;
      }
      if (!line.isBlank()) {
        return weightAt(line) > 0 && weight(line.substring(weightAt(line))) >= 0;
      }
      at = end + unit;
    }
    return false;
  }

  /**
   * Hands out the stacks of a file, in the order of its lines.
   *
   * @param frames receives the frames of a stack from the outermost inwards; an empty text if one
   *     has no name
   * @param weights receives the weight of a stack after its frames; the sum of all is below 2^63
   * @param gaps receives what could not be read
   * @return number of lines that have a stack
   */
  public static long read(
      InputFile input, Consumer<String> frames, LongConsumer weights, Gaps gaps) {
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

  /** A weight; negative if it is none. */
  private static long weight(String text) {
    if (text.length() > 40 || !text.matches("\\d+(\\.\\d*)?")) {
      return -1;
    }
    try {
      return new BigDecimal(text.endsWith(".") ? text + "0" : text).longValueExact();
    } catch (ArithmeticException e) {
      return -2;
    }
  }

  /** Hands out a line; returns what is wrong with it, or nothing. */
  private String add(String line) {
    if (line.isBlank()) {
      return "";
    }
    int at = weightAt(line);
    long weight = at == 0 ? -1 : weight(line.substring(at));
    if (weight == -2) {
      return "its weight is not an integer below 2^63";
    }
    if (weight < 0) {
      return "it does not end with a weight";
    }
    try {
      sum = Math.addExact(sum, weight);
    } catch (ArithmeticException e) {
      return "the sum of all weights is not below 2^63";
    }
    int begin = 0;
    int end = at - 1;
    while (begin <= end) {
      int next = line.indexOf(';', begin);
      int stop = next < 0 || next > end ? end : next;
      frames.accept(line.substring(begin, stop));
      begin = stop + 1;
    }
    weights.accept(weight);
    lines++;
    return "";
  }
}

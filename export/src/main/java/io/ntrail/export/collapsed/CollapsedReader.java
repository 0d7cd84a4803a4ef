package io.ntrail.export.collapsed;

import io.ntrail.analysis.profile.FrameKind;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.FrameNames;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Reads collapsed stacks: UTF-8, or UTF-16 with a byte order mark; lines end with LF or CRLF. The
 * weight is what follows the last blank or tab; a whole number, also as {@code 3.0}. What is no
 * such line becomes a {@link Gap}.
 */
public final class CollapsedReader {
  /** Bytes that a line may have. */
  static final int LONGEST = 1 << 20;

  private static final int LOOKED_AT = 1 << 12;
  private static final String WHAT = "a line of collapsed stacks";

  private final InputFile input;
  private final Gaps gaps;
  private final StackTree tree;
  private final int column;
  private final FrameNameOptions naming;
  private final Charset charset;

  /** Bytes of a character. */
  private final int unit;

  private final long begin;
  private Bytes window = Bytes.copyOf(new byte[0], "");
  private long windowAt;
  private long lines;

  private CollapsedReader(
      InputFile input, Gaps gaps, StackTree tree, int column, FrameNameOptions naming) {
    this.input = input;
    this.gaps = gaps;
    this.tree = tree;
    this.column = column;
    this.naming = naming;
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
   * Returns whether a file begins as collapsed stacks do: with a line of text that ends with a
   * number. False of an empty one.
   */
  public static boolean looksLike(InputFile input) {
    StackTree tree = new StackTree(1);
    CollapsedReader reader =
        new CollapsedReader(input, new Gaps(), tree, 0, FrameNameOptions.WHOLE);
    return reader.looksLike();
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
   * Adds the stacks of a file to a column of a tree.
   *
   * @param naming what of names is kept
   * @param gaps receives what could not be read
   * @return how many lines have a stack
   */
  public static long read(
      InputFile input, StackTree tree, int column, FrameNameOptions naming, Gaps gaps) {
    CollapsedReader reader = new CollapsedReader(input, gaps, tree, column, naming);
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

  /** Adds a line; what is wrong with it, or nothing. */
  private String add(String line) {
    if (line.isBlank()) {
      return "";
    }
    int at = weightAt(line);
    long weight = at == 0 ? -1 : weight(line.substring(at));
    if (weight == -2) {
      return "its weight is no whole number below 2^63";
    }
    if (weight < 0) {
      return "it does not end with a weight";
    }
    int node = 0;
    int begin = 0;
    int end = at - 1;
    while (begin <= end) {
      int next = line.indexOf(';', begin);
      int stop = next < 0 || next > end ? end : next;
      String name = line.substring(begin, stop);
      FrameKind kind = FrameNames.kind(name, node == 0);
      node = tree.child(node, naming.of(name, kind), kind);
      begin = stop + 1;
    }
    try {
      tree.add(node, column, weight);
      lines++;
      return "";
    } catch (ArithmeticException e) {
      return "the sum of all weights is not below 2^63";
    }
  }
}

package io.ntrail.export.collapsed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.collapsed.CollapsedRecording;
import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collapsed.CollapsedReader;
import io.ntrail.testkit.Property;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Collapsed stacks are read from what other tools write, and written so that they can be read. */
class CollapsedTest {
  /** Result of reading: the stacks as they are written, and the gaps. */
  private record Read(String text, List<Gap> gaps) {
    List<String> reasons() {
      return gaps.stream().map(Gap::why).toList();
    }
  }

  private static Read read(byte[] content, FrameNameOptions naming) {
    StackTree tree = new StackTree(1);
    Gaps gaps = new Gaps();
    try (CollapsedRecording input =
        new CollapsedRecording(InputFile.of(content, "a.collapsed.txt"), gaps)) {
      tree.addAll(input, 0, naming);
    }
    tree.settle();
    return new Read(write(tree, false), gaps.list());
  }

  private static Read read(String content) {
    return read(content.getBytes(StandardCharsets.UTF_8), FrameNameOptions.WHOLE);
  }

  static String write(StackTree tree, boolean annotated) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CollapsedWriter.write(tree, annotated, new PrintStream(out, false, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  private static boolean looksLike(byte[] content) {
    try (InputFile input = InputFile.of(content, "a")) {
      return CollapsedReader.looksLike(input);
    }
  }

  @Test
  void linesOfOneStackAreAddedUp() {
    assertEquals("a 1\na;b 5\na;b;c 4\n", read("a;b;c 4\na;b 2\na 1\na;b 3\n").text);
  }

  @Test
  void namesMayHaveBlanks() {
    assertEquals(
        "main;f(int, char const *);operator new 7\n",
        read("main;f(int, char const *);operator new 7").text);
  }

  @Test
  void linesMayEndAsOnWindows() {
    assertEquals("a;b 4\n", read("a;b 1\r\na;b 3\r\n").text);
  }

  @Test
  void textMayHaveAByteOrderMark() {
    for (Charset charset :
        List.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
      byte[] content = "\uFEFFa;\u00E9\uD83D\uDE00 4\r\na 1\r\n".getBytes(charset);
      Read read = read(content, FrameNameOptions.WHOLE);
      assertEquals("a 1\na;\u00E9\uD83D\uDE00 4\n", read.text, charset.name());
      assertEquals(List.of(), read.gaps);
      assertTrue(looksLike(content));
    }
  }

  @Test
  void framesWithoutANameGetOne() {
    assertEquals("[unknown] 3\na;[unknown];b 2\n", read("a;;b 2\n 3\n").text);
  }

  @Test
  void wholeWeightsMayHaveAPoint() {
    assertEquals("a 3\nb 4\n", read("a 3.0\nb 4.\n").text);
  }

  @Test
  void weightsMayHaveDecimalsThatStayExact() {
    assertEquals("a 0.3\nb 12.5\nc 3\n", read("a 0.1\nb 12.50\nc 3\na 0.2\n").text);
    // Neither of these is a number of binary fractions.
    assertEquals("a 9007199254740993.1\n", read("a 9007199254740993\na 0.1\n").text);
    assertEquals("a 0.000000000000000001\n", read("a 0.000000000000000001\n").text);
    assertEquals(List.of(), read("a 0.1\nb 12.50\n").gaps);
  }

  @Test
  void linesThatBeginWithANumberSignAreComments() {
    Read read = read("# total 12\na 1\n#\n#b 7\nc 2\n");
    assertEquals("a 1\nc 2\n", read.text);
    assertEquals(List.of(), read.gaps);
  }

  @Test
  void aNameThatLooksLikeACommentSurvivesWritingAndReading() {
    StackTree tree = new StackTree(1);
    int frame = tree.child(0, "#secret", FrameKind.NATIVE);
    tree.add(frame, 0, 2);
    tree.add(tree.child(frame, "#inner", FrameKind.NATIVE), 0, 3);
    tree.settle();
    String text = write(tree, false);
    assertEquals("_#secret 2\n_#secret;#inner 3\n", text);
    assertEquals(text, read(text).text);
  }

  @Test
  void invalidLinesAreReportedWithTheirOffset() {
    Read read = read("a 1\n\nnothing here\nb 2,55\nc 3\nd 99999999999999999999\n");
    assertEquals("a 1\nc 3\n", read.text);
    assertEquals(
        List.of(
            "it does not end with a weight",
            "it does not end with a weight",
            "its weight is not below 2^63, in units of its last decimal"),
        read.reasons());
    assertEquals(List.of(5L, 18L, 29L), read.gaps.stream().map(Gap::offset).toList());
    assertEquals(List.of(12L, 6L, 22L), read.gaps.stream().map(Gap::bytes).toList());
  }

  @Test
  void moreDecimalsThanFitAreReported() {
    Read read = read("a 1\nb 0.0000000000000000001\n");
    assertEquals("a 1\n", read.text);
    assertEquals(List.of("its weight has more than 18 decimals"), read.reasons());
  }

  @Test
  void aSumThatFitsOnlyWithoutItsDecimalsIsReported() {
    Read read = read("a 9223372036854775806\nb 0.5\n");
    assertEquals("a 9223372036854775806\n", read.text);
    assertEquals(
        List.of("the sum of all weights is not below 2^63, in units of their last decimal"),
        read.reasons());
  }

  @Test
  void aSumThatDoesNotFitIsReported() {
    Read read = read("a 9223372036854775807\nb 1\n");
    assertEquals("a 9223372036854775807\n", read.text);
    assertEquals(
        List.of("the sum of all weights is not below 2^63, in units of their last decimal"),
        read.reasons());
  }

  @Test
  void aLineWithoutEndIsReported() {
    byte[] content = new byte[(1 << 20) + 8];
    Arrays.fill(content, (byte) 'x');
    byte[] last = "\na 1".getBytes(StandardCharsets.UTF_8);
    System.arraycopy(last, 0, content, content.length - last.length, last.length);
    Read read = read(content, FrameNameOptions.WHOLE);
    assertEquals("a 1\n", read.text);
    assertEquals(List.of("it is longer than 1 MiB"), read.reasons());
  }

  @Test
  void commentsInFrontDoNotHideWhatAFileIs() {
    String comment = "# made by a tool\n";
    assertTrue(looksLike((comment + "a;b 3.5\n").getBytes(StandardCharsets.UTF_8)));
    assertTrue(looksLike((comment.repeat(1000) + "a;b 3\n").getBytes(StandardCharsets.UTF_8)));
    assertTrue(looksLike(comment.repeat(2).getBytes(StandardCharsets.UTF_8)), "comments alone");
  }

  @Test
  void otherFilesDoNotLookLikeIt() {
    assertTrue(looksLike("\n\na;b 3\n".getBytes(StandardCharsets.UTF_8)));
    assertFalse(looksLike("# a list\n1\n".getBytes(StandardCharsets.UTF_8)));
    assertFalse(looksLike("#!/bin/sh\nexit\n".getBytes(StandardCharsets.UTF_8)));
    assertFalse(looksLike(new byte[0]));
    assertFalse(looksLike(new byte[] {'a', 0, ' ', '3'}));
    assertFalse(looksLike("MZ\u0090".getBytes(StandardCharsets.ISO_8859_1)));
  }

  @Test
  void kindsCanBeAppendedToNames() {
    StackTree tree = new StackTree(1);
    int process = tree.child(0, "a.exe (4)", FrameKind.PROCESS);
    int kernel = tree.child(process, "nt!NtRead", FrameKind.KERNEL);
    int inlined = tree.child(kernel, "min", FrameKind.INLINED);
    tree.add(tree.child(inlined, "Main_[j]", FrameKind.MANAGED), 0, 2);
    tree.settle();
    assertEquals("a.exe (4);nt!NtRead_[k];min_[i];Main_[j] 2\n", write(tree, true));
    assertEquals("a.exe (4);nt!NtRead;min;Main_[j] 2\n", write(tree, false));
  }

  @Test
  void twoProfilesSideBySide() {
    StackTree tree = new StackTree(2);
    tree.add(tree.child(0, "a", FrameKind.NATIVE), 0, 3);
    tree.add(tree.child(0, "b", FrameKind.NATIVE), 1, 4);
    tree.settle();
    assertEquals("a 3 0\nb 0 4\n", write(tree, false));
  }

  @Test
  void linesAreSortedByTheirBytesAndReadAgain() {
    Property.check(g -> {
      StackTree tree = new StackTree(1);
      Map<String, Long> expected = new TreeMap<>();
      for (List<String> stack : g.list(12, each -> each.list(5, CollapsedTest::name))) {
        int node = 0;
        for (String name : stack) {
          node = tree.child(node, name, FrameKind.NATIVE);
        }
        if (node != 0) {
          long weight = g.below(1000);
          tree.add(node, 0, weight);
          expected.merge(String.join(";", stack), weight, Long::sum);
        }
      }
      tree.settle();
      String text = write(tree, false);
      List<byte[]> lines = new ArrayList<>();
      expected.forEach(
          (stack, weight) -> lines.add((stack + " " + weight).getBytes(StandardCharsets.UTF_8)));
      lines.sort(Arrays::compareUnsigned);
      StringBuilder sorted = new StringBuilder();
      lines.forEach(line -> sorted.append(new String(line, StandardCharsets.UTF_8)).append('\n'));
      assertEquals(sorted.toString(), text);
      assertEquals(new Read(text, List.of()), read(text));
    });
  }

  private static String name(Property.Gen g) {
    return g.oneOf(
        "a", "a b", "a!", "ab", "a 5", "a<b>", "a:b", "\u00E9", "\uE000", "\uD83D\uDE00");
  }
}

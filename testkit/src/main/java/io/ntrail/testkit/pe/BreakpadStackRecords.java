package io.ntrail.testkit.pe;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stack rows of a symbol file that dump_syms made of an image. Only the frame address and the
 * return address are kept: its rules for other registers are known to be loose.
 *
 * @param cfi of x64 images
 * @param win of x86 images
 */
public record BreakpadStackRecords(List<Cfi> cfi, List<Win> win) {
  /**
   * One function.
   *
   * @param begin RVA of its first byte
   * @param size in bytes
   * @param cfa how to find the frame address from {@code begin} on, as dump_syms spells it
   * @param ra how to find the return address
   * @param changes where the frame address is found otherwise from; without any, {@code cfa} is
   *     meant for after the prologue
   */
  public record Cfi(long begin, long size, String cfa, String ra, List<Change> changes) {}

  /**
   * Change of the rule that finds the frame address.
   *
   * @param at RVA
   * @param cfa how to find it
   */
  public record Change(long at, String cfa) {}

  /**
   * One function or part of one; sizes in bytes.
   *
   * @param type 0 FPO, 4 frame data with a program
   * @param begin RVA of its first byte
   * @param size of its code
   * @param prolog of its prologue
   * @param epilog of its epilogue
   * @param parameters on the stack
   * @param saved registers
   * @param locals on the stack
   * @param program how to find the caller, or "1" or "0" for whether ebp is used
   */
  public record Win(
      int type,
      long begin,
      long size,
      long prolog,
      long epilog,
      long parameters,
      long saved,
      long locals,
      String program) {}

  private static final Pattern CFI = Pattern.compile("STACK CFI INIT (\\w+) (\\w+) (.*)");
  private static final Pattern CHANGE = Pattern.compile("STACK CFI (\\w+) (.*)");
  private static final Pattern RULE = Pattern.compile("(\\S+): (.*?)(?= \\S+: |$)");

  /** Keeps what it is given. */
  public BreakpadStackRecords {
    cfi = List.copyOf(cfi);
    win = List.copyOf(win);
  }

  /**
   * The rows of one image.
   *
   * @param image for example {@code basic-opt64.dll}
   */
  public static BreakpadStackRecords of(String image) throws IOException {
    String text =
        new String(
            TestData.gunzip("pe/expected/dumpsyms-" + image + ".stack.txt.gz"),
            StandardCharsets.UTF_8);
    List<Cfi> cfi = new ArrayList<>();
    List<Win> win = new ArrayList<>();
    for (String line : text.lines().toList()) {
      if (line.startsWith("STACK CFI INIT ")) {
        cfi.add(cfi(line));
      } else if (line.startsWith("STACK CFI ")) {
        Matcher change = CHANGE.matcher(line);
        if (change.matches() && !rule(change.group(2), ".cfa").isEmpty()) {
          cfi.getLast()
              .changes()
              .add(new Change(hex(change.group(1)), rule(change.group(2), ".cfa")));
        }
      } else if (line.startsWith("STACK WIN ")) {
        win.add(win(line));
      }
    }
    return new BreakpadStackRecords(cfi, win);
  }

  private static Cfi cfi(String line) {
    Matcher row = CFI.matcher(line);
    if (!row.matches()) {
      throw new IllegalArgumentException("not a stack row: " + line);
    }
    return new Cfi(
        hex(row.group(1)),
        hex(row.group(2)),
        rule(row.group(3), ".cfa"),
        rule(row.group(3), ".ra"),
        new ArrayList<>());
  }

  /** The rule for one register, or empty. */
  private static String rule(String rules, String register) {
    Matcher rule = RULE.matcher(rules);
    while (rule.find()) {
      if (rule.group(1).equals(register)) {
        return rule.group(2);
      }
    }
    return "";
  }

  /** Reads a row that begins with STACK WIN. */
  public static Win win(String line) {
    String[] words = line.split(" ", 13);
    return new Win(
        Integer.parseInt(words[2], 16),
        hex(words[3]),
        hex(words[4]),
        hex(words[5]),
        hex(words[6]),
        hex(words[7]),
        hex(words[8]),
        hex(words[9]),
        words.length > 12 ? words[12] : "");
  }

  private static long hex(String digits) {
    return Long.parseLong(digits, 16);
  }
}

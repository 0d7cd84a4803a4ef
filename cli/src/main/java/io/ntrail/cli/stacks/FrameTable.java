package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.ThreadStack;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Prints stacks for people, and explains in the end what their words mean. */
final class FrameTable {
  /** Modules that are listed by name; more are counted. */
  private static final int MOST_NAMED = 4;

  private final Terminal terminal;
  private final int width;
  private final boolean is64Bit;
  private final boolean hasStackPointers;
  private final Set<FrameTrust> seen;
  private final Set<String> nearest;

  /**
   * @param width columns to which tables are cut; 0 to cut nothing
   * @param is64Bit whether addresses have 16 digits, and not 8
   * @param hasStackPointers whether frames are shown with their stack pointers, and not with their
   *     addresses
   */
  FrameTable(Terminal terminal, int width, boolean is64Bit, boolean hasStackPointers) {
    this(
        terminal,
        width,
        is64Bit,
        hasStackPointers,
        EnumSet.noneOf(FrameTrust.class),
        new TreeSet<>(String.CASE_INSENSITIVE_ORDER));
  }

  private FrameTable(
      Terminal terminal,
      int width,
      boolean is64Bit,
      boolean hasStackPointers,
      Set<FrameTrust> seen,
      Set<String> nearest) {
    this.terminal = terminal;
    this.width = width;
    this.is64Bit = is64Bit;
    this.hasStackPointers = hasStackPointers;
    this.seen = seen;
    this.nearest = nearest;
  }

  /** Returns a table for 64-bit stacks whose words the legend of this one explains. */
  FrameTable of64Bit() {
    return new FrameTable(terminal, width, true, hasStackPointers, seen, nearest);
  }

  /** Prints the frames of a stack, innermost first. */
  void print(List<NamedFrame> frames) {
    print(frames, Optional.empty());
  }

  /**
   * Prints the frames of a stack, innermost first.
   *
   * @param walked the walk of the same stack, whose registers are shown below frames
   */
  void print(List<NamedFrame> frames, Optional<ThreadStack> walked) {
    int physical = 0;
    boolean hasSource = frames.stream().anyMatch(frame -> frame.file() != null);
    Table table =
        new Table()
            .number("#")
            .name("trust")
            .name(hasStackPointers ? "stack pointer" : "address")
            .name("function");
    if (hasSource) {
      table.name("source");
    }
    int same = 0;
    for (int i = 0; i < frames.size(); i++) {
      NamedFrame frame = frames.get(i);
      note(frame);
      if (walked.isEmpty() && isRepeated(frames, i)) {
        same++;
        continue;
      }
      if (same > 0) {
        table.below(List.of("(%s like this one)".formatted(Numbers.counted(same, "more frame"))));
        same = 0;
      }
      table.row(cells(frame, i, hasSource));
      if (!frame.isInlined() && walked.isPresent() && physical < walked.get().walked().size()) {
        // Those of the innermost frame are shown with the thread.
        FrameRegisters registers = walked.get().walked().get(physical).registers();
        if (physical++ > 0) {
          table.below(RegisterText.lines(registers, false));
        }
      }
    }
    table.print(terminal.out(), 2, width);
  }

  private List<String> cells(NamedFrame frame, int number, boolean hasSource) {
    List<String> cells =
        new ArrayList<>(
            List.of(
                Integer.toString(number),
                frame.trust().word(),
                pointer(hasStackPointers ? frame.sp() : frame.ip()),
                place(frame)));
    if (hasSource) {
      cells.add(source(frame));
    }
    return cells;
  }

  /** Returns true for a frame of a recursion that is neither its first nor its last one. */
  private static boolean isRepeated(List<NamedFrame> frames, int i) {
    return i > 0
        && i < frames.size() - 1
        && frames.get(i - 1).ip() == frames.get(i).ip()
        && frames.get(i + 1).ip() == frames.get(i).ip()
        && !frames.get(i).isInlined()
        && !frames.get(i - 1).isInlined()
        && !frames.get(i + 1).isInlined();
  }

  private static String place(NamedFrame frame) {
    return frame.remark() == null || frame.module() == null
        ? frame.place()
        : frame.place() + " (" + frame.remark() + ")";
  }

  private void note(NamedFrame frame) {
    seen.add(frame.trust());
    if (frame.isNearest() && frame.module() != null) {
      nearest.add(frame.module());
    }
  }

  private String pointer(long address) {
    return address == NamedFrame.UNKNOWN ? "-" : StackRow.pointer(address, is64Bit);
  }

  private static String source(NamedFrame frame) {
    String file = frame.file();
    if (file == null) {
      return "";
    }
    String name = WindowsPath.lastPart(file.replace('/', '\\'));
    return frame.line() == 0 ? name : name + ":" + frame.line();
  }

  /** Prints the meaning of the words that stacks had, and the names that may be others. */
  void legend() {
    if (!nearest.isEmpty()) {
      List<String> names = List.copyOf(nearest);
      String more =
          names.size() > MOST_NAMED ? " and " + (names.size() - MOST_NAMED) + " more" : "";
      line(
          "names: in "
              + String.join(", ", names.subList(0, Math.min(MOST_NAMED, names.size())))
              + more
              + " the nearest symbol before the address: an unnamed function may lie between");
    }
    if (!seen.isEmpty()) {
      line(
          "trust: "
              + seen.stream()
                  .map(trust -> trust.word() + " = " + trust.meaning())
                  .collect(Collectors.joining("; ")));
    }
  }

  /** Prints a line, broken between words where it is longer than the terminal. */
  private void line(String text) {
    String rest = text;
    String indent = "";
    while (width > 0 && indent.length() + rest.length() > width) {
      int end = rest.lastIndexOf(' ', width - indent.length());
      if (end <= 0) {
        break;
      }
      terminal.out().println(indent + rest.substring(0, end));
      rest = rest.substring(end + 1);
      indent = "       ";
    }
    terminal.out().println(indent + rest);
  }
}

package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.programs.unwind.FrameTrust;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
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
  private final Set<FrameTrust> seen = EnumSet.noneOf(FrameTrust.class);
  private final Set<String> nearest = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  /**
   * @param width columns to which tables are cut; 0 to cut nothing
   * @param is64Bit whether addresses have 16 digits, and not 8
   * @param hasStackPointers whether frames are shown with their stack pointers, and not with their
   *     addresses
   */
  FrameTable(Terminal terminal, int width, boolean is64Bit, boolean hasStackPointers) {
    this.terminal = terminal;
    this.width = width;
    this.is64Bit = is64Bit;
    this.hasStackPointers = hasStackPointers;
  }

  /** Prints the frames of a stack, innermost first. */
  void print(List<NamedFrame> frames) {
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
    for (int i = 0; i < frames.size(); i++) {
      NamedFrame frame = frames.get(i);
      note(frame);
      List<String> cells =
          new ArrayList<>(
              List.of(
                  Integer.toString(i),
                  frame.trust().word(),
                  pointer(hasStackPointers ? frame.sp() : frame.ip()),
                  frame.place()));
      if (hasSource) {
        cells.add(source(frame));
      }
      table.row(cells);
    }
    table.print(terminal.out(), 2, width);
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

package io.ntrail.analysis.probe.engine;

import java.util.List;

/** Stacks as programs print them: a line for each frame. */
final class StackText {
  private StackText() {}

  /** Returns the lines of a stack, from the line break before the first one. */
  static String of(List<?> frames, long indent) {
    String blanks = " ".repeat(Math.clamp(indent, 0, 1000));
    StringBuilder text = new StringBuilder("\n");
    for (Object frame : frames) {
      text.append(blanks).append(frame).append('\n');
    }
    return text.toString();
  }
}

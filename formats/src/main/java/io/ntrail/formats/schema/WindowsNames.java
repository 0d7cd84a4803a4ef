package io.ntrail.formats.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Levels and opcodes that every manifest may use without defining them, as {@code win:NAME}.
 * Source: winmeta.xml of the Windows SDK.
 */
final class WindowsNames {
  private static final List<String> LEVELS =
      List.of("", "Critical", "Error", "Warning", "Informational", "Verbose");
  private static final List<String> OPCODES =
      List.of(
          "Info",
          "Start",
          "Stop",
          "DC_Start",
          "DC_Stop",
          "Extension",
          "Reply",
          "Resume",
          "Suspend",
          "Send");
  private static final int RECEIVE = 240;

  private WindowsNames() {}

  /** The name of a level; null if Windows defines none. */
  static @Nullable String level(int number) {
    return number > 0 && number < LEVELS.size() ? LEVELS.get(number) : null;
  }

  /** The name of an opcode; null if Windows defines none. */
  static @Nullable String opcode(int number) {
    return number == RECEIVE
        ? "Receive"
        : number >= 0 && number < OPCODES.size() ? OPCODES.get(number) : null;
  }

  /** The number of a level; 0 if Windows does not define it. */
  static int level(String reference) {
    return Math.max(0, LEVELS.indexOf(defined(reference)));
  }

  /** The number of an opcode; 0 if Windows does not define it. */
  static int opcode(String reference) {
    String name = defined(reference);
    return name.equals("Receive") ? RECEIVE : Math.max(0, OPCODES.indexOf(name));
  }

  /** Returns the name after {@code win:}; empty if a reference has another prefix or none. */
  private static String defined(String reference) {
    return reference.startsWith(EventNames.PREFIX)
        ? reference.substring(EventNames.PREFIX.length())
        : "";
  }
}

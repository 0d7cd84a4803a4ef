package io.ntrail.formats.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names of events with a schema: manifests, EventMetadata and TraceLogging; and of the levels and
 * opcodes that every manifest may use without defining them, as {@code win:NAME}. Source of those:
 * winmeta.xml of the Windows SDK.
 */
public final class EventNames {
  /** The informational opcode 0, named so in manifests and by Windows. */
  private static final String INFO = "Info";

  /** Names that Windows itself defines have it. */
  private static final String PREFIX = "win:";

  private static final List<String> LEVELS =
      List.of("", "Critical", "Error", "Warning", "Informational", "Verbose");

  private static final List<String> OPCODES =
      List.of(
          INFO,
          "Start",
          "Stop",
          "DC_Start",
          "DC_Stop",
          "Extension",
          "Reply",
          "Resume",
          "Suspend",
          "Send");

  private static final String RECEIVE = "Receive";
  private static final int RECEIVE_NUMBER = 240;

  private EventNames() {}

  /**
   * The name of an event: its own if it has one, else its task, with {@code /} and its opcode if
   * that is meaningful. {@code win:} before a name is left out.
   *
   * @param event its own name; null or blank if it has none
   * @param task the name of its task; null or blank if it has none
   * @param opcode the name of its opcode; null or blank if it has none
   * @return stripped; null if nothing names it, so that its id has to
   */
  public static @Nullable String of(
      @Nullable String event, @Nullable String task, @Nullable String opcode) {
    String named = plain(event);
    if (named != null) {
      return named;
    }
    String ofTask = plain(task);
    String ofOpcode = plain(opcode);
    return ofTask == null || ofOpcode == null || ofOpcode.equalsIgnoreCase(INFO)
        ? ofTask
        : ofTask + "/" + ofOpcode;
  }

  /** A name as people read it: stripped, without {@code win:}; null if nothing is left. */
  static @Nullable String plain(@Nullable String name) {
    if (name == null) {
      return null;
    }
    String stripped = name.strip();
    String plain = stripped.startsWith(PREFIX) ? stripped.substring(PREFIX.length()) : stripped;
    return plain.isEmpty() ? null : plain;
  }

  /** The number of a level that Windows defines; 0 for others. */
  static int level(String reference) {
    return Math.max(0, LEVELS.indexOf(defined(reference)));
  }

  /** The number of an opcode that Windows defines; 0 for others. */
  static int opcode(String reference) {
    String name = defined(reference);
    return name.equals(RECEIVE) ? RECEIVE_NUMBER : Math.max(0, OPCODES.indexOf(name));
  }

  /** Returns the name after {@code win:}; empty if a reference does not begin so. */
  private static String defined(String reference) {
    return reference.startsWith(PREFIX) ? reference.substring(PREFIX.length()) : "";
  }

  /**
   * Returns the name of a level as a manifest refers to it: with {@code win:} if it is Windows'.
   */
  public static @Nullable String levelReference(@Nullable String name, int number) {
    return number > 0 && number < LEVELS.size() ? reference(name, LEVELS.get(number)) : name;
  }

  /**
   * Returns the name of an opcode as a manifest refers to it: with {@code win:} if it is Windows'.
   */
  public static @Nullable String opcodeReference(@Nullable String name, int number) {
    String windows =
        number == RECEIVE_NUMBER
            ? RECEIVE
            : number >= 0 && number < OPCODES.size() ? OPCODES.get(number) : "";
    return reference(name, windows);
  }

  private static @Nullable String reference(@Nullable String name, String windows) {
    return windows.equals(name) ? PREFIX + name : name;
  }
}

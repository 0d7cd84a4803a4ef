package io.ntrail.formats.schema;

import org.jspecify.annotations.Nullable;

/** Names of events with a schema: manifests, EventMetadata and TraceLogging. */
public final class EventNames {
  /** The informational opcode 0, named so in manifests and by Windows. */
  private static final String INFO = "Info";

  /** Names that Windows itself defines have it. */
  static final String PREFIX = "win:";

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
}

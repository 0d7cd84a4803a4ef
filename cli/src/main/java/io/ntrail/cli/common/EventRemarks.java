package io.ntrail.cli.common;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.SchemaSourceCounts;
import io.ntrail.analysis.etw.events.StackStatistics;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * Remarks on an answer of {@code ntrail events}: events without a schema, sources of schemas, and
 * patterns that match nothing.
 */
public final class EventRemarks {
  private static final int SHOWN = 10;

  private EventRemarks() {}

  /** The closing line of a list or table, if some of its records are not described. */
  public static void undescribed(SchemaSourceCounts sources, Terminal terminal) {
    long all = sources.events();
    long bare = sources.undescribed();
    if (bare > 0) {
      terminal
          .out()
          .println(
              Numbers.count(bare)
                  + " of "
                  + Numbers.counted(all, new EventTotals(all, sources.stackRecords()).noun())
                  + (bare == 1 ? " has" : " have")
                  + " no schema: raw payload with --format jsonl");
    }
  }

  /**
   * Reports the events that were not asked for fields as nothing describes them, and those that may
   * belong to a process that was asked for: in text as closing lines, for programs as warnings;
   * JSON has {@link #json} for them.
   *
   * @param processes the processes that were asked for
   */
  public static void undecided(
      EventFilter.Undecided undecided, List<String> processes, Format format, Terminal terminal) {
    notAsked(
        undecided.undescribed(),
        new EventTotals(undecided.asked(), undecided.stackRecords()),
        format,
        terminal);
    if (undecided.unattributed() > 0) {
      say(unattributed(undecided.unattributed(), processes), format, terminal);
    }
  }

  /** Returns the remark on events that may belong to a process that was asked for. */
  public static String unattributed(long events, List<String> processes) {
    return Numbers.counted(events, "event")
        + " of unknown processes may belong to "
        + String.join(", ", processes);
  }

  /** Reports, to programs, events that nothing describes where fields were asked for. */
  public static void undescribed(SchemaSourceCounts sources, Format format, Terminal terminal) {
    // In text, the last line of the table says it.
    if (format != Format.TEXT) {
      EventTotals all = new EventTotals(sources.events(), sources.stackRecords());
      notAsked(sources.undescribed(), all, format, terminal);
    }
  }

  private static void notAsked(long bare, EventTotals all, Format format, Terminal terminal) {
    if (bare > 0) {
      say(
          Numbers.count(bare)
              + " of "
              + Numbers.counted(all.records(), all.noun())
              + (bare == 1 ? " has" : " have")
              + " no schema and could not be asked (try: --manifest FILE)",
          format,
          terminal);
    }
  }

  private static void say(String text, Format format, Terminal terminal) {
    switch (format) {
      case TEXT -> terminal.out().println(text);
      case JSON -> {}
      default -> {
        terminal.out().flush();
        warn(terminal, text);
      }
    }
  }

  /** Writes the same counts as members of an object, if there is anything to say. */
  public static void json(Json json, SchemaSourceCounts sources, EventFilter.Undecided undecided) {
    if (sources.undescribed() + undecided.undescribed() + undecided.unattributed() > 0) {
      json.object("remarks")
          .number("undescribed", sources.undescribed())
          .number("notAsked", undecided.undescribed())
          .number("unattributed", undecided.unattributed())
          .endObject();
    }
  }

  /** Prints the sources of schemas and their problems: for {@code -v}. */
  public static void sources(
      SchemaSourceCounts sources, List<String> problems, ParseResult parsed, Terminal terminal) {
    if (!CommonOptions.has(parsed, "-v")) {
      return;
    }
    terminal.out().flush();
    for (String problem : problems.subList(0, Math.min(SHOWN, problems.size()))) {
      terminal.err().println("warning: " + problem);
    }
    if (problems.size() > SHOWN) {
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(problems.size() - SHOWN, "more problem")
                  + " with schemas in the recording");
    }
    List<SchemaSourceCounts.Row> rows = sources.rows();
    if (rows.isEmpty()) {
      return;
    }
    long events = sources.events();
    long types = rows.stream().mapToLong(SchemaSourceCounts.Row::types).sum();
    Table table = new Table().number("types").number("records").number("%").remark("schema source");
    for (SchemaSourceCounts.Row row : rows) {
      line(
          table,
          row.types(),
          row.events(),
          events,
          row.source() == null ? "(no schema)" : row.source().text());
    }
    line(table, types, events, events, "total");
    table.print(terminal.err(), 0, 0);
    List<String> listed = sources.listedProviders();
    if (!listed.isEmpty()) {
      int more = listed.size() - SHOWN;
      terminal
          .err()
          .println(
              Numbers.counted(listed.size(), "provider")
                  + " named by the "
                  + EventIds.PROVIDER_LIST
                  + ", not by the recording: "
                  + String.join(", ", listed.subList(0, Math.min(SHOWN, listed.size())))
                  + (more > 0 ? " and " + Numbers.count(more) + " more" : ""));
    }
  }

  private static void line(Table table, long types, long events, long all, String name) {
    table.row(Numbers.count(types), Numbers.count(events), Numbers.percent(events, all), name);
  }

  /**
   * Warns of words that fit nothing: an empty answer because of a wrong word is a wrong answer.
   *
   * @param inTime whether only the events of some time were looked at
   * @param narrowed whether only some of the events were looked at
   */
  public static void unmatched(
      List<UnmatchedTerm> words, boolean inTime, boolean narrowed, Terminal terminal) {
    unmatched(words, inTime, narrowed, EventFilter.Undecided.NONE, terminal);
  }

  /**
   * Warns of words that fit nothing, as far as that is known.
   *
   * @param inTime whether only the events of some time were looked at
   * @param narrowed whether only some of the events were looked at
   * @param undecided the events of which it is not known
   */
  public static void unmatched(
      List<UnmatchedTerm> words,
      boolean inTime,
      boolean narrowed,
      EventFilter.Undecided undecided,
      Terminal terminal) {
    if (words.isEmpty()) {
      return;
    }
    terminal.out().flush();
    String none = narrowed ? "none of the selected events" : "no event";
    for (UnmatchedTerm word : new LinkedHashSet<>(words)) {
      String asked = word.asked();
      String nearest = word.nearest();
      boolean there = !nearest.isEmpty() && nearest.equalsIgnoreCase(asked);
      terminal
          .err()
          .println(
              (word.what() == UnmatchedTerm.What.OWN ? "note: " : "warning: ")
                  + switch (word.what()) {
                    case EVENT ->
                        "no event" + (inTime ? " in this time range" : "") + " matches " + asked;
                    case PROCESS ->
                        none
                            + (undecided.unattributed() > 0 ? " is known to belong" : " belongs")
                            + " to "
                            + (there
                                ? asked + ", a process in this recording"
                                : "a process " + asked);
                    case THREAD -> none + " belongs to a thread " + asked;
                    case CPU -> none + " ran on CPU " + asked;
                    case FIELD ->
                        (undecided.undescribed() == 0
                                ? none
                                : narrowed
                                    ? "none of the selected events with a schema"
                                    : "no event with a schema")
                            + " has a field "
                            + asked;
                    case OWN ->
                        asked + " is that of the event itself: some events have such a field, too";
                    case FUNCTION, RULE -> "no function matches " + asked;
                    case MODULE -> "no module matches " + asked;
                    case GROUP ->
                        "the field "
                            + asked
                            + " is an array or structure: compare a member instead";
                  });
      if (!nearest.isEmpty() && !there) {
        terminal.err().println("try: " + example(word, nearest));
      } else if (nearest.isEmpty() && word.what() == UnmatchedTerm.What.EVENT) {
        terminal.err().println("try: --count lists all events");
      } else if (nearest.isEmpty() && word.what() == UnmatchedTerm.What.PROCESS) {
        terminal.err().println("try: --count --by process lists the processes that have events");
      }
    }
  }

  private static String example(UnmatchedTerm word, String nearest) {
    String quoted = ShellWords.of(nearest);
    return switch (word.what()) {
      case EVENT -> "-e " + quoted;
      case PROCESS -> "-p " + quoted;
      case THREAD -> "-t " + quoted;
      case CPU, FIELD, OWN, GROUP, FUNCTION, MODULE, RULE -> nearest;
    };
  }

  /** Warns when a time range lies outside of the recording. */
  public static void outside(
      EtwRecording recording, TimeRange range, int cores, Terminal terminal) {
    if (recording.covered(cores, range.fromNanos(), range.toNanos()) == 0) {
      long whole = recording.covered(cores, Long.MIN_VALUE, Long.MAX_VALUE);
      terminal.out().flush();
      terminal
          .err()
          .println(
              "warning: no records in this time range: the recording is "
                  + Numbers.seconds(whole)
                  + " s long");
    }
  }

  /** Warns of stacks that may be missing, and reports with {@code -v} how they were found. */
  public static void stacks(StackStatistics stacks, ParseResult parsed, Terminal terminal) {
    terminal.out().flush();
    if (stacks.leftOut() > 0) {
      warn(
          terminal,
          "memory limit reached: "
              + Numbers.counted(stacks.leftOut(), "stack record")
              + " skipped, some stacks are missing");
    }
    undefined(stacks.undefined(), terminal);
    if (stacks.givenUp() > 0) {
      warn(
          terminal,
          "memory limit reached: for "
              + Numbers.counted(stacks.givenUp(), "event")
              + " the search for a stack recorded after the event was not completed");
    }
    if (CommonOptions.has(parsed, "-v") && (stacks.references() > 0 || stacks.joined() > 0)) {
      terminal
          .err()
          .println(
              Numbers.counted(stacks.references(), "stack record")
                  + (stacks.unmatched() < 0
                      ? "; "
                      : ", " + Numbers.count(stacks.unmatched()) + " unmatched; ")
                  + Numbers.counted(stacks.joined(), "event")
                  + " with a stack from a later event");
    }
  }

  /** Warns of references to stack keys that nothing defines. */
  public static void undefined(long references, Terminal terminal) {
    if (references > 0) {
      warn(
          terminal,
          Numbers.counted(references, "reference")
              + " to undefined stack keys: stacks are incomplete");
    }
  }

  private static void warn(Terminal terminal, String text) {
    terminal.err().println("warning: " + text);
  }

  /** Warns when there were too many processes, threads or files to keep all of them. */
  public static void leftOut(long count, Terminal terminal) {
    if (count > 0) {
      terminal.out().flush();
      terminal
          .err()
          .println(
              "warning: memory limit reached: "
                  + Numbers.counted(count, "record")
                  + " of processes, threads and files skipped; some names may be missing or"
                  + " outdated");
    }
  }
}

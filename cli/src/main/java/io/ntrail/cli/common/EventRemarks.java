package io.ntrail.cli.common;

import io.ntrail.analysis.etw.events.SchemaSourceCounts;
import io.ntrail.analysis.etw.events.StackStatistics;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.TextSanitizer;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * What is said about an answer of {@code ntrail events} beside the answer: what nothing describes,
 * where names came from, and which words fit nothing.
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
                  + Numbers.counted(all, "record")
                  + (bare == 1 ? " is" : " are")
                  + " not described: their bytes are in --format jsonl");
    }
  }

  /** Where names and fields came from, and what could not be understood: for {@code -v}. */
  public static void sources(
      SchemaSourceCounts sources, List<String> problems, ParseResult parsed, Terminal terminal) {
    if (!CommonOptions.has(parsed, "-v")) {
      return;
    }
    terminal.out().flush();
    for (String problem : problems.subList(0, Math.min(SHOWN, problems.size()))) {
      terminal.err().println("warning: " + TextSanitizer.one(problem));
    }
    if (problems.size() > SHOWN) {
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(problems.size() - SHOWN, "more problem")
                  + " with descriptions in the recording");
    }
    List<SchemaSourceCounts.Row> rows = sources.rows();
    if (rows.isEmpty()) {
      return;
    }
    long events = sources.events();
    long types = rows.stream().mapToLong(SchemaSourceCounts.Row::types).sum();
    Table table =
        new Table().number("types").number("records").number("%").name("names and fields from");
    for (SchemaSourceCounts.Row row : rows) {
      line(
          table,
          row.types(),
          row.events(),
          events,
          row.source() == null ? "(not described)" : row.source().text());
    }
    line(table, types, events, events, "total");
    table.print(terminal.err(), 0, 0);
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
    if (words.isEmpty()) {
      return;
    }
    terminal.out().flush();
    String none = narrowed ? "none of the events asked for" : "no event";
    for (UnmatchedTerm word : words) {
      String asked = TextSanitizer.one(word.asked());
      String nearest = TextSanitizer.one(word.nearest());
      boolean there = !nearest.isEmpty() && nearest.equalsIgnoreCase(asked);
      terminal
          .err()
          .println(
              "warning: "
                  + switch (word.what()) {
                    case EVENT ->
                        "no event" + (inTime ? " of this time" : "") + " is called " + asked;
                    case PROCESS ->
                        none
                            + " belongs to "
                            + (there
                                ? asked + ", which the recording knows"
                                : "a process " + asked);
                    case THREAD -> none + " belongs to a thread " + asked;
                    case CPU -> none + " is of a CPU " + asked;
                    case FIELD -> none + " has a field " + asked;
                    case FUNCTION, RULE -> "no function is called " + asked;
                    case MODULE -> "no module is called " + asked;
                    case GROUP ->
                        "the field " + asked + " is a list or a structure: only members compare";
                  });
      if (!nearest.isEmpty() && !there) {
        terminal.err().println("try: " + example(word, nearest));
      } else if (nearest.isEmpty() && word.what() == UnmatchedTerm.What.EVENT) {
        terminal.err().println("try: --count lists the events that there are");
      } else if (nearest.isEmpty() && word.what() == UnmatchedTerm.What.PROCESS) {
        terminal.err().println("try: --count --by process lists the processes that have events");
      }
    }
  }

  private static String example(UnmatchedTerm word, String nearest) {
    String quoted = nearest.matches("[\\w./:@%+=,-]+") ? nearest : "'" + nearest + "'";
    return switch (word.what()) {
      case EVENT -> "-e " + quoted;
      case PROCESS -> "-p " + quoted;
      case THREAD -> "-t " + quoted;
      case CPU, FIELD, GROUP, FUNCTION, MODULE, RULE -> nearest;
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
              "warning: the recording has nothing of this time: it is "
                  + Numbers.seconds(whole)
                  + " s long");
    }
  }

  /** Warns of stacks that may be missing, and says with {@code -v} how they were found. */
  public static void stacks(StackStatistics stacks, ParseResult parsed, Terminal terminal) {
    terminal.out().flush();
    if (stacks.leftOut() > 0) {
      warn(
          terminal,
          Numbers.counted(stacks.leftOut(), "stack record")
              + " left out for want of memory: some stacks are missing");
    }
    if (stacks.undefined() > 0) {
      warn(
          terminal,
          Numbers.counted(stacks.undefined(), "reference")
              + " to stacks that the recording does not define: parts of stacks are missing");
    }
    if (stacks.givenUp() > 0) {
      warn(
          terminal,
          "of "
              + Numbers.counted(stacks.givenUp(), "event")
              + " the stack, which comes behind the event, was not looked for to the end for want"
              + " of memory");
    }
    if (CommonOptions.has(parsed, "-v") && (stacks.references() > 0 || stacks.joined() > 0)) {
      terminal
          .err()
          .println(
              Numbers.counted(stacks.references(), "stack record")
                  + (stacks.unmatched() < 0
                      ? "; "
                      : ", " + Numbers.count(stacks.unmatched()) + " of no event; ")
                  + Numbers.counted(stacks.joined(), "event")
                  + " with a stack from an event behind it");
    }
  }

  private static void warn(Terminal terminal, String text) {
    terminal.err().println("warning: " + text);
  }

  /** Warns when so many processes, threads or files were told of that not all could be kept. */
  public static void leftOut(long count, Terminal terminal) {
    if (count > 0) {
      terminal.out().flush();
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(count, "record")
                  + " about processes, threads and files were left out for want of memory: some"
                  + " names may be missing or those of earlier ones");
    }
  }
}

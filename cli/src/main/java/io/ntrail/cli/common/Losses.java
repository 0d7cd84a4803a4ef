package io.ntrail.cli.common;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.model.RecorderLosses;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.ParseResult;

/** Reports unreadable parts and recorder losses, the same way in every command. */
public final class Losses {
  private static final int SHOWN = 10;

  /** Commands whose text has no first line that says what is missing. */
  private static final Set<String> WITHOUT_FIRST_LINE = Set.of("symbols", "pt");

  private Losses() {}

  /** Events that the recorder counted as lost, all files together. */
  public static long events(Recording recording) {
    return recording.losses().records().orElse(0);
  }

  /** Buffers that the recorder counted as lost, all files together. */
  public static long buffers(Recording recording) {
    return recording.losses().buffers().orElse(0);
  }

  /** Writes the losses, and what was left out of the recording if it was made of another one. */
  public static Json json(Json json, Recording recording) {
    return omissions(lost(json, recording), recording);
  }

  /** Writes the losses; null what the recorder does not count. */
  public static Json lost(Json json, Recording recording) {
    RecorderLosses losses = recording.losses();
    return json.lost(losses.records(), losses.buffers(), losses.neverFinalised(), losses.flagged());
  }

  /** Writes what was left out of a recording that was made of another one; nothing for others. */
  public static Json omissions(Json json, Recording recording) {
    Omissions.json(json, recording.omissions());
    return json;
  }

  /**
   * Returns {@code complete} if nothing is missing, or what is, for the first line of an answer;
   * what was lost only if the recorder counted it.
   */
  public static String state(Recording recording) {
    RecorderLosses losses = recording.losses();
    List<String> state = new ArrayList<>();
    Optional<Stop> stopped = stop(recording);
    stopped.ifPresent(stop -> state.add("stopped at " + stop.percent + " %"));
    List<Gap> gaps = new ArrayList<>(recording.gaps());
    stopped.ifPresent(stop -> gaps.removeAll(stop.gaps));
    long counted = losses.records().orElse(0) + losses.buffers().orElse(0);
    if (isDamaged(gaps, losses) || stopped.isEmpty() && counted == 0) {
      state.add(wholeness(gaps, losses, recording.fileNames().size()));
    }
    if (!recording.omissions().isEmpty()) {
      state.add("a part of another one" + Omissions.inBrackets(recording.omissions()));
    }
    if (losses.records().isPresent() || losses.buffers().isPresent()) {
      state.add(counted(recording));
    }
    if (losses.discarded() > 0) {
      state.add(Numbers.counted(losses.discarded(), "older one") + " discarded");
    }
    return String.join(", ", state);
  }

  /** {@code 1,200 events and 3 buffers lost}. */
  private static String counted(Recording recording) {
    RecorderLosses losses = recording.losses();
    String one = recording.kind() == RecordingKind.ETW ? "event" : "record";
    List<String> lost = new ArrayList<>();
    losses.records().ifPresent(records -> lost.add(Numbers.counted(records, one)));
    losses.buffers().ifPresent(buffers -> lost.add(Numbers.counted(buffers, "buffer")));
    return String.join(" and ", lost) + " lost";
  }

  /**
   * Warns of what the recorder did not write, for an answer without a first line that says it.
   *
   * @param further what else is wrong, or what follows; nothing is printed if there is neither
   */
  public static void warnLost(Recording recording, List<String> further, Terminal terminal) {
    RecorderLosses losses = recording.losses();
    List<String> lost = new ArrayList<>();
    if (isDamaged(List.of(), losses)) {
      lost.add(wholeness(List.of(), losses, recording.fileNames().size()));
    }
    if (losses.records().orElse(0) + losses.buffers().orElse(0) > 0) {
      lost.add(counted(recording));
    }
    List<String> parts = new ArrayList<>(further);
    if (!lost.isEmpty()) {
      parts.addFirst(String.join(", ", lost));
    }
    if (!parts.isEmpty()) {
      terminal.out().flush();
      terminal.err().println("warning: " + name(recording) + ": " + String.join("; ", parts));
    }
  }

  /** Returns whether no line and no member of an answer says what the recorder lost. */
  public static boolean isUnsaid(Recording recording, ParseResult parsed) {
    String command = parsed.commandSpec().name();
    if (command.equals("probe")) {
      // It has said what follows from it.
      return false;
    }
    String format = CommonOptions.text(parsed, "--format", "text").toUpperCase(Locale.ROOT);
    if (format.equals(Format.TEXT.name())) {
      return WITHOUT_FIRST_LINE.contains(command);
    }
    // Its member is there only then: who does not know it reads the warning.
    boolean isUnfinished =
        recording.kind() == RecordingKind.ETW && recording.losses().neverFinalised() > 0;
    return !format.equals(Format.JSON.name()) || isUnfinished;
  }

  private static boolean isDamaged(List<Gap> gaps, RecorderLosses losses) {
    return !gaps.isEmpty()
        || losses.neverFinalised() > 0
        || losses.untraced() > 0
        || losses.uncounted() > 0
        || losses.unrecorded() > 0
        || losses.isSizeReached();
  }

  /**
   * A stop of reading on request.
   *
   * @param gaps what was not read for it
   */
  private record Stop(int percent, List<Gap> gaps) {}

  private static Optional<Stop> stop(Recording recording) {
    // A switch over types costs milliseconds at its first turn.
    if (recording instanceof EtwRecording etw) {
      return etw.stopped().map(stop -> new Stop(stop.percent(), stop.gaps()));
    }
    if (recording instanceof CallRecording calls) {
      return calls
          .work()
          .stoppedAt()
          .map(at -> new Stop(at.percent(), calls.stopGap().stream().toList()));
    }
    return Optional.empty();
  }

  private static String wholeness(List<Gap> gaps, RecorderLosses losses, int files) {
    long neverFinalised = losses.neverFinalised();
    List<String> state = new ArrayList<>();
    if (!gaps.isEmpty()) {
      state.add(Numbers.counted(gaps.size(), "place") + " could not be read");
    }
    if (neverFinalised > 0) {
      state.add(
          files == 1
              ? "never finalised"
              : Numbers.counted(neverFinalised, "file") + " never finalised");
    }
    if (losses.untraced() > 0) {
      state.add(Numbers.counted(losses.untraced(), "module") + " not traced for some time");
    }
    if (losses.uncounted() > 0) {
      state.add("events lost before " + Numbers.counted(losses.uncounted(), "buffer"));
    }
    if (losses.unrecorded() > 0) {
      state.add(Numbers.counted(losses.unrecorded(), "call") + " not recorded");
    }
    if (losses.isSizeReached()) {
      state.add("ended at its largest size");
    }
    return state.isEmpty() ? "complete" : String.join(", ", state);
  }

  /** Warns of every place that could not be read, the first ones in words. */
  public static void warn(List<Gap> gaps, Terminal terminal) {
    for (Gap gap : gaps.subList(0, Math.min(SHOWN, gaps.size()))) {
      terminal
          .err()
          .println(
              "warning: "
                  + gap.file()
                  + ": "
                  + (gap.bytes() < 0 ? "" : Numbers.bytes(gap.bytes()) + " ")
                  + "at offset "
                  + Numbers.count(gap.offset())
                  + " could not be read ("
                  + gap.what()
                  + "): "
                  + gap.why());
    }
    if (gaps.size() > SHOWN) {
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(gaps.size() - SHOWN, "more place")
                  + " unreadable (--format json lists all)");
    }
  }

  /** Closes an answer: the warnings, its effort if verbose, and the exit code. */
  public static int finish(Recording recording, ParseResult parsed, Terminal terminal) {
    return finish(recording, Symbols.NONE, parsed, terminal);
  }

  /**
   * Symbols that are missing or damaged.
   *
   * @param gaps what of them could not be read
   * @param areMissing whether some that were requested are not there
   */
  public record Symbols(List<Gap> gaps, boolean areMissing) {
    public static final Symbols NONE = new Symbols(List.of(), false);

    public Symbols {
      gaps = List.copyOf(gaps);
    }
  }

  /** Closes an answer for which symbols were read, too. */
  public static int finish(
      Recording recording, Symbols symbols, ParseResult parsed, Terminal terminal) {
    List<Gap> gaps = new ArrayList<>(recording.gaps());
    stop(recording).ifPresent(stop -> gaps.removeAll(stop.gaps));
    Omissions.print(terminal.err(), "note: " + name(recording) + ": ", recording.omissions());
    if (isUnsaid(recording, parsed)) {
      warnLost(recording, List.of(), terminal);
    }
    warn(gaps, terminal);
    recording.ability(EtwRecording.class).ifPresent(etw -> warnOfEvents(etw, terminal));
    recording
        .ability(EtwRecording.class)
        .ifPresent(etw -> ReadingProgress.sayStopped(etw, terminal));
    warn(symbols.gaps, terminal);
    if (CommonOptions.has(parsed, "-v")) {
      recording.ability(EtwRecording.class).ifPresent(etw -> effort(etw, parsed, terminal));
    }
    boolean strict = CommonOptions.has(parsed, "--strict");
    if (strict && symbols.areMissing) {
      terminal.err().println("warning: symbols are missing: some functions have no names");
    }
    boolean isLossy = strict && (recording.losses().any() || symbols.areMissing);
    return recording.gaps().isEmpty() && symbols.gaps.isEmpty() && !isLossy
        ? ExitCode.DONE
        : ExitCode.INCOMPLETE;
  }

  /** Warns of events that are there twice, and of those whose fields are not all there. */
  private static void warnOfEvents(EtwRecording recording, Terminal terminal) {
    recording.copies().ifPresent(text -> terminal.err().println("warning: " + text));
    List<Gap> events = recording.shortEvents().list();
    if (!events.isEmpty()) {
      // The last of very many stands for those that are not kept one by one.
      boolean isMore = events.getLast().bytes() < 0;
      int count = events.size() - (isMore ? 1 : 0);
      Gap first = events.getFirst();
      terminal
          .err()
          .println(
              "warning: "
                  + (isMore ? "more than " : "")
                  + Numbers.counted(count, "event")
                  + (count == 1 ? " ends before its last field" : " end before their last field")
                  + ", the first in the buffer at offset "
                  + Numbers.count(first.offset())
                  + " of "
                  + first.file()
                  + ": fields that are not there are in no answer");
    }
  }

  private static String name(Recording recording) {
    List<String> names = recording.fileNames();
    return names.size() == 1 ? names.getFirst() : "the recording";
  }

  /** Reports how much was read for an answer. */
  private static void effort(EtwRecording recording, ParseResult parsed, Terminal terminal) {
    terminal.out().flush();
    long buffers = recording.files().stream().mapToLong(f -> f.buffers().count()).sum();
    terminal
        .err()
        .println(
            "read "
                + Numbers.bytes(recording.bytesVisited())
                + " (the recording has "
                + Numbers.bytes(recording.size())
                + " in "
                + Numbers.counted(buffers, "buffer")
                + ") on up to "
                + Numbers.counted(CommonOptions.cores(parsed), "core")
                + (recording.files().size() == 1
                    ? ""
                    : recording.oneClock()
                        ? "; the files share a clock"
                        : "; files aligned by UTC"));
  }
}

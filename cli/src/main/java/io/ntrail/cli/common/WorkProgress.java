package io.ntrail.cli.common;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.ParseResult;

/**
 * Shows in which phase work is and how far that came, lets Ctrl+C stop it, and tells then what the
 * answer covers.
 *
 * @param <P> tells the phases apart
 */
public final class WorkProgress<P> {
  private final StoppableWork<P> work;
  private final Function<P, WorkPhase> words;
  private final Terminal terminal;
  private final boolean quiet;

  /**
   * Makes the progress of some work.
   *
   * @param words tells a phase in words
   */
  public WorkProgress(
      StoppableWork<P> work, Function<P, WorkPhase> words, ParseResult parsed, Terminal terminal) {
    this(work, words, CommonOptions.has(parsed, "-q"), terminal);
  }

  /**
   * Makes the progress of some work.
   *
   * @param words tells a phase in words
   * @param quiet whether nothing is shown before it is stopped
   */
  public WorkProgress(
      StoppableWork<P> work, Function<P, WorkPhase> words, boolean quiet, Terminal terminal) {
    this.work = work;
    this.words = words;
    this.terminal = terminal;
    this.quiet = quiet;
  }

  /** Makes the progress of work whose phases are words already. */
  public static WorkProgress<WorkPhase> of(
      StoppableWork<WorkPhase> work, ParseResult parsed, Terminal terminal) {
    return new WorkProgress<>(work, phase -> phase, parsed, terminal);
  }

  /** Begins to show it. */
  public Progress start() {
    return start(quiet, this::line, work::stop);
  }

  /** Begins to show it, and downloads from servers in its place, which are stopped with it. */
  public Progress start(SymbolSearchPath places) {
    return start(
        quiet,
        () -> places.progress().line().orElseGet(this::line),
        () -> {
          work.stop();
          places.stop();
        });
  }

  /** Begins to show it, unless rows that are printed meanwhile are on the terminal. */
  public Progress listing() {
    return start(quiet || terminal.outIsTerminal(), this::line, work::stop);
  }

  private Progress start(boolean isQuiet, Supplier<String> line, Runnable stop) {
    return Progress.start(terminal, isQuiet, line, stop).then(this::sayStopped);
  }

  private String line() {
    StoppableWork.Position<P> position = work.position();
    return words.apply(position.phase()).line(position);
  }

  /** Tells once how far the work came before it was stopped, if it was. */
  public void sayStopped() {
    work.stoppedAt()
        .filter(_ -> terminal.interruption().isFirst())
        .ifPresent(stopped -> {
          terminal.out().flush();
          terminal.err().println("ntrail: " + words.apply(stopped.phase()).stopped(stopped));
        });
  }

  /** Returns {@code , stopped at 39 %} for the first line of an answer; empty if it was not. */
  public String state() {
    return isStopped() ? ", " + stateAlone() : "";
  }

  private String stateAlone() {
    return work.stoppedAt().map(at -> "stopped at " + at.percent() + " %").orElse("");
  }

  /** Returns what is said of the input in the first line, with the stop if there was one. */
  public String state(String other) {
    return other.isEmpty() ? stateAlone() : other + state();
  }

  /** Returns whether something was left out. */
  public boolean isStopped() {
    return work.stoppedAt().isPresent();
  }

  /** Returns the exit code of an answer that has another one if nothing was left out. */
  public int exitCode(int ofWhole) {
    return isStopped() ? ExitCode.INCOMPLETE : ofWhole;
  }

  /**
   * Returns what JSON says about parts that were not read, with one for what was left out when the
   * work was stopped.
   *
   * @param gaps what could not be read
   * @param offset where the rest begins
   * @param bytes its size; -1 if unknown
   */
  public List<Gap> gaps(List<Gap> gaps, String file, long offset, long bytes) {
    Optional<Gap> left =
        work.stoppedAt()
            .map(at -> {
              String unit = words.apply(at.phase()).unit();
              String what =
                  unit.isEmpty() ? "bytes" : Numbers.counted(at.total() - at.done(), unit);
              return new Gap(file, offset, bytes, what, "reading was stopped");
            });
    return Stream.concat(gaps.stream(), left.stream()).toList();
  }
}

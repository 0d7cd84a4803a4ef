package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.EtwProfile;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Remarks on a profile: events that were not summed, and patterns that match nothing. */
public final class ProfileRemarks {
  private final ProfileInput input;
  private final Profiler profiler;
  private final ProfileRequest request;
  private final Terminal terminal;
  private final String lack;

  public ProfileRemarks(EtwProfile profile, ProfileRequest request, Terminal terminal) {
    this.input = profile.input();
    this.profiler = profile.profiler();
    this.request = request;
    this.terminal = terminal;
    this.lack = profile.lack();
  }

  /** Prints the closing lines of a table; of rows for programs, warnings; JSON has members. */
  void close(ProfilePage page) {
    switch (request.shape().format()) {
      case TEXT -> {
        closing("", page).forEach(terminal.out()::println);
        others().forEach(terminal.out()::println);
      }
      case JSON -> {}
      default -> {
        terminal.out().flush();
        closing(page).forEach(this::warning);
      }
    }
  }

  /** Returns what the sums lack, or have in a wrong place: a line each, which can stand alone. */
  public List<String> closing(ProfilePage page) {
    return closing(request.metric().occurrences() + " ", page);
  }

  /**
   * Returns these lines.
   *
   * @param of what the numbers of events are of; empty below a heading that says it
   */
  private List<String> closing(String of, ProfilePage page) {
    List<String> remarks = new ArrayList<>();
    add(
        remarks,
        profiler.remarks().unfinished(),
        of + "had not ended when the recording stopped: not included");
    add(remarks, profiler.remarks().broken(), of + "have a start or an end only: not included");
    add(
        remarks,
        profiler.remarks().breaks(),
        "context switches are inconsistent with the previous one on their CPU: some were lost, and"
            + " waits across the loss may include run time");
    add(remarks, profiler.unmatched(), "stack records match no event");
    add(remarks, profiler.undefined(), "stack keys are undefined");
    if (profiler.remarks().unattributed() > 0) {
      String unit = request.unit() == WeightUnit.COUNT ? request.metric().things() : page.unit();
      String weight = page.weight(profiler.remarks().unattributed()) + " " + unit;
      List<NamePattern> asked = request.scope().processes();
      remarks.add(
          asked.isEmpty()
              ? weight + " in unknown processes"
              : weight
                  + " of unknown processes may belong to "
                  + asked.stream().map(NamePattern::toString).collect(Collectors.joining(", ")));
    }
    return remarks;
  }

  private List<String> others() {
    List<String> names =
        request.source().variants(input.inventory()).stream()
            .filter(variant -> !variant.equals(profiler.variant()))
            .map(Variant::name)
            .toList();
    return names.isEmpty()
        ? List.of()
        : List.of(request.metric().choice().others() + ": --source " + String.join(", ", names));
  }

  private static void add(List<String> remarks, long count, String what) {
    if (count > 0) {
      remarks.add(Numbers.count(count) + " " + what);
    }
  }

  /** Warns of what makes figures wrong, or empty; in every format. */
  public void warn(int cores, List<UnmatchedTerm> functions) {
    terminal.out().flush();
    if (!lack.isEmpty()) {
      warning(lack);
    }
    EventRemarks.leftOut(input.machine().leftOut(), terminal);
    long stacks = profiler.leftOut();
    if (stacks > 0) {
      warning("memory limit reached: " + Numbers.counted(stacks, "stack record") + " skipped");
    }
    long tooLarge = profiler.remarks().tooLarge();
    if (tooLarge > 0) {
      warning(
          "not included, as they are negative or too large to be added up: "
              + Numbers.count(tooLarge)
              + " of the "
              + request.metric().things());
    }
    if (profiler.remarks().intervalUnknown()) {
      warning("sampling interval unknown: assuming 1 ms (timer) or 1 event (counter)");
    }
    if (!request.range().whole()) {
      EventRemarks.outside(input.recording(), request.range(), cores, terminal);
    }
    profiler.unmatchedWords().forEach(this::unmatched);
    functions.forEach(this::unmatched);
  }

  private void unmatched(UnmatchedTerm word) {
    String asked = word.asked();
    String nearest = word.nearest();
    boolean there = nearest.equalsIgnoreCase(asked) && !nearest.isEmpty();
    boolean byName = request.metric().has(Metric.Trait.NAMED_EVENTS);
    String things = byName ? "selected events" : request.metric().things();
    String none = "none of the " + things;
    switch (word.what()) {
      case EVENT ->
          warning(
              (byName
                      ? request.range().whole() ? "no event" : "no event in this time range"
                      : "no event of metric " + request.metric().name())
                  + " matches "
                  + asked);
      case PROCESS ->
          warning(
              none
                  + (profiler.remarks().unattributed() > 0 ? " is known to belong" : " belongs")
                  + " to "
                  + (there ? asked + ", a process in this recording" : "a process " + asked));
      case THREAD -> warning(none + " belongs to a thread " + asked);
      case MODULE -> warning(none + " are in a module " + asked);
      default -> warning("no function in the profile matches " + asked);
    }
    String next = there ? "" : nextStep(word, nearest);
    if (!next.isEmpty()) {
      terminal.err().println("try: " + next);
    }
  }

  private static String nextStep(UnmatchedTerm word, String nearest) {
    String quoted = ShellWords.of(nearest);
    return switch (word.what()) {
      case EVENT ->
          nearest.isEmpty() ? "ntrail events FILE --count lists all events" : "-e " + quoted;
      case PROCESS ->
          nearest.isEmpty() ? "--by process lists the processes of this profile" : "-p " + quoted;
      case THREAD -> "--by thread lists the threads of this profile";
      case MODULE -> nearest.isEmpty() ? "" : "-z " + quoted;
      case RULE -> nearest.isEmpty() ? "-n 0 lists all functions" : quoted;
      default -> nearest.isEmpty() ? "-n 0 lists all functions" : "--callers " + quoted;
    };
  }

  private void warning(String text) {
    terminal.err().println("warning: " + text);
  }
}

package io.ntrail.cli.export;

import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.naming.ModuleBuilds;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.pt.TraceCalls;
import io.ntrail.cli.text.Terminal;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * An input of {@code export} or {@code diff}, whatever kind it is: its weights by stack or by
 * function, with their remarks.
 */
sealed interface StackInput extends AutoCloseable
    permits RecordedEventStacks, RecordedCallStacks, CollapsedStacks {
  /**
   * Opens one and adds it up.
   *
   * @param paths one file, or several that make one ETW recording
   * @param shape a tree for {@link #addTo}, flat for {@link #rows}
   * @param terminal where progress and warnings go
   */
  static StackInput open(
      List<Path> paths, ProfileShape shape, ParseResult parsed, Terminal terminal) {
    if (TraceCalls.isMeant(parsed)) {
      return RecordedCallStacks.ofTrace(paths, shape, parsed, terminal);
    }
    TraceCalls.check(parsed, "ntrail diff before.etl after.etl --metric pt --image-path images");
    try (RecordingInput input =
        RecordingInput.of(paths, Ability.NAMED_STACKS).together(CommonOptions.isTogether(parsed))) {
      if (input.has(Ability.CALLS)) {
        return RecordedCallStacks.open(input, shape, parsed, terminal);
      }
      return input.has(Ability.WEIGHTED_STACKS)
          ? RecordedEventStacks.open(input, shape, parsed, terminal)
          : CollapsedStacks.open(input, shape, parsed, terminal);
    }
  }

  /** Returns its headings and members. */
  ProfilePage page();

  /** The first lines of a page that shows its stacks. */
  default List<String> told() {
    List<String> lines = new ArrayList<>(page().lines());
    if (!remark().isEmpty()) {
      lines.add(remark());
    }
    lines.addAll(closing());
    return lines;
  }

  /**
   * Adds its stacks to a column of a tree.
   *
   * @param naming what of names is kept
   */
  void addTo(StackTree tree, int column, FrameNameOptions naming);

  /** Returns a remark on stacks that are not as recorded; empty if all are. */
  default String remark() {
    return "";
  }

  /** Returns the builds of its images; none if it does not know them. */
  default ModuleBuilds builds() {
    return new ModuleBuilds();
  }

  /** Its functions or modules, if the shape is flat. */
  List<ProfileRow> rows();

  /** Returns the functions that were entered, but have no weight as no call of them ended. */
  default List<ProfileRow> openRows() {
    return List.of();
  }

  /** Returns remarks on weights that its sums do not have, or have in a wrong place. */
  default List<String> closing() {
    return List.of();
  }

  /**
   * Warns of problems of the input, and returns the exit code.
   *
   * @param isExport whether the answer is stacks for another tool, which have no place for them
   */
  int finish(boolean isExport);

  @Override
  void close();
}

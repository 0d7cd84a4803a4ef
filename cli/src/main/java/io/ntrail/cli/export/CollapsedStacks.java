package io.ntrail.cli.export;

import io.ntrail.analysis.collapsed.CollapsedRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.bytes.Gap;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** A file of collapsed stacks, of ntrail or of another tool. */
final class CollapsedStacks implements StackInput, ProfilePage {
  private static final List<String> OTHER_OPTIONS =
      List.of(
          "--metric",
          "--wait",
          "--unit",
          "--source",
          "-e",
          "-p",
          "-t",
          "--time",
          "--kernel",
          "--user",
          "--idle",
          "--just-my-code",
          "--fold",
          "--group",
          "--no-inline",
          "--only",
          "--hide",
          "-y",
          "--server",
          "--symbols-wait");

  private final CollapsedRecording recording;
  private final Terminal terminal;
  private final boolean uncut;
  private long total;
  private int decimals;
  private long lines;

  private CollapsedStacks(CollapsedRecording recording, ParseResult parsed, Terminal terminal) {
    this.recording = recording;
    this.terminal = terminal;
    this.uncut = CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal();
  }

  static CollapsedStacks open(
      RecordingInput input, ProfileShape shape, ParseResult parsed, Terminal terminal) {
    for (String option : OTHER_OPTIONS) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " does not apply to collapsed stacks: " + input.paths().getFirst(),
            "ntrail diff -h");
      }
    }
    if (shape.by() == ProfileShape.By.LINE) {
      throw new UsageError("collapsed stacks have no line numbers", "--by function");
    }
    if (shape.look() == ProfileShape.Look.TREE && shape.by() == ProfileShape.By.MODULE) {
      throw new UsageError("--by module of collapsed stacks needs a table format", "--format text");
    }
    return new CollapsedStacks(input.open(CollapsedRecording.class), parsed, terminal);
  }

  @Override
  public ProfilePage page() {
    return this;
  }

  @Override
  public void addTo(StackTree tree, int column, FrameNameOptions naming) {
    long before = tree.sum(column);
    lines = tree.addAll(recording, column, naming);
    total = tree.sum(column) - before;
    decimals = tree.decimals(column);
  }

  @Override
  public List<ProfileRow> rows() {
    return List.of();
  }

  @Override
  public int finish(boolean isExport) {
    List<Gap> all = recording.gaps();
    Losses.warn(all, terminal);
    return all.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  @Override
  public void close() {
    recording.close();
  }

  @Override
  public Terminal terminal() {
    return terminal;
  }

  @Override
  public int width() {
    return uncut ? 0 : terminal.width();
  }

  @Override
  public boolean ascii() {
    return !terminal.outIsUtf8();
  }

  @Override
  public long total() {
    return total;
  }

  @Override
  public int decimals() {
    return decimals;
  }

  @Override
  public String weight(long weight) {
    return Numbers.decimal(weight, decimals);
  }

  @Override
  public String unit() {
    return "samples";
  }

  @Override
  public String unitOfWeights() {
    return unit();
  }

  @Override
  public List<String> lines() {
    List<Gap> all = recording.gaps();
    String state =
        all.isEmpty() ? "complete" : Numbers.counted(all.size(), "place") + " could not be read";
    return List.of(
        recording.fileNames().getFirst()
            + ": "
            + weight(total)
            + " in "
            + Numbers.counted(lines, "line")
            + ", "
            + state);
  }

  @Override
  public Json members(Json json) {
    return json.text("file", recording.fileNames().getFirst())
        .text("metric", "collapsed")
        .unknown("unit")
        .key("total")
        .decimal(total, decimals)
        .number("lines", lines)
        .gaps(recording.gaps());
  }
}

package io.ntrail.cli.export;

import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.cli.common.CallFiles;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.ProfilePage;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.export.collapsed.CollapsedReader;
import io.ntrail.export.stacks.FrameNameOptions;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
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
          "-y",
          "--server",
          "--symbols-wait");

  private final InputFile input;
  private final Gaps gaps;
  private final Terminal terminal;
  private final boolean uncut;
  private long total;
  private long lines;

  private CollapsedStacks(InputFile input, Gaps gaps, ParseResult parsed, Terminal terminal) {
    this.input = input;
    this.gaps = gaps;
    this.terminal = terminal;
    this.uncut = CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal();
  }

  /** Returns whether a file holds collapsed stacks, by its content; an empty one by its name. */
  static boolean isOne(Path path) {
    // Recordings are large: they need not be unpacked to find out.
    if (!Files.isRegularFile(path)
        || CallFiles.unpackedName(path).toLowerCase(Locale.ROOT).endsWith(".etl")) {
      return false;
    }
    List<InputFile> inputs = List.of();
    try {
      inputs = Archives.open(path, CollapsedStacks::isName, new Gaps());
      if (inputs.size() != 1) {
        return false;
      }
      InputFile input = inputs.getFirst();
      return input.size() == 0
          ? isName(path.toString().toLowerCase(Locale.ROOT))
          : CollapsedReader.looksLike(input);
    } catch (CannotGoOn e) {
      // Whoever reads it for what it is says why.
      return false;
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private static boolean isName(String name) {
    return name.endsWith(".txt") || name.endsWith(".collapsed") || name.endsWith(".folded");
  }

  static CollapsedStacks open(
      Path path, ProfileShape shape, ParseResult parsed, Terminal terminal) {
    for (String option : OTHER_OPTIONS) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " does not apply to collapsed stacks: " + path + " has no such data",
            "ntrail diff -h");
      }
    }
    if (shape.by() == ProfileShape.By.LINE) {
      throw new UsageError("collapsed stacks have no source lines", "--by function");
    }
    if (shape.look() == ProfileShape.Look.TREE && shape.by() == ProfileShape.By.MODULE) {
      throw new UsageError("--by module of collapsed stacks needs a table format", "--format text");
    }
    Gaps gaps = new Gaps();
    InputFile input = Archives.open(path, CollapsedStacks::isName, gaps).getFirst();
    return new CollapsedStacks(input, gaps, parsed, terminal);
  }

  @Override
  public ProfilePage page() {
    return this;
  }

  @Override
  public void addTo(StackTree tree, int column, FrameNameOptions naming) {
    long before = tree.sum(column);
    lines = CollapsedReader.read(input, tree, column, naming, gaps);
    total = tree.sum(column) - before;
  }

  @Override
  public List<ProfileRow> rows() {
    return List.of();
  }

  @Override
  public int finish() {
    List<Gap> all = gaps.list();
    Losses.warn(all, terminal);
    return all.isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  @Override
  public void close() {
    input.close();
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
  public String weight(long weight) {
    return Numbers.count(weight);
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
    List<Gap> all = gaps.list();
    String state =
        all.isEmpty() ? "complete" : Numbers.counted(all.size(), "place") + " could not be read";
    return List.of(
        input.name()
            + ": "
            + Numbers.count(total)
            + " in "
            + Numbers.counted(lines, "line")
            + ", "
            + state);
  }

  @Override
  public Json members(Json json) {
    return json.text("file", input.name())
        .text("metric", "collapsed")
        .unknown("unit")
        .number("total", total)
        .number("lines", lines)
        .gaps(gaps.list());
  }
}

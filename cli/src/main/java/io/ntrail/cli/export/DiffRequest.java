package io.ntrail.cli.export;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.profile.ProfileShape;
import io.ntrail.cli.profile.ProfileShape.By;
import io.ntrail.cli.text.Terminal;
import io.ntrail.export.stacks.FrameNameOptions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.ParseResult;

/**
 * Request of {@code ntrail diff}.
 *
 * @param to what to write for another tool; empty to print a table
 * @param format of the table
 * @param bySelf whether changes are those of own weights, or else of what includes callees
 * @param by what rows are of: function, line or module
 * @param limit rows; 0 for all
 * @param naming what of names counts
 * @param normalize whether the first profile is scaled to the total of the second
 * @param swap whether a flame graph is as wide as the first profile
 * @param least percent that a frame of a flame graph must have
 */
record DiffRequest(
    Optional<ExportFormat> to,
    CommonOptions.Format format,
    boolean bySelf,
    By by,
    long limit,
    FrameNameOptions naming,
    boolean normalize,
    boolean swap,
    double least) {
  /** Options of stacks, which do not apply to tables. */
  private static final List<String> OF_STACKS =
      List.of("--normalize", "--swap", "--annotate", "--min");

  static DiffRequest of(ParseResult parsed, Terminal terminal) {
    Optional<ExportFormat> to = to(parsed);
    CommonOptions.Format format =
        CommonOptions.format(
            parsed,
            CommonOptions.Format.TEXT,
            CommonOptions.Format.JSON,
            CommonOptions.Format.JSONL,
            CommonOptions.Format.CSV);
    sensible(parsed, to);
    boolean bySelf = ProfileShape.bySelf(parsed);
    return new DiffRequest(
        to,
        format,
        bySelf,
        ProfileShape.flat(parsed).by(),
        CommonOptions.limit(parsed, format, terminal),
        new FrameNameOptions(
            !CommonOptions.has(parsed, "--strip-pid"),
            !CommonOptions.has(parsed, "--strip-hex"),
            Set.of()),
        CommonOptions.has(parsed, "--normalize"),
        CommonOptions.has(parsed, "--swap"),
        ProfileShape.percent(parsed, ExportCommand.LEAST));
  }

  private static Optional<ExportFormat> to(ParseResult parsed) {
    if (CommonOptions.has(parsed, "--to")) {
      if (CommonOptions.has(parsed, "--format")) {
        throw new UsageError(
            "--format (tables) and --to (stacks) exclude each other", "--to collapsed");
      }
      return Optional.of(
          ExportFormat.named(CommonOptions.text(parsed, "--to", ""), ExportFormat.allComparing()));
    }
    return CommonOptions.has(parsed, "--format")
        ? Optional.empty()
        : ExportFormat.ofFile(CommonOptions.text(parsed, "-o", ""), ExportFormat.allComparing());
  }

  private static void sensible(ParseResult parsed, Optional<ExportFormat> to) {
    for (String option : OF_STACKS) {
      if (to.isEmpty() && CommonOptions.has(parsed, option)) {
        throw new UsageError(option + " needs --to", "--to collapsed " + option);
      }
    }
    for (String option : List.of("-s", "-n")) {
      if (to.isPresent() && CommonOptions.has(parsed, option)) {
        throw new UsageError(option + " and --to exclude each other", "--format csv");
      }
    }
    to.ifPresent(format -> {
      ExportCommand.sensible(parsed, format);
      format.mustTake("--swap", "--swap", parsed);
    });
  }

  /** Returns whether the answer is a table for people. */
  boolean isText() {
    return to.isEmpty() && format == CommonOptions.Format.TEXT;
  }

  boolean byModule() {
    return by == By.MODULE;
  }

  /** Returns whether stacks are needed, and not only functions. */
  boolean needsStacks() {
    return to.isPresent() || !naming.numbers();
  }
}

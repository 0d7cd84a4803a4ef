package io.ntrail.cli.command;

import io.ntrail.export.stacks.Naming;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/**
 * What was asked of {@code ntrail diff}, understood.
 *
 * @param to what to write for another tool; empty to print a table
 * @param format of the table
 * @param bySelf whether changes are those of own weights, or else of what includes callees
 * @param byModule whether rows are modules, or else functions
 * @param limit rows; 0 for all
 * @param naming what of names counts
 * @param normalize whether the first profile is scaled to the total of the second
 * @param swap whether a flame graph is as wide as the first profile
 * @param least percent that a frame of a flame graph must have
 */
record DiffRequest(
    Optional<ExportFormat> to,
    Options.Format format,
    boolean bySelf,
    boolean byModule,
    long limit,
    Naming naming,
    boolean normalize,
    boolean swap,
    double least) {
  private static final long DEFAULT_LIMIT = 20;

  /** Options that say how stacks are written, and nothing about a table. */
  private static final List<String> OF_STACKS =
      List.of("--normalize", "--swap", "--annotate", "--min");

  static DiffRequest of(ParseResult parsed) {
    Optional<ExportFormat> to = to(parsed);
    Options.Format format =
        Options.format(
            parsed,
            Options.Format.TEXT,
            Options.Format.JSON,
            Options.Format.JSONL,
            Options.Format.CSV);
    sensible(parsed, to);
    String sort = Options.text(parsed, "-s", "self");
    if (!List.of("self", "incl", "inclusive").contains(sort)) {
      throw new UsageError("-s takes self or incl, not " + sort, "-s incl");
    }
    return new DiffRequest(
        to,
        format,
        sort.equals("self"),
        ProfileShape.flat(parsed).by().equals("module"),
        Options.number(parsed, "-n", format == Options.Format.TEXT ? DEFAULT_LIMIT : 0),
        new Naming(!Options.has(parsed, "--strip-pid"), !Options.has(parsed, "--strip-hex")),
        Options.has(parsed, "--normalize"),
        Options.has(parsed, "--swap"),
        ProfileShape.percent(parsed, ExportCommand.LEAST));
  }

  private static Optional<ExportFormat> to(ParseResult parsed) {
    if (Options.has(parsed, "--to")) {
      if (Options.has(parsed, "--format")) {
        throw new UsageError(
            "--format is of tables, --to of stacks: one at a time", "--to collapsed");
      }
      return Optional.of(ExportFormat.named(Options.text(parsed, "--to", "")));
    }
    return Options.has(parsed, "--format")
        ? Optional.empty()
        : ExportFormat.ofFile(Options.text(parsed, "-o", ""));
  }

  private static void sensible(ParseResult parsed, Optional<ExportFormat> to) {
    for (String option : OF_STACKS) {
      if (to.isEmpty() && Options.has(parsed, option)) {
        throw new UsageError(option + " is about stacks, with --to", "--to collapsed " + option);
      }
    }
    for (String option : List.of("-s", "-n")) {
      if (to.isPresent() && Options.has(parsed, option)) {
        throw new UsageError(option + " is about tables, without --to", "--format csv");
      }
    }
    to.ifPresent(format -> ExportCommand.sensible(parsed, format));
    if (Options.has(parsed, "--swap") && to.orElse(null) == ExportFormat.COLLAPSED) {
      throw new UsageError("--swap is about the width of flame graphs", "--to flamegraph --swap");
    }
  }

  /** Whether stacks are needed, and not only functions. */
  boolean needsStacks() {
    return to.isPresent() || !naming.numbers();
  }
}

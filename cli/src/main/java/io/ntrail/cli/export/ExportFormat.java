package io.ntrail.cli.export;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.export.collapsed.CollapsedWriter;
import io.ntrail.export.flamegraph.FlameGraph;
import io.ntrail.export.stacks.StackTree;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.ParseResult;

/**
 * Formats of other tools. A constant is all that commands know of a format: its word in {@code
 * --to} is its name in lower case.
 */
enum ExportFormat {
  COLLAPSED(
      "collapsed stacks",
      ".collapsed.txt",
      "stacks and weights, one line each",
      "flame graph tools",
      true,
      "--annotate") {
    @Override
    void write(StackTree tree, Page page, PrintStream out) {
      CollapsedWriter.write(tree, page.annotated(), out);
    }
  },
  FLAMEGRAPH(
      "flame graphs", ".html", "one page, works offline", "any browser", true, "--min", "--swap") {
    @Override
    void write(StackTree tree, Page page, PrintStream out) {
      FlameGraph.write(tree, page.heading(), page.options(), out);
    }
  };

  /**
   * Everything beside the stacks that a format may show.
   *
   * @param heading of all formats that have one
   * @param options of flame graphs
   * @param annotated whether names of collapsed stacks end with their kind
   */
  record Page(FlameGraph.Heading heading, FlameGraph.Options options, boolean annotated) {}

  private final String noun;
  private final String suffix;
  private final String what;
  private final String reader;
  private final boolean comparing;

  /** Options that only some formats take, with blanks between them. */
  private final String options;

  ExportFormat(
      String noun,
      String suffix,
      String what,
      String reader,
      boolean comparing,
      String... options) {
    this.noun = noun;
    this.suffix = suffix;
    this.what = what;
    this.reader = reader;
    this.comparing = comparing;
    this.options = String.join(" ", options);
  }

  /** Writes a settled tree, of one column or, if it compares, of two. */
  abstract void write(StackTree tree, Page page, PrintStream out);

  /** Returns its word in options. */
  String text() {
    return OptionValues.word(this);
  }

  /** Returns the suffix of such files. */
  String suffix() {
    return suffix;
  }

  /** Returns its content, for people. */
  String what() {
    return what;
  }

  /** Returns the tools that read it. */
  String reader() {
    return reader;
  }

  /** Returns all formats. */
  static List<ExportFormat> all() {
    return List.of(values());
  }

  /** Returns the formats that can show two profiles side by side. */
  static List<ExportFormat> allComparing() {
    return Arrays.stream(values()).filter(format -> format.comparing).toList();
  }

  /** Returns the words of formats. */
  static List<String> words(List<ExportFormat> formats) {
    return formats.stream().map(ExportFormat::text).toList();
  }

  /**
   * Returns the format that {@code --to} names.
   *
   * @param choice formats that make sense
   * @throws UsageError if it is none of them
   */
  static ExportFormat named(String word, List<ExportFormat> choice) {
    OptionValues<ExportFormat> values = OptionValues.of("--to", choice);
    String nearest = SpellingSuggestion.of(word, values.words());
    return (nearest.isEmpty() ? values : values.example(nearest)).value(word);
  }

  /** Returns the format that a file's suffix names. */
  static Optional<ExportFormat> ofFile(String file, List<ExportFormat> choice) {
    String name = file.toLowerCase(Locale.ROOT);
    return choice.stream().filter(format -> name.endsWith(format.suffix)).findFirst();
  }

  private boolean takes(String option) {
    return List.of(options.split(" ", -1)).contains(option);
  }

  /**
   * Refuses an option that has no effect on this format.
   *
   * @param example the option as a message proposes it
   * @throws UsageError if it was given
   */
  void mustTake(String option, String example, ParseResult parsed) {
    if (CommonOptions.has(parsed, option) && !takes(option)) {
      List<ExportFormat> takers =
          Arrays.stream(values()).filter(format -> format.takes(option)).toList();
      String nouns =
          takers.stream().map(format -> format.noun).collect(Collectors.joining(" and "));
      throw new UsageError(
          option + " applies to " + nouns, "--to " + takers.getFirst().text() + " " + example);
    }
  }
}

package io.ntrail.cli.export;

import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Formats of other tools. */
enum ExportFormat {
  COLLAPSED(
      "collapsed", ".collapsed.txt", "stacks and weights, one line each", "flame graph tools"),
  FLAMEGRAPH("flamegraph", ".html", "one page, works offline", "any browser");

  private final String text;
  private final String suffix;
  private final String what;
  private final String reader;

  ExportFormat(String text, String suffix, String what, String reader) {
    this.text = text;
    this.suffix = suffix;
    this.what = what;
    this.reader = reader;
  }

  /** Returns its word in options. */
  String text() {
    return text;
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

  /** The names of all. */
  static List<String> names() {
    return Arrays.stream(values()).map(ExportFormat::text).toList();
  }

  /**
   * Returns the format of that name.
   *
   * @throws UsageError if there is none
   */
  static ExportFormat named(String name) {
    for (ExportFormat format : values()) {
      if (format.text.equals(name)) {
        return format;
      }
    }
    String nearest = SpellingSuggestion.of(name, names());
    throw new UsageError(
        "--to takes " + String.join(" or ", names()) + ", not " + name,
        "--to " + (nearest.isEmpty() ? values()[0].text : nearest));
  }

  /** Returns the format that a file's suffix names. */
  static Optional<ExportFormat> ofFile(String file) {
    String name = file.toLowerCase(Locale.ROOT);
    return Arrays.stream(values()).filter(format -> name.endsWith(format.suffix)).findFirst();
  }
}

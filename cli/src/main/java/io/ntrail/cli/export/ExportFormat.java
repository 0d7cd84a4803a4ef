package io.ntrail.cli.export;

import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What profiles can be written as for other tools. */
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

  /** As options spell it. */
  String text() {
    return text;
  }

  /** How names of such files end. */
  String suffix() {
    return suffix;
  }

  /** What is in it, for people. */
  String what() {
    return what;
  }

  /** Who reads it. */
  String reader() {
    return reader;
  }

  /** The names of all. */
  static List<String> names() {
    return Arrays.stream(values()).map(ExportFormat::text).toList();
  }

  /**
   * The one of that name.
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

  /** The one that a file's name ends like. */
  static Optional<ExportFormat> ofFile(String file) {
    String name = file.toLowerCase(Locale.ROOT);
    return Arrays.stream(values()).filter(format -> name.endsWith(format.suffix)).findFirst();
  }
}

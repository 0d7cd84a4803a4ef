package io.ntrail.cli.record;

import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Files that sessions write for one recording: {@code shop.kernel.etl} for {@code shop.etl}. The
 * names alone tell what belongs together, so that a recording can be stopped and merged by a
 * process that knows nothing of the one that started it.
 *
 * @param whole recording that they are merged into
 */
record RecordedParts(Path whole) {
  private static final String ETL = ".etl";

  /** Session whose file is a part. */
  enum Part {
    /** Session of the kernel. */
    KERNEL(".kernel.etl"),
    /** Session of providers. */
    USER(".user.etl"),
    /** Session of heaps. */
    HEAP(".heap.etl");

    private final String ending;

    Part(String ending) {
      this.ending = ending;
    }
  }

  private static final List<String> ENDINGS =
      Stream.of(Part.values()).map(part -> part.ending).toList();

  /**
   * Returns those of a recording.
   *
   * @throws UsageError if its name does not end in {@code .etl}
   */
  static RecordedParts of(OutputFile output) {
    Path whole = output.place().toAbsolutePath().normalize();
    String name = String.valueOf(whole.getFileName());
    if (!name.toLowerCase(Locale.ROOT).endsWith(ETL) || name.length() == ETL.length()) {
      throw new UsageError("-o takes a name that ends in .etl, not " + whole, "-o shop.etl");
    }
    return new RecordedParts(whole);
  }

  /**
   * Returns the name of the recording without its ending, as the session of a part has it.
   *
   * @param file path of what a session writes, by whatever system
   * @return empty if that is no part
   */
  static Optional<String> stem(String file) {
    String lower = file.toLowerCase(Locale.ROOT);
    return ENDINGS.stream()
        .filter(lower::endsWith)
        .map(ending -> file.substring(0, file.length() - ending.length()))
        .findFirst();
  }

  /** Returns those that a part belongs to; empty if a file is none. */
  static Optional<RecordedParts> having(Path part) {
    return stem(part.toString()).map(stem -> new RecordedParts(Path.of(stem + ETL)));
  }

  /**
   * Makes sure that nothing is written over.
   *
   * @throws CannotGoOn if a recording left them that was never merged
   */
  void mustBeNew() {
    for (Path left : present()) {
      throw new CannotGoOn(
          "%s is there: a recording that was not merged".formatted(left),
          "ntrail record stop -o %s, or delete it".formatted(ShellWords.file(whole)));
    }
  }

  /** Returns the file of a session. */
  Path file(Part part) {
    return part(part.ending);
  }

  /**
   * Returns the path of a part of a recording on another system.
   *
   * @param file path of the whole
   */
  static String part(String file, Part part) {
    boolean isEtl = file.toLowerCase(Locale.ROOT).endsWith(ETL);
    return (isEtl ? file.substring(0, file.length() - ETL.length()) : file) + part.ending;
  }

  private Path part(String ending) {
    String name = String.valueOf(whole.getFileName());
    return whole.resolveSibling(name.substring(0, name.length() - ETL.length()) + ending);
  }

  /** Returns the files that are there. */
  List<Path> present() {
    return ENDINGS.stream().map(this::part).filter(Files::isRegularFile).toList();
  }
}

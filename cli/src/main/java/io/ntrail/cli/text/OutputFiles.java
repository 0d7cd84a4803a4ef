package io.ntrail.cli.text;

import io.ntrail.formats.bytes.OutputFile;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Files that a command writes, by the option that names each. They are reserved before the command
 * reads anything, and get their places when it has succeeded.
 */
public final class OutputFiles implements AutoCloseable {
  private final Map<String, OutputFile> files = new LinkedHashMap<>();

  /** No files yet. */
  public OutputFiles() {}

  /** Reserves the place of an option. */
  public void reserve(String option, Path place) {
    files.put(option, OutputFile.reserve(place, option));
  }

  /** Returns the file of an option; empty if the option was not given, or is standard output. */
  public Optional<OutputFile> of(String option) {
    return Optional.ofNullable(files.get(option));
  }

  /** Gives the files that were written their places. */
  public void complete() {
    files.values().forEach(OutputFile::complete);
  }

  /** Forgets the files; what has no place yet is deleted. */
  @Override
  public void close() {
    files.values().forEach(OutputFile::close);
    files.clear();
  }
}

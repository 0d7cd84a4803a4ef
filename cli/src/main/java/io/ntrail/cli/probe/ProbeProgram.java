package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.sources.ProbeRun;
import io.ntrail.analysis.probe.sources.ProbeSource;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.syntax.Program;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.SpecialFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text of a program.
 *
 * @param text as written
 * @param name of its file; empty for one of the command line
 * @param lastField that a word without colons stands for
 */
record ProbeProgram(String text, String name, ProbeDescription.Field lastField) {
  /** Larger files are not programs. */
  private static final long MOST_BYTES = 16 << 20;

  private static final int SHOWN = 100;

  /** Names of places in code: functions for them, and conversions of printf(). */
  private static final Pattern PLACES =
      Pattern.compile("\\b(u?(sym|func|mod)|uaddr)\\s*\\(|%[-+ 0#'*\\d]*[aA]");

  private static final Pattern ARGUMENT = Pattern.compile("\\barg([0-9])\\b");

  static ProbeProgram ofCommandLine(String text) {
    return new ProbeProgram(text, "", ProbeDescription.Field.NAME);
  }

  /** Reads a file. */
  static ProbeProgram ofFile(Path path) {
    SpecialFile.refuse(path, path.toString());
    OutputFile.noteRead(path);
    try {
      if (Files.size(path) > MOST_BYTES) {
        throw new CannotGoOn(path + " is too large for a program (16 MiB at most)", "");
      }
      // As bytes: what is no UTF-8 is printed as it is.
      String text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
      return new ProbeProgram(text, path.toString(), ProbeDescription.Field.NAME);
    } catch (NoSuchFileException e) {
      throw CannotGoOn.noSuchFile(path.toString(), "");
    } catch (IOException e) {
      throw new CannotGoOn("cannot read " + path + ": " + e.getMessage(), "");
    }
  }

  /** Returns what is in front of its first clause, for messages. */
  String description() {
    int end = 0;
    while (end < text.length() && "/{\n".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return text.substring(0, end).strip();
  }

  /** Returns whether it looks at stacks: these are joined to the events only if it does. */
  boolean hasStacks() {
    return text.contains("stack");
  }

  /** Returns whether it looks at the names of code: images are followed only if it does. */
  boolean hasPlaces() {
    return hasStacks() || PLACES.matcher(text).find();
  }

  /** Returns how many arguments of calls it may look at. */
  private int arguments() {
    int most = 0;
    for (Matcher matcher = ARGUMENT.matcher(text); matcher.find(); ) {
      most = Math.max(most, 1 + Integer.parseInt(matcher.group(1)));
    }
    return most;
  }

  /** Returns how many arguments of calls programs may look at. */
  static int arguments(List<ProbeProgram> programs) {
    return programs.stream().mapToInt(ProbeProgram::arguments).max().orElse(0);
  }

  /**
   * Reads programs as one.
   *
   * @param macros {@code $0}, {@code $1}, {@code $target} and so on
   */
  static Program parse(List<ProbeProgram> programs, Options options, Macros macros) {
    List<Program.Item> items = new ArrayList<>();
    for (ProbeProgram program : programs) {
      try {
        items.addAll(
            Parser.parse(program.text, macros, program.lastField, options.is("defaultargs"))
                .items());
      } catch (CompileError e) {
        throw program.refusal(e);
      }
    }
    return new Program(items);
  }

  /** Returns the probes that a program describes. */
  static List<ProbeDescription> described(Program program) {
    List<ProbeDescription> all = new ArrayList<>();
    for (Program.Item item : program.items()) {
      if (item instanceof Program.Clause clause) {
        all.addAll(clause.probes());
      }
    }
    return all;
  }

  /**
   * Compiles programs that were read as one.
   *
   * @param isLenient true if a description may match nothing
   * @param gaps what could not be read, and may have probes that are missing
   */
  static ProbeRun compile(
      List<ProbeProgram> programs,
      Program program,
      ProbeSource source,
      Options options,
      boolean isLenient,
      List<Gap> gaps) {
    try {
      return new ProbeRun(source, program, options, isLenient);
    } catch (CompileError e) {
      UsageError refusal = refusal(programs, e);
      throw e.tag().equals("D_PDESC_ZERO") ? refusal.mayBeIn(gaps) : refusal;
    }
  }

  /** Returns an error of one of several programs. */
  static UsageError refusal(List<ProbeProgram> programs, CompileError error) {
    // Of several, nobody knows which one the place is of.
    return programs.size() == 1
        ? programs.getFirst().refusal(error)
        : new UsageError("%s [%s]".formatted(error.reason(), error.tag()), "");
  }

  /** Returns an error with the place where it was seen. */
  UsageError refusal(CompileError error) {
    List<String> lines = text.lines().toList();
    int number = error.place().line();
    String line = number <= lines.size() ? lines.get(number - 1).replace('\t', ' ') : "";
    int column = Math.clamp(error.place().column() - 1, 0, line.length());
    int from = column < SHOWN ? 0 : column - SHOWN / 2;
    String shown = line.substring(from, Math.min(line.length(), from + SHOWN));
    int marks = Math.clamp(error.place().length(), 1, Math.max(1, shown.length() - column + from));
    String where = name.isEmpty() ? "" : name + ":";
    return new UsageError(
        "%s (%s%d:%d) [%s]"
            .formatted(error.reason(), where, number, error.place().column(), error.tag()),
        List.of(shown, " ".repeat(column - from) + "^".repeat(marks)),
        "");
  }
}

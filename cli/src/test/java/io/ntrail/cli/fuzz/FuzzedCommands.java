package io.ntrail.cli.fuzz;

import static io.ntrail.cli.fuzz.FuzzedFile.Kind.COLLAPSED;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.DLL;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.DUMP;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.DUMP_STREAMS;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.DUMP_WOW64;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.DUMP_X86;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.ETL;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.EXE;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.GZIP;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.JTRC;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.NTR;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.PDB;
import static io.ntrail.cli.fuzz.FuzzedFile.Kind.ZIP;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands as a whole over a changed file: the first byte of the choices selects the options. */
enum FuzzedCommands {
  INFO,
  EVENTS,
  PROFILE,
  STACKS,
  DUMPS,
  CRASHES,
  IMAGE,
  SYMBOLS,
  CALLS,
  DIFF,
  EXPORT;

  private static final List<String> FORMATS = List.of("text", "json", "jsonl", "csv");

  private List<FuzzedFile.Kind> kinds() {
    return switch (this) {
      case INFO -> List.of(ETL, JTRC, NTR, COLLAPSED, ZIP, GZIP);
      case EVENTS -> List.of(ETL, ZIP);
      case PROFILE -> List.of(ETL, NTR, JTRC, COLLAPSED, ZIP, GZIP);
      case STACKS -> List.of(ETL, ZIP);
      case DUMPS, CRASHES -> List.of(DUMP, DUMP_X86, DUMP_WOW64, DUMP_STREAMS);
      case IMAGE -> List.of(DLL, EXE);
      case SYMBOLS -> List.of(PDB, DLL);
      case CALLS -> List.of(NTR, JTRC, GZIP, ZIP);
      case DIFF -> List.of(ETL, NTR, COLLAPSED);
      case EXPORT -> List.of(ETL, NTR, COLLAPSED, ZIP);
    };
  }

  /** Returns ways to call the command. */
  private List<List<String>> options() {
    return switch (this) {
      case INFO -> List.of(List.of("info"));
      case EVENTS ->
          List.of(
              List.of("events", "-n", "0"),
              List.of("events", "--count"),
              List.of("events", "--count", "--by", "process"));
      case PROFILE -> List.of(List.of("profile", "-n", "0"), List.of("profile", "--tree"));
      case STACKS ->
          List.of(
              List.of("stacks", "--at", "0.00002"),
              List.of("stacks", "--at", "1", "--same"),
              List.of("stacks", "-e", "*", "--top", "0"));
      case DUMPS ->
          List.of(
              List.of("stacks"),
              List.of("stacks", "--all", "-v", "--handlers"),
              List.of("stacks", "--same"),
              List.of("stacks", "--native", "-v"),
              List.of("info"));
      case CRASHES -> List.of(List.of("stacks"));
      case IMAGE ->
          List.of(
              List.of("image"),
              List.of("image", "--functions", "-n", "0"),
              List.of("image", "--unwind", "0x1070"),
              List.of("image", "--disasm", "0x1010"));
      case SYMBOLS ->
          List.of(
              List.of("symbols", "-n", "0"),
              List.of("symbols", "--publics", "-n", "0"),
              List.of("symbols", "--lines", "-n", "0"),
              List.of("symbols", "--address", "0x1010"));
      case CALLS ->
          List.of(
              List.of("calls", "-n", "0", "--depth", "0"),
              List.of("calls", "--flat", "-n", "0"),
              List.of("calls", "--slowest", "5"));
      case DIFF -> List.of(List.of("diff"));
      case EXPORT -> List.of(List.of("export"));
    };
  }

  /** Runs the command over the file that the choices make, and checks its answers. */
  void check(byte[] choices) {
    int option = choices.length == 0 ? 0 : (choices[0] & 0xFF) % options().size();
    byte[] rest = choices.length == 0 ? choices : Arrays.copyOfRange(choices, 1, choices.length);
    FuzzedFile made = FuzzedFile.of(kinds(), rest);
    Path folder = null;
    try {
      folder = Files.createTempDirectory("fuzz");
      Path file = made.write(folder);
      List<Object> words = new ArrayList<>(options().get(option));
      words.add(this == CRASHES ? folder : file);
      if (this == DIFF) {
        words.add(file);
      }
      if (this == EXPORT) {
        CommandOracle.check(words, "--to", List.of("collapsed", "flamegraph"));
      } else {
        CommandOracle.check(words, "--format", FORMATS);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      delete(folder);
    }
  }

  private static void delete(@Nullable Path folder) {
    if (folder == null) {
      return;
    }
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

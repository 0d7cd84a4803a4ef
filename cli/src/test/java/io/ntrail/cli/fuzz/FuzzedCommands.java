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
  EXPORT,
  PROBES_OF_EVENTS,
  PROBES_OF_CALLS;

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
      case PROBES_OF_EVENTS -> List.of(ETL);
      case PROBES_OF_CALLS -> List.of(NTR, JTRC, GZIP);
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
      case PROBES_OF_EVENTS -> EVENT_PROGRAMS.stream().map(text -> List.of("probe", text)).toList();
      case PROBES_OF_CALLS -> CALL_PROGRAMS.stream().map(text -> List.of("probe", text)).toList();
    };
  }

  /** Programs that look at fields, stacks, names, times and states of a recording of events. */
  private static final List<String> EVENT_PROGRAMS =
      List.of(
          """
          kernel::FileIo:Create { @[args[0]->OpenPath, execname] = count(); }
          kernel::FileIo:Read { @b = quantize(args[0]->IoSize); @l = lquantize(args[0]->Offset, 0, 99, 9); }
          etw:Shop-Store:Order:Change { printf("%s %d\\n", args[0]->StateText, pid); }
          """,
          """
          kernel:::, etw::: { @[ustack(5), stack(3)] = count(); @m[umod(timestamp)] = count(); }
          kernel::PerfInfo:SampleProf { @f[ufunc(args[0]->InstructionPointer)] = count(); }
          """,
          """
          sched:::on-cpu { self->on = timestamp; }
          sched:::off-cpu /self->on/ { @[execname, args[1]->pr_fname] = avg(timestamp - self->on); }
          sched:::wakeup { @w[args[0]->pr_lwpid] = count(); }
          io:::start { began[args[0]->b_addr] = timestamp; }
          io:::done { @io[args[2]->fi_pathname] = max(timestamp - began[args[0]->b_addr]); }
          proc:::create, proc:::exit { printf("%s %d %s\\n", execname, ppid, probename); }
          proc:::load { @loaded[args[0]->FileName] = max(args[0]->ImageSize); }
          """,
          """
          profile-1ms { @[cpu, tid] = count(); } tick-1ms { n++; }
          kernel:::, etw::: { @t[walltimestamp / 1s] = llquantize(timestamp, 10, 0, 17, 10); }
          BEGIN { n = 0; } END { printf("%d %Y", n, walltimestamp); }
          """);

  /** Programs that look at calls, their values and their callers. */
  private static final List<String> CALL_PROGRAMS =
      List.of(
          """
          fbt:::entry { @[pid, tid, probemod, probefunc] = count(); @a[arg0] = count(); }
          fbt:::return { @d[probefunc] = quantize(duration); @v[arg1] = count(); }
          fbt:::unwind { @u[exception] = count(); }
          """,
          "fbt:::entry { @[ustack(4)] = count(); } fbt:::return { @[ustack()] = count(); }");

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

package io.ntrail.cli.trace;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.BufferMemory;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.trace.BufferSettings;
import io.ntrail.programs.symbols.PdbSearch;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ParseResult;

/**
 * Request of {@code ntrail trace}.
 *
 * @param functions patterns of {@code module!function}
 * @param exclude patterns of excluded functions
 * @param symbols where PDBs may lie
 * @param words the program and its arguments; none if one is traced that runs already
 * @param process name or id of that one; else empty
 * @param file where the recording goes
 * @param planOnly whether the program is not run beyond what its loader does
 * @param children whether what the program starts is traced as well
 * @param why whether functions that are skipped are listed
 * @param interactive whether more is read from standard input while the program runs
 * @param noStop whether threads must not be suspended while functions are patched
 * @param arguments how many arguments of each call are recorded
 * @param threads how many stacks can be traced at once
 * @param buffers between each program and the recorder
 * @param maxBytes 0: no limit
 * @param ringBytes 0: all is kept
 * @param format of the report
 */
record TraceRequest(
    FunctionPatterns functions,
    List<NamePattern> exclude,
    PdbSearch symbols,
    List<String> words,
    String process,
    Path file,
    boolean planOnly,
    boolean children,
    boolean why,
    boolean interactive,
    boolean noStop,
    int arguments,
    int threads,
    BufferSettings buffers,
    long maxBytes,
    long ringBytes,
    Format format)
    implements TracePlan.Selection {
  private static final String EXAMPLE = "ntrail trace -f 'shopcore!*' -o shop.ntr -- shopd.exe";
  private static final int MOST_ARGUMENTS = 12;
  private static final int MOST_THREADS = 4096;
  private static final int MOST_EVERY = 1_000_000_000;

  static TraceRequest of(ParseResult parsed, Terminal terminal) {
    List<String> words = CommonOptions.positionals(parsed);
    String process = CommonOptions.text(parsed, "-p", "");
    if (words.isEmpty() && process.isEmpty()) {
      throw new UsageError("trace needs a program", EXAMPLE);
    }
    if (!words.isEmpty() && !process.isEmpty()) {
      throw new UsageError("-p PROCESS and -- PROGRAM exclude each other", EXAMPLE);
    }
    List<NamePattern> functions = CommonOptions.patterns(parsed, "-f", "'shopcore!*'");
    if (functions.isEmpty()) {
      throw new UsageError("trace needs functions to trace (-f)", EXAMPLE);
    }
    boolean interactive = CommonOptions.has(parsed, "-i");
    if (interactive && process.isEmpty()) {
      throw new UsageError(
          "-i needs -p: a program started by ntrail owns standard input",
          "ntrail trace -i -p shopd -f 'shopcore!*'");
    }
    long ring = CommonOptions.size(parsed, "--ring");
    long most = CommonOptions.size(parsed, "--max-size");
    if (ring > 0 && most > 0) {
      throw new UsageError("--ring and --max-size exclude each other", EXAMPLE);
    }
    if (CommonOptions.has(parsed, "--ring") && ring < NtrRing.LEAST) {
      throw new UsageError(
          "--ring takes at least " + Numbers.bytes(NtrRing.LEAST) + ", not " + Numbers.bytes(ring),
          "--ring 1MB");
    }
    return new TraceRequest(
        new FunctionPatterns(functions),
        CommonOptions.patterns(parsed, "--exclude", "'*!*Lock*'"),
        SymbolSearchPath.offline(parsed, terminal),
        words,
        process,
        CommonOptions.path(
            CommonOptions.text(
                parsed, "-o", fileName(words.isEmpty() ? process : words.getFirst()))),
        CommonOptions.has(parsed, "--plan"),
        CommonOptions.has(parsed, "--children"),
        CommonOptions.has(parsed, "--why"),
        interactive,
        CommonOptions.has(parsed, "--no-stop"),
        within(parsed, "--args", 0, 0, MOST_ARGUMENTS),
        within(parsed, "--threads", MOST_THREADS, 1, MOST_THREADS),
        buffers(parsed, process.isEmpty())
            .throttling(throttle(parsed))
            .sampling(stacks(parsed, ring)),
        most,
        ring,
        CommonOptions.format(parsed, Format.TEXT, Format.JSON));
  }

  /** Returns the buffers: exactly as many as somebody says, unless there is a limit as well. */
  private static BufferSettings buffers(ParseResult parsed, boolean isStarted) {
    boolean waits = waits(parsed, isStarted);
    if (CommonOptions.has(parsed, "--summary")) {
      return BufferSettings.adding(times(parsed));
    }
    long memory = CommonOptions.size(parsed, "--buffer-memory");
    int number =
        CommonOptions.has(parsed, "--buffers")
            ? within(parsed, "--buffers", 2, 2, BufferSettings.MOST_CHUNKS)
            : 0;
    return number > 0 && memory == 0
        ? BufferSettings.fixed(number, waits)
        : BufferSettings.growing(number, BufferMemory.of(memory), waits);
  }

  private static long throttle(ParseResult parsed) {
    long limit = CommonOptions.number(parsed, "--throttle", 0);
    if (CommonOptions.has(parsed, "--throttle") && limit < 1) {
      throw new UsageError(
          "--throttle takes a number from 1 on, not " + limit, "--throttle 100000");
    }
    return limit;
  }

  /** Returns of how many calls one is sampled; 0 of none. */
  private static int stacks(ParseResult parsed, long ring) {
    if (!CommonOptions.has(parsed, "--stacks")) {
      return 0;
    }
    if (ring > 0) {
      throw new UsageError(
          "--stacks and --ring exclude each other: callers cannot be discarded with their calls",
          "--max-size 1GB");
    }
    return within(parsed, "--stacks", 1, 1, MOST_EVERY);
  }

  /** Returns whether times are added up, too; refuses options of records. */
  private static boolean times(ParseResult parsed) {
    for (String option :
        List.of(
            "--args",
            "--ring",
            "--max-size",
            "--buffers",
            "--buffer-memory",
            "--when-full",
            "--throttle",
            "--stacks")) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            "--summary records no single calls: " + option + " does not go with it",
            "leave one of the two out");
      }
    }
    String what = CommonOptions.text(parsed, "--summary", "");
    return switch (what) {
      case "", "times" -> true;
      case "counts" -> false;
      default ->
          throw new UsageError("--summary takes times or counts, not " + what, "--summary=counts");
    };
  }

  /** Returns whether calls are added up in the program. */
  boolean isSummary() {
    return buffers.adds();
  }

  private static boolean waits(ParseResult parsed, boolean isStarted) {
    String what = CommonOptions.text(parsed, "--when-full", isStarted ? "wait" : "drop");
    if (!what.equals("wait") && !what.equals("drop")) {
      throw new UsageError("--when-full takes wait or drop, not " + what, "--when-full wait");
    }
    return what.equals("wait");
  }

  /** The program as this command names it. */
  String example() {
    return process.isEmpty()
        ? "-- " + ShellWords.of(words.getFirst())
        : "-p " + ShellWords.of(process);
  }

  private static int within(ParseResult parsed, String name, int otherwise, int from, int to) {
    long number = CommonOptions.number(parsed, name, otherwise);
    if (number < from || number > to) {
      throw new UsageError(
          "%s takes %d to %d, not %d".formatted(name, from, to, number), name + " " + to);
    }
    return (int) number;
  }

  /** The program's own name with another ending. */
  private static String fileName(String word) {
    String name = WindowsPath.lastPart(word);
    int dot = name.lastIndexOf('.');
    return (dot > 0 ? name.substring(0, dot) : name) + ".ntr";
  }

  @Override
  public boolean wants(TargetModule module, String name) {
    return functions.match(module, name);
  }

  @Override
  public boolean excludes(TargetModule module, String name) {
    return exclude.stream().anyMatch(pattern -> matches(pattern, module, name));
  }

  @Override
  public boolean mayStop() {
    return !noStop;
  }

  /** Returns whether a pattern matches a function, by its name with its module's or alone. */
  static boolean matches(NamePattern pattern, TargetModule module, String name) {
    return pattern.matches(module.stem(), name)
        || pattern.matches(module.name(), name)
        || pattern.matches(name);
  }

  /**
   * Returns true if a pattern names a module that is not loaded, or any module: it may come later,
   * or with a child.
   */
  @Override
  public boolean mayComeLater(List<TargetModule> present) {
    return children
        || functions.list().stream().anyMatch(pattern -> mayComeLater(pattern.toString(), present));
  }

  /**
   * Returns patterns that matched no function and, unless this is for a plan alone, can match none
   * later.
   *
   * @param present modules that are loaded
   */
  List<NamePattern> hopeless(List<TargetModule> present) {
    return functions.unmatched().stream()
        .filter(pattern -> planOnly || !children && !mayComeLater(pattern.toString(), present))
        .toList();
  }

  private static boolean mayComeLater(String pattern, List<TargetModule> present) {
    int mark = pattern.indexOf('!');
    if (mark >= 0 && !pattern.startsWith("/") && pattern.substring(0, mark).matches(".*[*?].*")) {
      return true;
    }
    return present.stream().noneMatch(module -> mayMean(pattern, module));
  }

  @Override
  public boolean mayWant(TargetModule module) {
    return functions.list().stream().anyMatch(pattern -> mayMean(pattern.toString(), module));
  }

  /** Returns whether the part of a plain pattern in front of the ! can be the module. */
  static boolean mayMean(String pattern, TargetModule module) {
    int mark = pattern.indexOf('!');
    if (mark < 0 || pattern.startsWith("/")) {
      return true;
    }
    NamePattern name = NamePattern.of(pattern.substring(0, mark).toLowerCase(Locale.ROOT));
    return name.matches(module.stem()) || name.matches(module.name());
  }
}

package io.ntrail.cli.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares the sources of main code with the limits of the house; every finding names a file. */
final class SourceRules {
  /** Files of a package, package-info not counted. */
  static final int MOST_FILES = 30;

  /** Lines of a file. */
  static final int MOST_LINES = 500;

  /** Words that begin a doc comment without saying what the thing is or does. */
  private static final Pattern VAGUE =
      Pattern.compile(
          "/\\*\\*\\s*(?:\\*\\s*)?(What|Whether|Those|The same|All of them|That|Who|How|Where|Which|Why"
              + "|As|Says|Nobody|So many|To which|Under which|From where|With what)\\b");

  /** Packages in which hook ids have names: {@code KernelEvent} of formats.etl. */
  private static final Pattern NAMES_HOOKS = Pattern.compile("^(?:analysis\\.etw|cli|export)\\b");

  /** Numbers in the form of hook ids and their groups, which end with 0x18. */
  private static final Pattern HOOK =
      Pattern.compile("\\b0x(?:0[0-9A-Fa-f]|1[0-8])(?:[0-9A-Fa-f]{2})?\\b");

  /** Numbers for places in a payload. */
  private static final Pattern PLACE = Pattern.compile("payloadOffset\\(\\)\\s*\\+\\s*\\d+");

  /** Static fields that can be assigned, or whose collection can be changed. */
  private static final Pattern MUTABLE_STATIC =
      Pattern.compile(
          "(?m)^\\s*(?:private |public |protected )?static (?:volatile |transient )*"
              + "(?:(?!final\\b|class\\b|record\\b|enum\\b|interface\\b)[\\w<>\\[\\], .?@]+ (\\w+)(?: =|;)"
              + "|final \\w*(?:Map|List|Set|Deque|Queue|Atomic\\w+|ThreadLocal)\\b[^=;(]* (\\w+) ="
              + "\\s*(?:new |ConcurrentHashMap\\.))");

  /** Locks of files and places of files, which belong to the process, not to one of its objects. */
  private static final Set<String> PER_PROCESS =
      Set.of("programs.symbols.PartialFile.HELD", "formats.bytes.OutputFile.RESERVED");

  /** Calls that write a file where it is, or move one. */
  private static final Pattern WRITES =
      Pattern.compile(
          "\\bFiles\\s*\\.\\s*(?:newOutputStream|write\\w*|newBufferedWriter|move|copy|createTemp\\w+)\\b"
              + "|\\bnew (?:FileOutputStream|FileWriter|RandomAccessFile|PrintWriter)\\b");

  /** Classes that write files which nobody named as an output: parts, stores, temporary files. */
  private static final Set<String> MAY_WRITE =
      Set.of(
          "formats.archives.Archives",
          "formats.bytes.OutputFile",
          "formats.bytes.SharedFile",
          "formats.bytes.TemporaryFile",
          "formats.ntr.NtrRing",
          "live.agent.AgentExecutable",
          "live.simulation.SimulatedWindows",
          "programs.symbols.PartialFile",
          "programs.symbols.StoreWriter",
          "programs.symbols.http.ContentDecoder",
          "programs.symbols.http.NegativeCache",
          "programs.symbols.http.ResponseBody",
          "cli.selftest.WorkFolder",
          "cli.text.Terminal");

  /** Streams of text that do not keep it from steering terminals, and escape codes. */
  private static final Pattern RAW_TEXT =
      Pattern.compile(
          "\\bnew (?:PrintStream|PrintWriter|OutputStreamWriter)\\b|\\b(?:out|err)\\(\\)\\s*\\.write\\b");

  private static final Pattern ESCAPE = Pattern.compile("\\\\u+001[bB]|\\\\033|\\\\x1[bB]");

  private static final Pattern PRINTS = Pattern.compile("^(?:cli|export)\\b");

  private static final String PRINTER = "cli.text.TextPrinter";

  private static final Pattern TOOLS = Pattern.compile("^(?:testkit|benchmarks)\\b");

  private static final Pattern NO_CODE =
      Pattern.compile("/\\*.*?\\*/|//[^\\n]*|\"(?:[^\"\\\\\\n]|\\\\.)*\"", Pattern.DOTALL);

  private SourceRules() {}

  /**
   * Returns what is too large or too vague.
   *
   * @param sources texts of main code by path, {@code MODULE/src/main/java/PACKAGE/NAME.java}
   * @param exceptions packages and classes that may be larger, as the page lists them
   */
  static List<String> check(Map<String, String> sources, Set<String> exceptions) {
    List<String> findings = new ArrayList<>();
    Map<String, Integer> files = new TreeMap<>();
    Set<String> needed = new TreeSet<>();
    sources.forEach((path, text) -> {
      if (path.endsWith("-info.java")) {
        return;
      }
      String type = type(path);
      files.merge(type.substring(0, type.lastIndexOf('.')), 1, Integer::sum);
      long lines = text.lines().count();
      if (lines > MOST_LINES) {
        needed.add(type);
        if (!exceptions.contains(type)) {
          findings.add("%s has %d lines, more than %d".formatted(path, lines, MOST_LINES));
        }
      }
      findings.addAll(comments(path, text));
      String code = NO_CODE.matcher(text).replaceAll("");
      for (Matcher field = MUTABLE_STATIC.matcher(code); field.find(); ) {
        String name = field.group(1) != null ? field.group(1) : field.group(2);
        if (!PER_PROCESS.contains(type + "." + name)) {
          findings.add(path + ": " + name + " is mutable and static");
        }
      }
      if (!MAY_WRITE.contains(type) && !TOOLS.matcher(type).find()) {
        found(code, WRITES)
            .forEach(bare -> findings.add(path + ": " + bare + " is to be done by an OutputFile"));
      }
      if (PRINTS.matcher(type).find() && !type.equals(PRINTER)) {
        found(code, RAW_TEXT)
            .forEach(bare -> findings.add(path + ": " + bare + " is to be done by TextPrinter"));
        found(text, ESCAPE)
            .forEach(bare -> findings.add(path + ": " + bare + " is to be done by TextPrinter"));
      }
      if (NAMES_HOOKS.matcher(type).find()) {
        found(code, HOOK)
            .forEach(
                bare -> findings.add(path + ": " + bare + " is to have a name in KernelEvent"));
        found(code, PLACE)
            .forEach(bare ->
                findings.add(path + ": " + bare + " is to have a name in KernelFieldOffsets"));
      }
    });
    files.forEach((name, count) -> {
      if (count > MOST_FILES) {
        needed.add(name);
        if (!exceptions.contains(name)) {
          findings.add("%s has %d files, more than %d".formatted(name, count, MOST_FILES));
        }
      }
    });
    for (String exception : exceptions) {
      if (!needed.contains(exception)) {
        findings.add("%s is listed as larger than others, and is not".formatted(exception));
      }
    }
    return findings;
  }

  /** Returns the doc comments that begin without saying what the thing is or does. */
  static List<String> comments(String path, String text) {
    List<String> findings = new ArrayList<>();
    for (Matcher vague = VAGUE.matcher(text); vague.find(); ) {
      long line = text.substring(0, vague.start()).lines().count() + 1;
      findings.add(
          "%s:%d: a doc comment begins with '%s': say what the thing is or does"
              .formatted(path, line, vague.group(1)));
    }
    return findings;
  }

  private static List<String> found(String code, Pattern pattern) {
    return pattern.matcher(code).results().map(MatchResult::group).toList();
  }

  /** Returns the full name of a type without {@link House#ROOT}. */
  private static String type(String path) {
    String name = path.substring(path.indexOf("/java/") + 6, path.length() - ".java".length());
    return name.replace('/', '.').substring(House.ROOT.length() + 1);
  }
}

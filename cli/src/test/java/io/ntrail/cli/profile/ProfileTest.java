package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.cli.Main;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text output of {@code ntrail profile}: first lines, tables, trees, warnings, refusals. */
class ProfileTest {
  private static final String STATE = ", complete, 0 events and 0 buffers lost";
  private static final String STACKS =
      "100.0 % with stacks; no symbols: addresses grouped into 256-byte ranges";

  @TempDir private Path folder;

  private Path sample() throws IOException {
    return Recordings.write(folder.resolve("shop.etl"), SampleRecording.make());
  }

  private static Cli.Result profile(Path file, String... words) {
    List<Object> all = new ArrayList<>(List.of("profile", file));
    all.addAll(Arrays.asList(words));
    return Cli.run(all.toArray());
  }

  /** Without the hint where names can be had. */
  private static Cli.Result quiet(Path file, String... words) {
    List<String> all = new ArrayList<>(Arrays.asList(words));
    all.add("-q");
    return profile(file, all.toArray(String[]::new));
  }

  private static List<String> lines(Path file, String... words) {
    Cli.Result result = quiet(file, words);
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    return result.lines();
  }

  private static void says(List<String> messages, Path file, String... words) {
    Cli.Result result = quiet(file, words);
    assertEquals(messages, result.messages());
    assertEquals(0, result.exit());
  }

  private static void fails(int exit, List<String> messages, Path file, String... words) {
    Cli.Result result = profile(file, words);
    assertEquals(messages, result.messages());
    assertEquals(exit, result.exit());
    assertEquals("", result.out(), "no answer");
  }

  @Test
  void flat() throws IOException {
    Path file = sample();
    assertEquals(
        List.of(
            file
                + ": shopd.exe (4312), 0 .. 1.550 s: 1,752 samples = 1.752 s CPU (1.13 of 8 CPUs)"
                + STATE,
            STACKS,
            " self      %  incl.     %  function",
            "  475   27.1    475  27.1  ucrtbase.dll+0x11e00",
            "  345   19.7    925  52.8  shopcore.dll+0x12000",
            "  932   53.2               19 more (-n 0 shows all)",
            "1,752  100.0               total"),
        lines(file, "-p", "shopd", "-n", "2"));
    List<String> inclusive = lines(file, "-p", "4312", "-s", "incl", "-n", "2");
    assertEquals("    0    0.0  1,752  100.0  kernel32.dll+0x17300", inclusive.get(3));
    assertEquals("1,752  100.0                total", inclusive.getLast());
    List<String> all = lines(file, "-p", "shopd", "-n", "0");
    assertEquals(25, all.size());
    List<String> heavy = lines(file, "-p", "shopd", "--min", "15%");
    assertEquals(8, heavy.size());
    assertEquals("  637   36.4               18 more (-n 0 shows all)", heavy.get(6));
  }

  @Test
  void firstLinesTellWhatWasAsked() throws IOException {
    Path file = sample();
    String whole = lines(file).getFirst();
    assertEquals(
        file
            + ": all processes, 0 .. 1.550 s: 2,717 samples = 2.717 s CPU (1.75 of 8 CPUs),"
            + " 9,283 samples idle"
            + STATE,
        whole);
    assertTrue(
        lines(file, "--idle")
            .getFirst()
            .contains(": 12,000 samples = 12.000 s CPU (7.74 of 8 CPUs),"),
        whole);
    assertTrue(lines(file, "--idle").getFirst().contains(", including 9,283 samples idle,"));
    assertTrue(lines(file, "--unit", "ns").getFirst().contains(": 2.717 s CPU (1.75 of 8 CPUs),"));
    assertTrue(lines(file, "--time", "0.5..0.6").getFirst().contains(", 0.500000 .. 0.600000 s: "));
    assertTrue(lines(file, "--kernel").getFirst().contains("all processes, kernel mode, 0 .. "));
    assertTrue(
        lines(file, "--user", "-t", "5020").getFirst().contains(", thread 5020, user mode,"));
    assertTrue(
        lines(file, "-p", "shop*").getFirst().contains(": shopd.exe (4312), shopcli.exe (6120), "));
    assertTrue(lines(file, "-p", "*").getFirst().contains(": *, 6 processes, 0 .. "));
    assertTrue(lines(file, "--wait").getFirst().contains(": all processes, wait, 0 .. 1.550 s: "));
    assertTrue(lines(file, "--wait").getFirst().contains(" s wait time, complete"));
    assertTrue(lines(file, "--metric", "disk", "--unit", "bytes").getFirst().contains(" MiB, "));
    assertTrue(lines(file, "-e", "FileIo/Read").getFirst().contains(", FileIo/Read, 0 .. "));
    assertEquals(lines(file, "--wait"), lines(file, "--metric", "wait"));
  }

  @Test
  void partsOfTheSampleAddUp() throws IOException {
    Path file = sample();
    assertEquals("2,717  100.0               total", lines(file).getLast());
    long kernel = total(lines(file, "--kernel").getLast());
    long user = total(lines(file, "--user").getLast());
    assertTrue(kernel > 0 && user > 0);
    assertEquals(2_717, kernel + user);
    assertEquals(
        2_717,
        total(lines(file, "--time", "..0.7").getLast())
            + total(lines(file, "--time", "0.7..").getLast()));
  }

  private static long total(String line) {
    assertTrue(line.endsWith(" total"), line);
    return Long.parseLong(line.strip().replaceFirst(" .*", "").replace(",", ""));
  }

  @Test
  void byWhom() throws IOException {
    Path file = sample();
    assertEquals(
        List.of(
            "samples      %  process",
            "  1,752   64.5  shopd.exe (4312)",
            "    965   35.5  4 more (-n 0 shows all)",
            "  2,717  100.0  total"),
        lines(file, "--by", "process", "-n", "1").subList(2, 6));
    assertEquals(
        "    838   30.8  shopd.exe (4312) thread 5020", lines(file, "--by", "thread").get(3));
    assertEquals("    839   30.9  CPU 5", lines(file, "--by", "cpu").get(3));
    assertEquals("1,129   41.6  2,142  78.8  shopcore.dll", lines(file, "--by", "module").get(3));
  }

  @Test
  void trees() throws IOException {
    Path file = sample();
    List<String> tree =
        List.of(
            "incl. samples      %  self  call tree (top-down, branches under 25.0 % omitted)",
            "        1,752  100.0     0  shopd.exe (4312)",
            "        1,752  100.0     0  └─ ntdll.dll+0x5aa00",
            "        1,752  100.0     0     kernel32.dll+0x17300",
            "        1,632   93.2     0     shopcore.dll+0x10100",
            "          925   52.8   345     ├─ shopcore.dll+0x12000",
            "          475   27.1   475     │  └─ ucrtbase.dll+0x11e00",
            "          477   27.2   169     └─ shopcore.dll+0x1c200",
            "                            16 more lines (--min 0 shows all)",
            "        1,752  100.0        total");
    List<String> shown = lines(file, "-p", "shopd", "--tree", "--min", "25%");
    assertEquals(tree, shown.subList(2, shown.size()));
    List<String> ascii = lines(file, "-p", "shopd", "--tree", "--min", "25%", "--ascii");
    assertEquals(
        tree.stream()
            .map(l -> l.replace("├─", "|-").replace("└─", "\\-").replace("│", "|"))
            .toList(),
        ascii.subList(2, ascii.size()));
    List<String> up = lines(file, "-p", "shopd", "--bottom-up", "--min", "25%");
    assertEquals(
        List.of(
            "samples      %  callers of the hottest functions (bottom-up, branches under 25.0 %"
                + " omitted)",
            "    475   27.1  ucrtbase.dll+0x11e00",
            "    475   27.1  └─ shopcore.dll+0x12000",
            "    475   27.1     shopcore.dll+0x10100",
            "    475   27.1     kernel32.dll+0x17300",
            "    475   27.1     ntdll.dll+0x5aa00",
            "  1,277   72.9  69 more lines (--min 0 shows all)",
            "  1,752  100.0  total"),
        up.subList(2, up.size()));
  }

  @Test
  void aLimitOfATreeCountsLinesAndKeepsTheHeaviest() throws IOException {
    Path file = sample();
    List<String> tree = lines(file, "--tree", "-n", "6");
    assertEquals(
        List.of(
            "incl. samples      %  self  call tree (top-down)",
            "        1,752   64.5     0  shopd.exe (4312)",
            "        1,752   64.5     0  └─ ntdll.dll+0x5aa00",
            "        1,752   64.5     0     kernel32.dll+0x17300",
            "        1,632   60.1     0     shopcore.dll+0x10100",
            "          925   34.0   345     ├─ shopcore.dll+0x12000",
            "          477   17.6   169     └─ shopcore.dll+0x1c200",
            "          965   35.5        43 more lines (-n 0 shows all)",
            "        2,717  100.0        total"),
        tree.subList(2, tree.size()));
    JsonReader json = profile(file, "--tree", "-n", "6", "--format", "json").json();
    assertEquals(6, json.get("nodes").array().size());
    assertEquals(43, json.get("nodesLeftOut").number());
  }

  @Test
  void aTerminalWithoutUtf8GetsAscii() throws IOException {
    String[] words = {"profile", sample().toString(), "--tree", "--no-pager", "-q"};
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Main.run(words, Terminal.ascii(out, new ByteArrayOutputStream(), 24, 100));
    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("\\- ") && text.contains("|- "), text);
    assertTrue(text.chars().allMatch(c -> c < 0x7F), text);
    out.reset();
    Main.run(words, Terminal.of(out, new ByteArrayOutputStream(), 24, 100));
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("└─ "));
  }

  @Test
  void callers() throws IOException {
    Path file = sample();
    List<String> lines = lines(file, "--callers", "shopcore+0x12000");
    assertEquals(
        List.of(
            "shopcore.dll+0x12000: incl. 925 (34.0 %), self 345 (12.7 %)",
            "samples      %  callers",
            "    925  100.0  shopcore.dll+0x10100",
            "    925  100.0  total",
            "samples      %  callees"),
        lines.subList(2, 7));
    assertEquals("    475   51.4  ucrtbase.dll+0x11e00", lines.get(7));
    assertEquals("    345   37.3  (self)", lines.get(lines.size() - 2));
    assertEquals("    925  100.0  total", lines.getLast());
    assertTrue(lines(file, "--callers", "shopcore.dll").get(2).contains(" functions that match: "));
  }

  @Test
  void otherFormats() throws IOException {
    Path file = sample();
    List<String> csv = lines(file, "--by", "thread", "--format", "csv");
    assertEquals("process,pid,thread,tid,cpu,module,function,rva,self,inclusive", csv.getFirst());
    assertEquals(",,shopd.exe (4312) thread 5020,5020,,,,,838,838", csv.get(1));
    assertEquals(
        "shopd.exe,4312,,,,,,,1752,1752", lines(file, "--by", "process", "--format", "csv").get(1));
    List<String> tree = lines(file, "--tree", "--format", "csv");
    assertEquals("id,parent,text,self,inclusive", tree.getFirst());
    assertTrue(tree.get(1).endsWith(",,shopd.exe (4312),0,1752"), tree.get(1));
    assertEquals(tree.size() - 1, lines(file, "--tree", "--format", "jsonl").size());
    assertEquals(
        "callee,ucrtbase.dll+0x11e00,475",
        lines(file, "--callers", "shopcore+0x12000", "--format", "csv").get(2));
    assertEquals(
        "{\"side\":\"callee\",\"function\":\"ucrtbase.dll+0x11e00\",\"weight\":475}",
        lines(file, "--callers", "shopcore+0x12000", "--format", "jsonl").get(1));
    assertTrue(
        lines(file, "-p", "shopd", "--format", "collapsed")
            .contains(
                "shopd.exe (4312);ntdll.dll+0x5aa00;kernel32.dll+0x17300;shopcore.dll+0x10100;"
                    + "shopcore.dll+0x12000;ucrtbase.dll+0x11e00 475"));
  }

  @Test
  void collapsedStacksAreAllOrRefused() throws IOException {
    Path file = sample();
    for (List<String> limit : List.of(List.of("-n", "2"), List.of("--min", "10%"))) {
      fails(
          2,
          List.of(
              "ntrail: --format collapsed has all stacks: it excludes " + limit.getFirst(),
              "try: --format collapsed"),
          file,
          "--format",
          "collapsed",
          limit.getFirst(),
          limit.getLast());
    }
    assertEquals(
        lines(file, "--format", "collapsed"),
        lines(file, "--format", "collapsed", "-n", "0", "--min", "0"));
  }

  @Test
  void wordsThatFitNothing() throws IOException {
    Path file = sample();
    says(
        List.of("warning: none of the CPU samples belongs to a process shopdd", "try: -p shopd"),
        file,
        "-p",
        "shopdd");
    // One of two is enough for an answer, but not for being right.
    says(
        List.of(
            "warning: none of the CPU samples belongs to a process quark",
            "try: --by process lists the processes of this profile"),
        file,
        "-p",
        "shopd",
        "-p",
        "quark",
        "--format",
        "json");
    says(
        List.of(
            "warning: none of the CPU samples belongs to a thread 99",
            "try: --by thread lists the threads of this profile"),
        file,
        "-t",
        "99");
    says(
        List.of("warning: no event matches FielIo/*", "try: -e 'FileIo/*'"),
        file,
        "-e",
        "FielIo/*");
    says(
        List.of("warning: no event in this time range matches DiskIo/Raed", "try: -e DiskIo/Read"),
        file,
        "-e",
        "DiskIo/Raed",
        "--time",
        "0.1..");
    says(
        List.of("warning: no event of metric disk matches FileIo/Read", "try: -e DiskIo/Read"),
        file,
        "--metric",
        "disk",
        "-e",
        "FileIo/Read");
    says(
        List.of(
            "warning: no function in the profile matches shopcore.dll+0x12001",
            "try: --callers shopcore.dll+0x12000"),
        file,
        "--callers",
        "shopcore.dll+0x12001");
    says(
        List.of("warning: no records in this time range: the recording is 1.550200 s long"),
        file,
        "--time",
        "99..");
    assertEquals(1, profile(file, "-p", "quark").lines().size(), "no table without rows");
    assertEquals(1, profile(file, "-p", "quark", "--tree").lines().size());
    assertEquals(1, profile(file, "--callers", "quark", "-p", "quark").lines().size());
  }

  /** The metrics that a profile can be made of by name; {@code --event} has one of its own. */
  static List<String> metrics() {
    return WeightSources.all().stream()
        .filter(source -> !source.equals(WeightSources.ofNamedEvents()))
        .map(source -> source.metric().name())
        .toList();
  }

  @Test
  void whatWasNotRecorded() throws IOException {
    Path file = sample();
    fails(
        1,
        List.of(
            "ntrail: " + file + " holds no page faults",
            "try: xperf -on PROC_THREAD+LOADER+ALL_FAULTS+HARD_FAULTS -stackwalk"
                + " PagefaultHard+PagefaultDemandZero (WPR: a .wprp with the keywords AllFaults and"
                + " HardFaults)"),
        file,
        "--metric",
        "fault");
    Path none = Recordings.write(folder.resolve("none.etl"), EtlShapes.secure(1, 20));
    List<String> others = new ArrayList<>(metrics());
    others.remove("cpu");
    for (String metric : others) {
      Cli.Result result = profile(none, "--metric", metric);
      assertEquals(1, result.exit(), metric);
      assertTrue(result.messages().get(0).startsWith("ntrail: " + none + " holds no "), metric);
      assertTrue(result.messages().get(1).matches("try: (wpr -start|xperf -on) .*"), metric);
    }
  }

  @Test
  void wrongUsage() throws IOException {
    Path file = sample();
    fails(
        2,
        List.of(
            "ntrail: --metric takes "
                + String.join(", ", metrics()).replaceFirst(", (\\w+)$", " or $1")
                + ", not cup",
            "try: --metric wait"),
        file,
        "--metric",
        "cup");
    fails(
        2,
        List.of(
            "ntrail: --by takes function, module, line, process, thread, cpu, file or type, not colour",
            "try: --by module"),
        file,
        "--by",
        "colour");
    fails(
        2,
        List.of("ntrail: --unit of cpu is samples or ns, not bytes", "try: --unit samples"),
        file,
        "--unit",
        "bytes");
    fails(
        2,
        List.of("ntrail: --min takes a percentage, not lots", "try: --min 1%"),
        file,
        "--min",
        "lots");
    fails(
        2,
        List.of("ntrail: --kernel and --user exclude each other", "try: --kernel"),
        file,
        "--kernel",
        "--user");
    fails(
        2,
        List.of("ntrail: --tree, --bottom-up, --callers and -z exclude each other", "try: --tree"),
        file,
        "--tree",
        "--bottom-up");
    fails(
        2, List.of("ntrail: -s takes self or incl, not name", "try: -s incl"), file, "-s", "name");
    fails(
        2,
        List.of(
            "ntrail: stacks can be shown by function, line or module, not by cpu",
            "try: --by module"),
        file,
        "--tree",
        "--by",
        "cpu");
    fails(
        2,
        List.of("ntrail: --wait is --metric wait, not disk", "try: --metric disk"),
        file,
        "--wait",
        "--metric",
        "disk");
    fails(
        2,
        List.of("ntrail: --source applies to pmc and alloc, not to cpu", "try: --metric pmc"),
        file,
        "--source",
        "gc");
    fails(
        2,
        List.of("ntrail: --idle applies to cpu and pmc, not to wait", "try: --metric cpu"),
        file,
        "--wait",
        "--idle");
    fails(
        2,
        List.of(
            "ntrail: unknown option --botom-up for profile",
            "try: --bottom-up                                    help: ntrail profile -h"),
        file,
        "--botom-up");
    for (String option : List.of("-p", "-t", "-e", "--callers")) {
      Cli.Result result = profile(file, option, "/(/");
      assertEquals(2, result.exit(), option);
      assertTrue(result.err().startsWith("ntrail: not a regular expression: /(/"), result.err());
    }
    assertFalse(profile(file, "--where", "pid == 4").err().isEmpty());
    assertEquals(2, profile(file, "--where", "pid == 4").exit());
  }
}

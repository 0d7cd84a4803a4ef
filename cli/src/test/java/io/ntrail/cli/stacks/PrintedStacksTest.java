package io.ntrail.cli.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.breakpad.BreakpadSymbols;
import io.ntrail.testkit.breakpad.StackwalkText;
import io.ntrail.testkit.breakpad.SymbolsAsPdb;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.ReferenceMinidump;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JSON of {@code stacks FILE.dmp} beside what rust-minidump, Breakpad, symbolicator, LLDB and
 * rizin printed of the same dumps. Where theirs had symbol files, ours has PDBs that say the same.
 */
@EnabledIf("io.ntrail.testkit.TestData#available")
class PrintedStacksTest {
  private static final String TEST_APP = "breakpad/test_app.sym";
  private static final String KERNEL32 = "breakpad/kernel32.sym";

  /** Their words for ours. */
  private static final Map<String, Set<String>> TRUST =
      Map.of(
          "context", Set.of("context"),
          "frame_pointer", Set.of("frame"),
          "fp", Set.of("frame"),
          "cfi", Set.of("program", "fpo"),
          "scan", Set.of("scan"));

  private static final Pattern THREAD = Pattern.compile(" *- thread_id: (\\d+)");
  private static final Pattern FIELD = Pattern.compile(" *(?:- )?(\\w+): \"?(.*?)\"?");
  private static final Pattern INSTRUCTION = Pattern.compile("CHECK: (?:->)? *0x([0-9a-f]+): .*");
  private static final Pattern LISTED = Pattern.compile(" +>? +0x([0-9a-f]+)  (?:[0-9a-f]{2} )+.*");
  private static final Pattern SECTION =
      Pattern.compile("0x\\w+ +0x(\\w+) +0x(\\w+) +0x\\w+ +0x0 +---- (.+)");

  @TempDir private Path folder;

  private static String text(String name) throws IOException {
    return new String(
        TestData.unpacked(TestData.file("dumps/" + name + ".gz")), StandardCharsets.UTF_8);
  }

  /** Returns the answer about a shared dump, with registers, with PDBs of symbol files. */
  private JsonReader stacks(String dump, String... symbolFiles) throws IOException {
    for (String name : symbolFiles) {
      BreakpadSymbols symbols = BreakpadSymbols.of(text(name));
      Files.write(folder.resolve(symbols.module()), SymbolsAsPdb.of(symbols));
    }
    Path file =
        Files.write(
            folder.resolve(dump.replace('/', '-') + ".dmp"), SharedDumps.read(dump + ".dmp"));
    Cli.Result result =
        Cli.run("stacks", "-q", file, "-y", folder, "--all", "-v", "--format", "json");
    assertEquals(0, result.exit(), result.err());
    return result.json();
  }

  private static JsonReader thread(JsonReader answer, long tid) {
    return answer.get("threads").array().stream()
        .filter(thread -> thread.get("tid").number() == tid)
        .findFirst()
        .orElseThrow();
  }

  private static List<JsonReader> code(JsonReader thread) {
    return thread.get("frames").array().stream()
        .filter(frame -> !frame.get("inline").isTrue())
        .toList();
  }

  private static long hex(JsonReader value) {
    return Long.parseUnsignedLong(value.text().substring(2), 16);
  }

  /** A snapshot of rust-minidump: JSON behind a few lines about itself. */
  private static JsonReader snapshot(String name) throws IOException {
    String text = text("rust-minidump/" + name + ".snap");
    return JsonReader.parse(text.substring(text.indexOf("\n---\n", 3) + 5));
  }

  @ParameterizedTest
  @CsvSource({
    "json, false",
    "json-pretty, false",
    "json-stable-all, false",
    "json-unstable-all, false",
    "json-pretty-symbols, true",
    "json-pretty-evil-symbols, true"
  })
  void everyFrameOfRustMinidumpIsFound(String name, boolean hasSymbols) throws IOException {
    JsonReader theirs = snapshot(name);
    JsonReader ours =
        hasSymbols ? stacks("rust-minidump/test", TEST_APP) : stacks("rust-minidump/test");
    assertEquals("0xc0000005", ours.get("exception").get("code").text());
    assertTrue(ours.get("exception").get("text").text().contains("wrote address 0x45 "));
    assertEquals(theirs.get("pid").number(), ours.get("process").get("pid").number());
    assertEquals(
        theirs.get("system_info").get("os_ver").text().replaceFirst(" .*", ""),
        ours.get("os").get("version").text());
    JsonReader crashing = theirs.get("crashing_thread");
    JsonReader first = ours.get("threads").array().getFirst();
    assertEquals(crashing.get("thread_id").number(), first.get("tid").number());
    sameFrames(crashing, first);
    long frames = 0;
    for (JsonReader thread : theirs.get("threads").array()) {
      frames += thread.get("frame_count").number();
      // The other thread wrote the dump: they do not walk it.
      if (thread.get("frame_count").number() > 0) {
        sameFrames(thread, thread(ours, thread.get("thread_id").number()));
      }
    }
    assertEquals(4, frames);
    sameModules(theirs, ours);
  }

  private static void sameFrames(JsonReader theirs, JsonReader ours) {
    List<JsonReader> expected = theirs.get("frames").array();
    List<JsonReader> found = code(ours);
    assertEquals(expected.size(), found.size());
    for (int i = 0; i < expected.size(); i++) {
      JsonReader their = expected.get(i);
      JsonReader our = found.get(i);
      // Theirs is the address of a call, one byte before the return address.
      int back = i == 0 ? 0 : 1;
      assertEquals(hex(their.get("offset")) + back, hex(our.get("ip")));
      assertEquals(hex(their.get("module_offset")) + back, hex(our.get("rva")));
      assertEquals(their.get("module"), our.get("module"));
      assertTrue(
          TRUST.getOrDefault(their.get("trust").text(), Set.of()).contains(our.get("trust").text()),
          our.toString());
      assertEquals(their.get("function"), our.get("function"));
      assertEquals(their.get("file"), our.get("file"));
      assertEquals(their.get("line"), our.get("line"));
      if (!their.get("function_offset").isNull()) {
        assertEquals(hex(their.get("function_offset")) + back, our.get("offset").number());
      }
      if (their.has("registers")) {
        their
            .get("registers")
            .object()
            .forEach((name, value) -> {
              if (!name.equals("eflags")) {
                assertEquals(hex(value), hex(our.get("registers").get(name)), name);
              }
            });
      }
    }
  }

  private static void sameModules(JsonReader theirs, JsonReader ours) {
    List<JsonReader> modules = ours.get("modules").array();
    assertEquals(theirs.get("modules").array().size(), modules.size());
    for (JsonReader their : theirs.get("modules").array()) {
      JsonReader our =
          modules.stream()
              .filter(module -> module.get("name").equals(their.get("filename")))
              .findFirst()
              .orElseThrow();
      long base = hex(our.get("base"));
      assertEquals(hex(their.get("base_addr")), base);
      assertEquals(hex(their.get("end_addr")), base + our.get("size").number());
      JsonReader pdb = our.get("pdb");
      assertEquals(
          their.get("debug_id").text(),
          pdb.get("guid").text().replace("-", "").toUpperCase(Locale.ROOT)
              + Long.toHexString(pdb.get("age").number()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"human", "human-brief", "human-stable-all", "human-unstable-all"})
  void registersOfEveryFrameAreThoseOfRustMinidump(String name) throws IOException {
    assertEquals(4, sameRegisters("rust-minidump/" + name + ".snap", stacks("rust-minidump/test")));
  }

  @Test
  void registersOfEveryFrameAreThoseOfRustMinidumpWithSymbols() throws IOException {
    assertEquals(
        4,
        sameRegisters("rust-minidump/human-symbols.snap", stacks("rust-minidump/test", TEST_APP)));
  }

  /** Compares the frames of a text with those of the first thread, and returns how many it has. */
  private static int sameRegisters(String text, JsonReader ours) throws IOException {
    List<JsonReader> found = code(ours.get("threads").array().getFirst());
    List<StackwalkText.Frame> expected = StackwalkText.of(text(text)).frames(0);
    assertEquals(expected.size(), found.size());
    for (int i = 0; i < expected.size(); i++) {
      JsonReader registers = found.get(i).get("registers");
      expected
          .get(i)
          .registers()
          .forEach((name, value) -> {
            if (!name.startsWith("ef")) {
              assertEquals(value, hex(registers.get(name)), name);
            }
          });
    }
    return expected.size();
  }

  @Test
  void namesLinesAndRegistersAreThoseOfBreakpad() throws IOException {
    JsonReader ours = stacks("breakpad/minidump2", TEST_APP, KERNEL32);
    assertEquals(4, sameRegisters("breakpad/minidump2.stackwalk.out", ours));
    List<String> frames = new ArrayList<>();
    List<JsonReader> found = code(ours.get("threads").array().getFirst());
    for (int i = 0; i < found.size(); i++) {
      JsonReader frame = found.get(i);
      boolean hasLine = !frame.get("line").isNull();
      frames.add(
          "0|%d|%s|%s|%s|%s"
              .formatted(
                  i,
                  frame.get("module").text(),
                  frame.get("function").text(),
                  hasLine ? frame.get("file").text() : "",
                  hasLine ? frame.get("line").number() : ""));
    }
    // Behind the last bar is the offset in the line, or in the function that has no lines.
    List<String> theirs =
        text("breakpad/minidump2.stackwalk.machine_readable.out")
            .lines()
            .filter(line -> line.startsWith("0|"))
            .toList();
    assertEquals(theirs.stream().map(l -> l.substring(0, l.lastIndexOf('|'))).toList(), frames);
    assertEquals(0x23, found.getLast().get("offset").number());
    assertEquals(
        List.of("context", "program", "program", "program"),
        found.stream().map(frame -> frame.get("trust").text()).toList());
  }

  /** Frames of Breakpad by dump and number of the thread, from the tests of the walker. */
  private static Map<String, Map<Integer, List<String>>> breakpad() throws IOException {
    Path file =
        TestData.projectRoot()
            .resolve("programs/src/test/resources/io/ntrail/programs/unwind/x86")
            .resolve("BreakpadWalks.expected.txt");
    Map<String, Map<Integer, List<String>>> dumps = new LinkedHashMap<>();
    Map<Integer, List<String>> threads = new LinkedHashMap<>();
    List<String> frames = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ", 2);
      if (words[0].equals("dump")) {
        threads = new LinkedHashMap<>();
        dumps.put(words[1].replace(".dmp", ""), threads);
      } else if (words[0].equals("thread")) {
        frames = new ArrayList<>();
        threads.put(Integer.parseInt(words[1]), frames);
      } else {
        frames.add(words[1]);
      }
    }
    return dumps;
  }

  /**
   * Every dump of a 32-bit program: eip, esp and ebp of each frame of {@code minidump_stackwalk}.
   */
  @Test
  void atLeast95PercentOfTheFramesOfBreakpadAreInTheAnswer() throws IOException {
    int all = 0;
    List<String> missing = new ArrayList<>();
    for (Map.Entry<String, Map<Integer, List<String>>> dump : breakpad().entrySet()) {
      JsonReader ours = stacks(dump.getKey());
      List<ReferenceMinidump.Thread> threads =
          ReferenceMinidump.shared(dump.getKey() + ".dmp").threads();
      for (Map.Entry<Integer, List<String>> thread : dump.getValue().entrySet()) {
        long tid = threads.get(thread.getKey()).id();
        List<String> frames =
            code(thread(ours, tid)).stream()
                .map(frame -> frame.get("registers"))
                .filter(registers -> registers.has("ebp"))
                .map(registers ->
                    "%08x %08x %08x"
                        .formatted(
                            hex(registers.get("eip")),
                            hex(registers.get("esp")),
                            hex(registers.get("ebp"))))
                .toList();
        for (String frame : thread.getValue()) {
          all++;
          if (!frames.contains(frame)) {
            missing.add(dump.getKey() + " " + tid + ": " + frame);
          }
        }
      }
    }
    assertEquals(783, all);
    assertTrue(missing.size() * 100 <= all * 5);
    // The code that was captured around main restores esp from ebp, so that its caller is at ebp:
    // these words of the stack are rests of earlier calls.
    assertEquals(
        List.of(
            "sentry/windows 1636: 002a28d0 010ff678 00000000",
            "sentry/windows 1636: 7584e9c0 010ff6a4 00000000",
            "sentry/windows 1636: 70b7ae40 010ff6dc 00000000",
            "sentry/windows 1636: 7584e9c0 010ff6e8 00000000",
            "sentry/windows 1636: 002a3435 010ff6f0 00000000"),
        missing);
  }

  /** Frames of each thread in a snapshot of symbolicator, by the names of their fields. */
  private static Map<Long, List<Map<String, String>>> symbolicator(String name) throws IOException {
    Map<Long, List<Map<String, String>>> threads = new LinkedHashMap<>();
    List<Map<String, String>> frames = new ArrayList<>();
    for (String line : text("sentry/" + name + ".snap").lines().toList()) {
      Matcher thread = THREAD.matcher(line);
      Matcher field = FIELD.matcher(line);
      if (thread.matches()) {
        frames = new ArrayList<>();
        threads.put(Long.parseLong(thread.group(1)), frames);
      } else if (line.strip().equals("modules:")) {
        break;
      } else if (line.strip().startsWith("- status:")) {
        frames.add(new LinkedHashMap<>());
      } else if (!frames.isEmpty() && field.matches()) {
        frames.getLast().put(field.group(1), field.group(2));
      }
    }
    return threads;
  }

  @Test
  void framesNamesAndLinesAreThoseOfSymbolicator() throws IOException {
    Files.write(folder.resolve("crash.pdb"), TestData.gunzip("pdb/sentry/crash.pdb.gz"));
    Files.write(folder.resolve("crash.exe"), TestData.gunzip("pdb/sentry/crash.exe.gz"));
    JsonReader ours = stacks("sentry/windows");
    List<String> missing = new ArrayList<>();
    int all = 0;
    for (Map.Entry<Long, List<Map<String, String>>> thread :
        symbolicator("minidump_windows").entrySet()) {
      List<JsonReader> found = code(thread(ours, thread.getKey()));
      for (Map<String, String> frame : thread.getValue()) {
        all++;
        if (found.stream().noneMatch(our -> isSame(frame, our))) {
          missing.add(thread.getKey() + " " + frame);
        }
      }
    }
    assertEquals(14, all);
    assertEquals(List.of(), missing);
  }

  /** Symbolicator prints the return address, or the address before it where it has symbols. */
  private static boolean isSame(Map<String, String> theirs, JsonReader ours) {
    long address = Long.parseLong(theirs.getOrDefault("instruction_addr", "0x0").substring(2), 16);
    long ip = hex(ours.get("ip"));
    if (ip != address && ip - 1 != address) {
      return false;
    }
    String function = theirs.get("function");
    return function == null
        || function.equals(ours.get("function").text())
            && theirs.getOrDefault("lineno", "").equals("" + ours.get("line").number());
  }

  /**
   * Answer of the same service when it had the symbols of Windows, which are not at hand, but not
   * those of the program: of the thread that crashed it guesses, as Breakpad does.
   */
  @Test
  void framesThatNeedTheSymbolsOfWindowsAreFoundWithoutThem() throws IOException {
    JsonReader ours = stacks("sentry/windows");
    List<String> missing = new ArrayList<>();
    int all = 0;
    for (Map.Entry<Long, List<Map<String, String>>> thread :
        symbolicator("integration_microsoft").entrySet()) {
      List<JsonReader> found = code(thread(ours, thread.getKey()));
      for (Map<String, String> frame : thread.getValue()) {
        all++;
        frame.remove("function");
        if (found.stream().noneMatch(our -> isSame(frame, our))) {
          missing.add(thread.getKey() + " " + frame.get("instruction_addr"));
        }
      }
    }
    assertEquals(20, all);
    // Rests of earlier calls, as above; their first two are not what the PDB says of main.
    assertEquals(List.of("1636 0x2a28d0", "1636 0x70b7ae3f", "1636 0x2a3435"), missing);
  }

  /** Places of the code around the fault; its image is not at hand. */
  @Test
  void theFaultAndItsCodeAreThoseOfLldb() throws IOException {
    JsonReader ours = stacks("lldb/sigsegv");
    String theirs = text("lldb/sigsegv.expected.txt");
    assertTrue(theirs.contains("thread #1, stop reason = Exception 0xc0000005 encountered at"));
    assertEquals("0x7ff7a13110d9", ours.get("exception").get("address").text());
    JsonReader first = code(ours.get("threads").array().getFirst()).getFirst();
    assertTrue(
        theirs.contains(
            "frame #0: 0x%016x %s".formatted(hex(first.get("ip")), first.get("module").text())));
    Path file = folder.resolve("lldb-sigsegv.dmp");
    List<Long> listed = new ArrayList<>();
    for (String line : Cli.run("stacks", "-q", "-v", file).lines()) {
      Matcher code = LISTED.matcher(line);
      if (code.matches()) {
        listed.add(Long.parseUnsignedLong(code.group(1), 16));
      }
    }
    List<Long> expected =
        theirs
            .lines()
            .map(INSTRUCTION::matcher)
            .filter(Matcher::matches)
            .map(matcher -> Long.parseUnsignedLong(matcher.group(1), 16))
            .toList();
    assertEquals(6, expected.size());
    assertEquals(expected.subList(0, 4), listed);
  }

  /**
   * Bases and sizes; rizin leaves out the two modules of the folder WinSxS, whose paths are long.
   */
  @Test
  void modulesAreThoseOfRizin() throws IOException {
    List<String> theirs = new ArrayList<>();
    for (String line : text("rizin/calc.expected.txt").lines().toList()) {
      Matcher section = SECTION.matcher(line);
      if (section.matches() && section.group(3).startsWith("C:")) {
        theirs.add(section.group(2) + " " + section.group(1));
      }
    }
    List<String> ours = new ArrayList<>();
    for (JsonReader module : stacks("rizin/calc").get("modules").array()) {
      ours.add("%x %x".formatted(hex(module.get("base")), module.get("size").number()));
    }
    assertEquals(28, ours.size());
    assertEquals(26, theirs.size());
    ours.removeAll(List.of("7fefb920000 216000", "7fefbd50000 1f4000"));
    assertEquals(theirs, ours);
  }

  /** The dump that rust-minidump made for its test, out of what it printed of it. */
  @Test
  void placesInUnloadedModulesAreThoseOfRustMinidump() throws IOException {
    JsonReader theirs = snapshot("json-pretty-unloaded");
    MinidumpBuilder dump = new MinidumpBuilder().system(0, 0, 0, 0);
    for (JsonReader module : theirs.get("unloaded_modules").array()) {
      long base = hex(module.get("base_addr"));
      long size = hex(module.get("end_addr")) - base;
      dump.unloaded(base, size, module.get("filename").text());
    }
    JsonReader frame = theirs.get("threads").array().getFirst().get("frames").array().getFirst();
    byte[] context = MinidumpBuilder.x86(hex(frame.get("offset")), 0x1010, 0);
    dump.thread(4660, 0, 0x1000, new byte[0x100], context);
    Path file = Files.write(folder.resolve("unloaded.dmp"), dump.toByteArray());
    JsonReader found =
        Cli.run("stacks", "-q", file, "--format", "json").json().get("threads").array().getFirst();
    String remark = found.get("frames").array().getFirst().get("remark").text();
    Set<String> places = new TreeSet<>();
    for (JsonReader module : frame.get("unloaded_modules").array()) {
      for (JsonReader offset : module.get("offsets").array()) {
        places.add(module.get("module").text() + "+0x" + Long.toHexString(hex(offset)));
      }
    }
    assertEquals(4, places.size());
    assertEquals(
        places,
        new TreeSet<>(
            List.of(remark.substring("in ".length(), remark.indexOf(',')).split(" or ", -1))));
  }
}

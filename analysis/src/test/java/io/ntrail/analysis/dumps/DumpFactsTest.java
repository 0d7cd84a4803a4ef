package io.ntrail.analysis.dumps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.FileVersion;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Shared dumps are read as others read them: the tables of their projects, and the data's README.
 */
class DumpFactsTest {
  @BeforeEach
  void needData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  private static DumpRecording shared(String name) throws IOException {
    return open(SharedDumps.read(name));
  }

  private static DumpRecording open(byte[] content) {
    return DumpRecording.open(InputFile.of(content, "a.dmp"), new Gaps());
  }

  private static long hex(String digits) {
    return Long.parseUnsignedLong(digits, 16);
  }

  /** Dump and expected figures of data/dumps/README.md. */
  @ParameterizedTest
  @CsvSource({
    "breakpad/minidump2, 3060, C0000005, 40429E, 716, 13",
    "sentry/windows, 1636, C0000005, 2A2A3D, 716, 17",
    "breakpad/thread_name_list, 10976, C0000005, 4015FD, 716, 17",
    "breakpad/write_av_non_canonical, 4488, C0000005, 7FF738721331, 1232, 15",
    "breakpad/tiny-exe-fastfail, 24440, C0000409, 7FF75355AF42, 1232, 21",
    "rust-minidump/invalid-parameter, 5896, C000000D, 0, 1232, 31",
    "lldb/sigsegv, 10860, C0000005, 7FF7A13110D9, 1232, 4",
    "rizin/calc, 1628, 80000003, 7776AE10, 1232, 28",
    "syzygy/notepad-small-64bit, 10444, 80000003, 77928700, 1232, 5",
    "syzygy/notepad-small-32bit, 4604, 80000003, 77B012FB, 716, 22",
    "syzygy/use-after-free, 16772, C000008C, 2CF98C5, 716, 107",
    "lldb/fizzbuzz_no_heap, 8992, C0000005, 164D14, 716, 6",
    "breakpad/stack_exhaustion, 5744, C00000FD, DEA637, 716, 26",
    "breakpad/exec_av_on_stack, 6920, C0000005, 3DF944, 716, 26",
    "breakpad/null_read_av, 1192, C0000005, 90A6CD, 716, 26",
    "breakpad/ascii_read_av, 4204, C0000005, D6A6CD, 716, 26"
  })
  void theExceptionIsThatOfTheReadme(
      String name, long thread, String code, String address, int contextBytes, int modules)
      throws IOException {
    try (DumpRecording dump = shared(name + ".dmp")) {
      DumpedException exception = dump.exception().orElseThrow();
      assertEquals(thread, exception.thread());
      assertEquals((int) hex(code), exception.code());
      assertEquals(hex(address), exception.address());
      assertEquals(contextBytes, exception.raw().context().size());
      assertEquals(modules, dump.modules().list().size());
      DumpedThread faulting = dump.faultingThread().orElseThrow();
      FrameRegisters registers = dump.view().registers(faulting).orElseThrow();
      if (hex(address) != 0) {
        assertEquals(hex(address), ip(exception, registers));
      }
    }
  }

  /** After a breakpoint of x86 the instruction pointer is that of the int3, too. */
  private static long ip(DumpedException exception, FrameRegisters registers) {
    return exception.code() == 0x8000_0003 && registers.ip() == exception.address() + 1
        ? exception.address()
        : registers.ip();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "breakpad/minidump2 | ACCESS VIOLATION, it wrote address 0x45 (null pointer + 0x45)",
        "breakpad/minidump_32bit_crash_addr"
            + " | ACCESS VIOLATION, it wrote address 0x45 (null pointer + 0x45)",
        "breakpad/null_read_av | ACCESS VIOLATION, it read address 0x0 (null pointer)",
        "breakpad/ascii_read_av | ACCESS VIOLATION, it read address 0x41414141",
        "breakpad/exec_av_on_stack | ACCESS VIOLATION, it executed address 0x3df944 (its stack)",
        "breakpad/stack_exhaustion | STACK OVERFLOW, with 0xfcee0 bytes of stack in use",
        "breakpad/tiny-exe-fastfail"
            + " | FAST FAIL, code 7 FAST_FAIL_FATAL_APP_EXIT: the program ended itself (abort,"
            + " terminate)",
        "breakpad/write_av_non_canonical"
            + " | ACCESS VIOLATION, it read address 0xffffffffffffffff (the processor does not"
            + " report the address: it is not canonical, or the instruction is not allowed)",
        "rust-minidump/invalid-parameter"
            + " | INVALID PARAMETER, assertion failed: format != nullptr in common_vfprintf"
            + " (output.cpp:32)",
        "rizin/calc | BREAKPOINT",
        "syzygy/use-after-free | ARRAY BOUNDS EXCEEDED",
        "breakpad/linux_inline | EXCEPTION 4 of Linux"
      })
  void theExceptionIsSaidInWords(String name, String text) throws IOException {
    try (DumpRecording dump = shared(name + ".dmp")) {
      assertEquals(text, dump.exception().orElseThrow().text());
    }
  }

  /** The 64-bit registers stand in the emulator, the 32-bit ones in the 32-bit ntdll. */
  @Test
  void aProcessOnWow64HasTwoSides() throws IOException {
    assumeTrue(SharedDumps.XZ.available(), SharedDumps.XZ.missing());
    try (DumpRecording dump = open(SharedDumps.wow64())) {
      DumpedThread thread = dump.threads().getFirst();
      assertTrue(dump.view().is64Bit());
      DumpModules on64 = dump.view().modules();
      FrameRegisters registers = dump.view().registers(thread).orElseThrow();
      assertEquals("wow64cpu.dll", on64.moduleAt(registers.ip()).orElseThrow().name());
      assertEquals(
          List.of("fizzbuzz.exe", "ntdll.dll", "wow64.dll", "wow64win.dll", "wow64cpu.dll"),
          on64.list().stream().map(DumpedModule::name).toList());
      DumpView side = dump.wow64().orElseThrow();
      assertEquals(side, dump.programView());
      assertFalse(dump.lacksProgramSide());
      FrameRegisters narrow = side.registers(thread).orElseThrow();
      assertEquals(0x77CE01FDL, narrow.ip());
      assertEquals(0x37F5B8, narrow.sp());
      assertEquals(0x37F654, narrow.get(FrameRegisters.BP));
      assertEquals(11, side.modules().list().size());
      assertEquals(
          "C:\\Windows\\SysWOW64\\ntdll.dll",
          side.modules().moduleAt(narrow.ip()).orElseThrow().path());
      StackBounds stack = side.stack(thread).orElseThrow();
      assertTrue(stack.contains(narrow.sp()));
      assertEquals(0x10_0000, stack.size());
      assertTrue(dump.view().stack(thread).orElseThrow().contains(registers.sp()));
      assertEquals("fizzbuzz", dump.process().commandLine());
    }
  }

  /**
   * A dump of stacks alone, written by a 64-bit debugger: the other side is known to be missing.
   */
  @Test
  void ofASmallDumpOnWow64The32BitSideIsSaidToBeMissing() throws IOException {
    try (DumpRecording dump = shared("syzygy/notepad-small-64bit.dmp")) {
      DumpView side = dump.wow64().orElseThrow();
      DumpedThread thread = dump.threads().getFirst();
      assertTrue(side.registers(thread).isEmpty());
      assertEquals("its registers are not in the dump", side.noRegisters(thread));
      assertEquals(dump.view(), dump.programView());
      assertTrue(dump.lacksProgramSide());
    }
  }

  @Test
  void whatTheProcessKnowsAboutItselfIsReadFromItsMemory() throws IOException {
    try (DumpRecording dump = shared("lldb/sigsegv.dmp")) {
      DumpProcess process = dump.process();
      assertEquals(OptionalLong.of(13052), process.pid());
      assertEquals("sigsegv.exe", process.name());
      assertEquals("sigsegv", process.commandLine());
      assertEquals("C:\\temp\\", process.currentDirectory());
      DumpedThread thread = dump.threads().getFirst();
      assertEquals(0xADDAC91000L, thread.teb());
      // Words 1, 2 of the TEB, and DeallocationStack, as obj2yaml prints the memory.
      assertEquals(
          new StackBounds(0xADDABAD000L, 0xADDABB0000L, 0xADDAAB0000L),
          dump.view().stack(thread).orElseThrow());
    }
    try (DumpRecording dump = shared("breakpad/tiny-exe-with-cet-xsave.dmp")) {
      assertEquals(
          "\"C:\\src\\crashpad\\tiny.exe\" --v=1 --enable-logging=stderr",
          dump.process().commandLine());
      assertEquals(
          0xCBC83FEFC8L,
          dump.view().shadowStack(dump.threads().getFirst()).orElseThrow().pointer());
    }
  }

  /** Lines {@code Module|name|version|pdb|id|first|last|program}. */
  @Test
  void modulesAreThoseThatBreakpadLists() throws IOException {
    String text =
        new String(
            TestData.gunzip("dumps/breakpad/minidump2.stackwalk.machine_readable.out.gz"),
            StandardCharsets.UTF_8);
    List<String> expected = text.lines().filter(line -> line.startsWith("Module|")).toList();
    try (DumpRecording dump = shared("breakpad/minidump2.dmp")) {
      List<String> found = new ArrayList<>();
      DumpedModule program = dump.modules().program().orElseThrow();
      for (DumpedModule module : dump.modules().list()) {
        String version = module.module().version().map(v -> FileVersion.text(v.file())).orElse("");
        found.add(
            String.format(
                Locale.ROOT,
                "Module|%s|%s|%s|%s|0x%08x|0x%08x|%d",
                module.name(),
                version,
                module.pdbPath().substring(module.pdbPath().lastIndexOf('\\') + 1),
                module.pdb().orElseThrow().key(),
                module.base(),
                module.base() + module.size() - 1,
                module == program ? 1 : 0));
      }
      assertEquals(expected.stream().sorted().toList(), found.stream().sorted().toList());
    }
  }

  /** Members of the objects in {@code modules} of rust-minidump's JSON. */
  @Test
  void modulesAreThoseThatRustMinidumpLists() throws IOException {
    String json =
        new String(
            TestData.gunzip("dumps/rust-minidump/json-pretty.snap.gz"), StandardCharsets.UTF_8);
    Pattern object =
        Pattern.compile(
            "\"base_addr\": \"0x(\\w+)\".*?\"code_id\": \"(\\w+)\".*?\"debug_file\": \"(\\S+)\""
                + ".*?\"debug_id\": \"(\\w+)\".*?\"end_addr\": \"0x(\\w+)\""
                + ".*?\"filename\": \"(\\S+)\".*?\"version\": (\\S+)",
            Pattern.DOTALL);
    List<MatchResult> rows = object.matcher(json).results().toList();
    try (DumpRecording dump = shared("rust-minidump/test.dmp")) {
      assertEquals(13, rows.size());
      assertEquals(rows.size(), dump.modules().list().size());
      for (int i = 0; i < rows.size(); i++) {
        MatchResult row = rows.get(i);
        DumpedModule module = dump.modules().list().get(i);
        assertEquals(hex(row.group(1)), module.base());
        assertEquals(row.group(2), module.id().key().toLowerCase(Locale.ROOT));
        assertEquals(
            row.group(3), module.pdbPath().substring(module.pdbPath().lastIndexOf('\\') + 1));
        assertEquals(row.group(4), module.pdb().orElseThrow().key());
        assertEquals(hex(row.group(5)), module.base() + module.size());
        assertEquals(row.group(6), module.name());
        assertEquals(
            row.group(7),
            module
                .module()
                .version()
                .map(v -> "\"" + FileVersion.text(v.file()) + "\"")
                .orElse("null"));
      }
      assertTrue(json.contains("\"pid\": " + dump.process().pid().getAsLong()));
      assertTrue(json.contains("\"thread_count\": " + dump.threads().size()));
      assertTrue(json.contains("\"os_ver\": \"5.1.2600 Service Pack 2\""));
      assertEquals("Service Pack 2", dump.system().orElseThrow().servicePack());
    }
  }

  /**
   * Registers of the crashing thread, and instruction pointers of all, as symbolicator has them.
   */
  @Test
  void registersAreThoseOfSymbolicator() throws IOException {
    String text =
        new String(
            TestData.gunzip("dumps/sentry/minidump_windows.snap.gz"), StandardCharsets.UTF_8);
    String[] stacks = text.split("  - thread_id: ", -1);
    try (DumpRecording dump = shared("sentry/windows.dmp")) {
      assertEquals(dump.threads().size(), stacks.length - 1);
      for (int i = 1; i < stacks.length; i++) {
        long id = Long.parseLong(stacks[i].lines().findFirst().orElseThrow());
        DumpedThread thread =
            dump.threads().stream().filter(t -> t.tid() == id).findFirst().orElseThrow();
        FrameRegisters registers = dump.view().registers(thread).orElseThrow();
        assertEquals(value(stacks[i], "eip"), registers.ip());
        assertEquals(value(stacks[i], "esp"), registers.sp());
        assertEquals(value(stacks[i], "ebp"), registers.get(FrameRegisters.BP));
        assertEquals(value(stacks[i], "eax"), registers.get(FrameRegisters.AX));
        assertEquals(value(stacks[i], "edi"), registers.get(FrameRegisters.DI));
      }
      assertTrue(text.contains("timestamp: " + dump.time().orElseThrow()));
    }
  }

  private static long value(String stack, String register) {
    MatchResult found =
        Pattern.compile(register + ": \"0x(\\w+)\"")
            .matcher(stack)
            .results()
            .findFirst()
            .orElseThrow();
    return hex(found.group(1));
  }

  /** Rizin's list of modules and of saved memory with its places in the file. */
  @Test
  void memoryAndModulesAreWhereRizinHasThem() throws IOException {
    String text =
        new String(TestData.gunzip("dumps/rizin/calc.expected.txt.gz"), StandardCharsets.UTF_8);
    int end = text.indexOf("## mdmp entrypoints");
    List<MatchResult> maps =
        Pattern.compile("\\+0x(\\w+) 0x(\\w+) - 0x(\\w+) r--")
            .matcher(text.substring(0, end))
            .results()
            .toList();
    List<MatchResult> sections =
        Pattern.compile("^0x00000000 0x(\\w+)\\s+0x(\\w+)", Pattern.MULTILINE)
            .matcher(text.substring(0, end))
            .results()
            .toList();
    try (DumpRecording dump = shared("rizin/calc.dmp")) {
      assertEquals(9, maps.size());
      assertEquals(9, dump.memory().saved().count());
      for (MatchResult map : maps) {
        int range = dump.memory().saved().at(hex(map.group(2)));
        assertEquals(hex(map.group(2)), dump.memory().saved().start(range));
        assertEquals(
            hex(map.group(3)) - hex(map.group(2)) + 1, dump.memory().saved().length(range));
        assertEquals(hex(map.group(1)), dump.memory().saved().offset(range));
      }
      assertTrue(sections.size() >= 26, sections.size() + " modules");
      for (MatchResult section : sections) {
        DumpedModule module = dump.modules().moduleAt(hex(section.group(2))).orElseThrow();
        assertEquals(hex(section.group(2)), module.base());
        assertEquals(hex(section.group(1)), module.size());
      }
    }
  }
}

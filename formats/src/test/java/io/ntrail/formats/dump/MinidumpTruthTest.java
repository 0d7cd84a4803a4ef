package io.ntrail.formats.dump;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.streams.MemoryInfo;
import io.ntrail.formats.dump.streams.MemoryInfoList;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.DumpYaml;
import io.ntrail.testkit.dump.DumpYaml.DumpYamlMap;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shared dumps hold what LLVM's obj2yaml printed about them, field by field. */
class MinidumpTruthTest {
  @ParameterizedTest
  @CsvSource({
    "breakpad/ascii_read_av",
    "breakpad/ascii_read_av_then_jmp",
    "breakpad/exec_av_on_stack",
    "breakpad/linux_inline",
    "breakpad/minidump2",
    "breakpad/minidump_32bit_crash_addr",
    "breakpad/null_read_av",
    "breakpad/stack_exhaustion",
    "breakpad/thread_name_list",
    "breakpad/tiny-exe-fastfail",
    "breakpad/tiny-exe-with-cet-xsave",
    "breakpad/tiny-exe-with-cet-xsave-x86",
    "breakpad/write_av_non_canonical",
    "lldb/fizzbuzz_no_heap",
    "lldb/regions-memlist64",
    "lldb/sigsegv",
    "rizin/calc",
    "rust-minidump/invalid-parameter",
    "sentry/windows",
    "syzygy/notepad-larger-64bit",
    "syzygy/notepad-small-32bit",
    "syzygy/notepad-small-64bit",
    "syzygy/use-after-free"
  })
  void everyFieldIsAsObj2yamlPrintedIt(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    compare(name.substring(name.indexOf('/') + 1), SharedDumps.read(name + ".dmp"));
  }

  @Test
  void everyFieldOfAFullDumpIsAsObj2yamlPrintedIt() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assumeTrue(SharedDumps.XZ.available(), SharedDumps.XZ.missing());
    compare("fizzbuzz_wow64", SharedDumps.wow64());
  }

  private static void compare(String truth, byte[] content) throws IOException {
    Gaps gaps = new Gaps();
    try (Minidump dump = Minidump.open(InputFile.of(content, truth), gaps)) {
      List<DumpYamlMap> streams = DumpYaml.streams(truth);
      List<DumpYamlMap> used = streams.stream().filter(s -> !s.text("Type").equals("0x0")).toList();
      assertEquals(used.size(), dump.streams().size(), "streams");
      int memoryRows = 0;
      for (int i = 0; i < used.size(); i++) {
        DumpYamlMap stream = used.get(i);
        DumpStream found = dump.streams().get(i);
        switch (stream.text("Type")) {
          case "ThreadList" -> threads(dump, stream.list("Threads"));
          case "ModuleList" -> modules(dump, stream.list("Modules"));
          case "MemoryList" -> memoryRows = memory(dump, stream.list("Memory Ranges"));
          case "Exception" -> exception(dump, stream);
          case "SystemInfo" -> system(dump, stream);
          case "MemoryInfoList" -> memoryInfos(dump, stream.list("Memory Ranges"));
          default -> {
            if (stream.has("Content")) {
              // One that the tool does not interpret, either.
              byte[] bytes = stream.bytes("Content");
              assertEquals(bytes.length, found.size(), found.title());
              assertArrayEquals(
                  bytes, dump.reader().bytes(found).array(0, bytes.length), found.title());
            }
          }
        }
      }
      assertTrue(memoryRows == 0 || dump.memory().count() >= 1, "memory");
      assertEquals(List.of(), gaps.list());
    }
  }

  private static void threads(Minidump dump, List<DumpYamlMap> rows) {
    assertEquals(rows.size(), dump.threads().size(), "threads");
    for (int i = 0; i < rows.size(); i++) {
      DumpYamlMap row = rows.get(i);
      DumpThread thread = dump.threads().get(i);
      assertEquals(row.number("Thread Id"), thread.id());
      assertEquals(row.number("Suspend Count"), thread.suspendCount());
      assertEquals(row.number("Priority Class"), thread.priorityClass());
      assertEquals(row.number("Priority"), thread.priority());
      assertEquals(row.number("Environment Block"), thread.teb());
      assertBytes(row.bytes("Context"), dump.reader().bytes(thread.context(), 1 << 20));
      DumpYamlMap stack = row.map("Stack");
      assertEquals(stack.number("Start of Memory Range"), thread.stackStart());
      if (!thread.stack().isEmpty()) {
        byte[] bytes = stack.bytes("Content");
        assertBytes(bytes, dump.reader().bytes(thread.stack(), 1 << 24));
      }
    }
  }

  private static void assertBytes(byte[] expected, Bytes found) {
    assertArrayEquals(expected, found.array(0, found.length()));
  }

  private static void modules(Minidump dump, List<DumpYamlMap> rows) {
    assertEquals(rows.size(), dump.modules().size(), "modules");
    for (int i = 0; i < rows.size(); i++) {
      DumpYamlMap row = rows.get(i);
      DumpModule module = dump.modules().get(i);
      assertEquals(row.number("Base of Image"), module.base());
      assertEquals(row.number("Size of Image"), module.size());
      assertEquals(row.number("Checksum"), module.checksum());
      assertEquals(row.number("Time Date Stamp"), module.timestamp());
      assertEquals(row.text("Module Name"), module.path());
      version(row.map("Version Info"), module.version());
      symbols(row.text("CodeView Record"), module);
    }
  }

  private static void version(DumpYamlMap expected, Optional<ModuleVersion> found) {
    long file = expected.number("File Version High") << 32 | expected.number("File Version Low");
    long product =
        expected.number("Product Version High") << 32 | expected.number("Product Version Low");
    assertEquals(file, found.map(ModuleVersion::file).orElse(0L));
    assertEquals(product, found.map(ModuleVersion::product).orElse(0L));
  }

  /** Puts the record together again that the tool printed. */
  private static void symbols(String hex, DumpModule module) {
    LittleEndian record = new LittleEndian();
    module
        .symbols()
        .ifPresent(symbols -> {
          switch (symbols) {
            case CodeViewRecord.Pdb70 pdb ->
                record
                    .u32(0x53445352)
                    .u64(pdb.id().guid().low())
                    .u64(pdb.id().guid().high())
                    .u32(pdb.id().age())
                    .utf8z(pdb.path());
            case CodeViewRecord.Pdb20 pdb ->
                record.u32(0x3031424E).u32(0).u32(pdb.signature()).u32(pdb.age()).utf8z(pdb.path());
            case CodeViewRecord.BuildId id ->
                record.u32(0x4270454C).bytes(HexFormat.of().parseHex(id.id()));
            case CodeViewRecord.Unknown _ -> throw new AssertionError(module.path());
          }
        });
    String found = HexFormat.of().formatHex(record.toByteArray());
    // Some linkers pad the path with zeros.
    String padded = found + "0".repeat(Math.max(0, hex.length() - found.length()));
    assertEquals(hex.toLowerCase(Locale.ROOT), padded, module.path());
  }

  private static int memory(Minidump dump, List<DumpYamlMap> rows) {
    for (DumpYamlMap row : rows) {
      long start = row.number("Start of Memory Range");
      byte[] bytes = row.bytes("Content");
      Bytes found = dump.memory().readUpTo(start, bytes.length);
      assertBytes(bytes, found);
    }
    return rows.size();
  }

  private static void memoryInfos(Minidump dump, List<DumpYamlMap> rows) {
    MemoryInfoList infos = MemoryInfoList.of(dump);
    assertEquals(rows.size(), infos.count(), "memory infos");
    for (DumpYamlMap row : rows) {
      MemoryInfo info = infos.at(row.number("Base Address")).orElseThrow();
      assertEquals(row.number("Base Address"), info.base());
      assertEquals(row.number("Region Size"), info.size());
      assertEquals(flags(row.text("State")), info.state(), row.toString());
    }
  }

  private static int flags(String state) {
    String name = state.replace("[", "").replace("]", "").strip();
    return switch (name) {
      case "MEM_COMMIT" -> MemoryInfo.COMMIT;
      case "MEM_RESERVE" -> MemoryInfo.RESERVE;
      case "MEM_FREE" -> MemoryInfo.FREE;
      default -> Integer.decode(name);
    };
  }

  private static void exception(Minidump dump, DumpYamlMap row) {
    DumpException exception = dump.exception().orElseThrow();
    DumpYamlMap record = row.map("Exception Record");
    assertEquals(row.number("Thread ID"), exception.thread());
    assertEquals((int) record.number("Exception Code"), exception.code());
    assertEquals((int) record.number("Exception Flags"), exception.flags());
    assertEquals(record.number("Exception Record"), exception.record());
    assertEquals(record.number("Exception Address"), exception.address());
    assertEquals(record.number("Number of Parameters"), exception.parameters().size());
    for (int i = 0; i < exception.parameters().size(); i++) {
      assertEquals(record.number("Parameter " + i), exception.parameters().get(i));
    }
    assertBytes(row.bytes("Thread Context"), dump.reader().bytes(exception.context(), 1 << 20));
  }

  private static void system(Minidump dump, DumpYamlMap row) {
    SystemInfo system = dump.systemInfo().orElseThrow();
    String architecture =
        switch (system.architecture()) {
          case X86 -> "X86";
          case X64 -> "AMD64";
          case OLD_ARM64 -> "BP_ARM64";
          default -> system.architecture().toString();
        };
    assertEquals(row.text("Processor Arch"), architecture);
    assertEquals(row.number("Processor Level"), system.level());
    assertEquals(row.number("Processor Revision"), system.revision());
    assertEquals(row.number("Number of Processors"), system.processors());
    assertEquals(row.number("Product type"), system.productType());
    assertEquals(row.number("Major Version"), system.major());
    assertEquals(row.number("Minor Version"), system.minor());
    assertEquals(row.number("Build Number"), system.build());
    assertEquals(row.text("CSD Version"), system.servicePack());
    assertEquals(row.number("Suite Mask"), system.suite());
    if (architecture.equals("X86")) {
      assertEquals(row.map("CPU").text("Vendor ID"), system.vendor());
    }
  }
}

package io.ntrail.formats.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Fields of a dump as Breakpad's minidump_dump and rust-minidump print them: {@code name = value}
 * lines, of which those of a name are compared in their order.
 */
class BreakpadFieldsTest {
  private static final List<String> REGISTERS =
      List.of(
          "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "eip", "eflags", "cs", "ss", "ds",
          "es", "fs", "gs", "dr0", "dr7");

  private static List<String> values(String text, String name) {
    Pattern line =
        Pattern.compile("^\\s+" + Pattern.quote(name) + "\\s+= (\\S+)", Pattern.MULTILINE);
    return line.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
  }

  private static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }

  @Test
  void everyFieldIsAsBreakpadPrintsIt() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    compare("breakpad/minidump2.dump.out");
  }

  @Test
  void everyFieldIsAsRustMinidumpPrintsIt() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    compare("rust-minidump/dump.snap");
  }

  private static void compare(String name) throws IOException {
    String text = new String(TestData.gunzip("dumps/" + name + ".gz"), StandardCharsets.UTF_8);
    byte[] content = SharedDumps.read("breakpad/minidump2.dmp");
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      MinidumpHeader header = dump.header();
      assertEquals(
          List.of(hex((long) header.implementation() << 16 | header.version())),
          values(text, "version"));
      assertEquals(List.of(Long.toString(header.streams())), values(text, "stream_count"));
      assertEquals(List.of(hex(header.directory())), values(text, "stream_directory_rva"));
      List<DumpModule> modules = dump.modules();
      assertEquals(
          modules.stream().map(m -> hex(m.base())).toList(), values(text, "base_of_image"));
      assertEquals(
          modules.stream().map(m -> hex(m.size())).toList(), values(text, "size_of_image"));
      assertEquals(
          Stream.concat(
                  Stream.of(hex(header.checksum())), modules.stream().map(m -> hex(m.checksum())))
              .toList(),
          values(text, "checksum"));
      assertEquals(
          Stream.concat(
                  Stream.of(hex(header.timestamp())), modules.stream().map(m -> hex(m.timestamp())))
              .toList(),
          values(text, "time_date_stamp"));
      assertEquals(
          modules.stream()
              .map(m -> m.version().map(v -> split(v.file())).orElse("0x0:0x0"))
              .toList(),
          values(text, "version_info.file_version"));
      assertEquals(
          modules.stream().map(m -> m.pdb().orElseThrow().guid().toString()).toList(),
          values(text, "(cv_record).signature").stream()
              .map(guid -> guid.toLowerCase(Locale.ROOT))
              .toList());
      List<DumpThread> threads = dump.threads();
      List<String> ids = new ArrayList<>(threads.stream().map(t -> hex(t.id())).toList());
      ids.add(hex(dump.exception().orElseThrow().thread()));
      assertEquals(ids, values(text, "thread_id"));
      assertEquals(threads.stream().map(t -> hex(t.teb())).toList(), values(text, "teb"));
      assertEquals(
          threads.stream().map(t -> hex(t.stackStart())).toList(),
          values(text, "stack.start_of_memory_range"));
      assertEquals(
          threads.stream().map(t -> hex(t.stack().offset())).toList(),
          values(text, "stack.memory.rva"));
      List<ProcessorContext> contexts = new ArrayList<>();
      threads.forEach(thread -> contexts.add(dump.context(thread.context()).orElseThrow()));
      contexts.add(dump.context(dump.exception().orElseThrow().context()).orElseThrow());
      for (String register : REGISTERS) {
        List<String> found =
            contexts.stream().map(c -> hex(c.register(register).orElse(0))).toList();
        assertEquals(found, values(text, register), register);
      }
    }
  }

  private static String split(long version) {
    return hex(version >>> 32) + ":" + hex(version & 0xFFFF_FFFFL);
  }
}

package io.ntrail.cli.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.dump.MinidumpBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command over dumps that claim what cannot be: an answer or a clear refusal, in bounded time
 * and memory, with the exit code of damage where bytes could not be read.
 */
class HostileDumpsTest {
  private static final long PROGRAM = 0x40_0000L;
  private static final long STACK = 0x10_0000L;

  @TempDir private Path folder;

  private Path file(MinidumpBuilder dump) throws IOException {
    return Files.write(folder.resolve("hostile.dmp"), dump.toByteArray());
  }

  /** Runs the command with every option that looks at more, in text and as JSON. */
  private static Cli.Result run(Path file, String... words) {
    return ProcessorTime.within(
        Duration.ofSeconds(30),
        () -> {
          List<Object> all = new ArrayList<>(List.of("stacks", "-q", file));
          all.addAll(Arrays.asList(words));
          Cli.Result text = Cli.run(all.toArray());
          all.addAll(List.of("--format", "json"));
          Cli.Result json = Cli.run(all.toArray());
          assertEquals(text.exit(), json.exit(), json.err());
          if (text.exit() == 0 || text.exit() == 3) {
            assertEquals(List.of(), JsonSchema.named("stacks").findings(json.json()));
            boolean hasGaps = !json.json().get("gaps").array().isEmpty();
            assertEquals(hasGaps, text.exit() == 3, json.err());
          }
          return text;
        });
  }

  private static MinidumpBuilder x86() {
    return new MinidumpBuilder()
        .system(0, 10, 0, 19045)
        .module(PROGRAM, 0x1_0000, 1, "C:\\x\\a.exe");
  }

  private static byte[] at(long ip, long sp) {
    return MinidumpBuilder.x86(PROGRAM + ip, sp, sp);
  }

  private static byte[] words(int... words) {
    LittleEndian bytes = new LittleEndian();
    for (int word : words) {
      bytes.u32(word);
    }
    return bytes.toByteArray();
  }

  @Test
  void memoryOf45GigabytesIsAGap() throws IOException {
    Path file =
        file(
            x86()
                .thread(7, 0, STACK, new byte[0x40], at(0x10, STACK))
                .memory64(0x7000_0000L, 45L << 30)
                .memory64(0x6000_0000L, Long.MAX_VALUE));
    Cli.Result result = run(file, "--all", "-v");
    assertEquals(3, result.exit(), result.out());
    assertTrue(result.err().contains("could not be read"), result.err());
    assertTrue(result.out().contains("a.exe+0x10"), result.out());
  }

  @Test
  void registersWithWildFlagsAreAGap() throws IOException {
    byte[] stack = new byte[0x40];
    byte[] whole = at(0x10, STACK);
    byte[] wild = whole.clone();
    LittleEndian.putU32(wild, 0, 0x7777_7777);
    MinidumpBuilder exception =
        x86()
            .thread(7, 0, STACK, stack, at(0x20, STACK))
            .exception(7, 0xC000_0005L, PROGRAM + 0x10, wild, 1, 0);
    Cli.Result result = run(file(exception));
    assertEquals(3, result.exit(), result.out());
    assertTrue(result.err().contains("registers at the exception"), result.err());
    MinidumpBuilder thread =
        x86().thread(7, 0, STACK, stack, whole).thread(8, 0, STACK, stack, wild);
    result = run(file(thread), "--all");
    assertEquals(3, result.exit(), result.out());
    assertTrue(result.err().contains("registers of thread 8"), result.err());
    assertTrue(result.err().contains("ContextFlags is 0x77777777"), result.err());
  }

  @Test
  void anExceptionOfAThreadThatIsNotInTheDumpHasNoStackOfAnother() throws IOException {
    byte[] other = at(0x20, STACK);
    Path file =
        file(
            x86()
                .thread(7, 0, STACK, new byte[0x40], other)
                .exception(9, 0xC000_0005L, PROGRAM + 0x10, at(0x10, STACK), 1, 0));
    Cli.Result result = run(file);
    assertEquals(3, result.exit(), result.out());
    String why = "thread 9 is not in the list of threads";
    assertTrue(result.err().contains(why), result.err());
    assertTrue(
        result.lines().get(1).startsWith("thread 9, not in the dump, stopped: ACCESS VIOLATION"),
        result.out());
    assertEquals("  at a.exe+0x10", result.lines().get(2));
    Cli.Result groups = Cli.run("stacks", folder, "--format", "json");
    assertEquals(3, groups.exit(), groups.err());
    assertTrue(groups.err().contains(why), groups.err());
    assertEquals(
        "STATUS_ACCESS_VIOLATION write | a.exe+0x10",
        groups.json().get("groups").array().getFirst().get("signature").text());
  }

  @Test
  void aDumpThatDoesNotNameItsProcessorHasTheOneOfItsRegisters() throws IOException {
    long base = 0x7FF7_0000_0000L;
    byte[] context = MinidumpBuilder.x64(base + 0x10, 0, 0, 0, 0, STACK, 0, 0, 0);
    Path file =
        file(
            new MinidumpBuilder()
                .module(base, 0x1_0000, 1, "C:\\x\\a.exe")
                .thread(7, 0, STACK, new byte[0x40], context)
                .exception(7, 0xC000_0005L, base + 0x10, context, 1, 0));
    Cli.Result result = run(file);
    assertEquals(3, result.exit(), result.out());
    assertTrue(result.lines().getFirst().contains("1 place could not be read"), result.out());
    assertTrue(result.lines().contains("  at a.exe+0x10"), result.out());
    assertTrue(
        result.err().contains("the dump does not name its processor, whose registers are those of"),
        result.err());
  }

  @Test
  void aModuleAtAddressZeroIsAGapAndHasNoFrames() throws IOException {
    byte[] stack = words((int) STACK + 8, 0xA, 0, 0, 0, 0, 0, 0);
    Path file = file(x86().module(0, 0, 0, "").thread(7, 0, STACK, stack, at(0x10, STACK)));
    Cli.Result result = run(file);
    assertEquals(3, result.exit(), result.out());
    assertTrue(result.err().contains("1 of 2 modules are at address 0"), result.err());
    assertFalse(result.out().contains("+0xa"), result.out());
    Cli.Result info = Cli.run("info", file);
    assertEquals(3, info.exit(), info.out());
  }

  @Test
  void aStreamOf45GigabytesIsAGap() throws IOException {
    MinidumpBuilder dump = x86().thread(7, 0, STACK, new byte[0x40], at(0x10, STACK));
    for (int type : new int[] {9, 12, 13, 14, 16, 17, 18, 19, 24}) {
      dump.entry(type, 0xFFFF_FFFFL, 32);
    }
    Cli.Result result = run(file(dump), "--all", "-v");
    assertEquals(3, result.exit(), result.out());
    assertTrue(result.out().contains("a.exe+0x10"), result.out());
  }

  @Test
  void listsThatLeadBackToThemselvesEnd() throws IOException {
    byte[] stack = new byte[0x100];
    // A frame pointer that points to itself, and a chain of handlers that does.
    LittleEndian.putU32(stack, 0x20, STACK + 0x20);
    LittleEndian.putU32(stack, 0x24, PROGRAM + 0x1010);
    LittleEndian.putU32(stack, 0x60, STACK + 0x80);
    LittleEndian.putU32(stack, 0x64, PROGRAM + 0x1010);
    LittleEndian.putU32(stack, 0x80, STACK + 0x60);
    LittleEndian.putU32(stack, 0x84, PROGRAM + 0x1010);
    byte[] context = at(0x10, STACK + 0x20);
    Path file =
        file(
            x86()
                .thread(7, 0x7F_0000L, STACK, stack, context)
                .memory(0x7F_0000L, words((int) STACK + 0x60, (int) STACK + 0x100, (int) STACK))
                .exception(7, 0xC000_0005L, PROGRAM + 0x10, context, 1, 0));
    Cli.Result result = run(file, "--handlers", "-v");
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.out().contains("STATUS") || result.out().contains("ACCESS VIOLATION"));
    assertTrue(result.lines().size() < 60, result.out());
  }

  /** Of memory that overlaps the first in the file counts; docs/dumps.md says so. */
  @Test
  void overlappingMemoryGivesTheFramesOfTheFirst() throws IOException {
    byte[] stack = words((int) STACK + 8, (int) PROGRAM + 0x1010, 0, 0, 0, 0, 0, 0);
    byte[] context = at(0x10, STACK);
    MinidumpBuilder plain = x86().thread(7, 0, STACK, new byte[0], context).memory(STACK, stack);
    MinidumpBuilder overlapping =
        x86().thread(7, 0, STACK, new byte[0], context).memory(STACK, stack);
    byte[] wrong = words(-1, -1, -1, -1, -1, -1, -1, -1);
    for (int i = 0; i < 20_000; i++) {
      overlapping.memory(STACK + i % 16 - 8, wrong);
    }
    String expected = frames(run(file(plain)));
    assertTrue(expected.contains("a.exe+0x1010"), expected);
    Cli.Result result = run(file(overlapping));
    assertEquals(0, result.exit(), result.err());
    assertEquals(expected, frames(result));
  }

  private static String frames(Cli.Result result) {
    return String.join("\n", result.lines().stream().filter(l -> l.contains("a.exe+")).toList());
  }

  @Test
  void tenMillionThreadsAndModulesAreBounded() throws IOException {
    MinidumpBuilder dump = x86();
    for (int type : new int[] {3, 4, 5, 14, 16, 17, 24}) {
      dump.entry(type, 1_080_000_004L, 8192);
    }
    byte[] head = Arrays.copyOf(dump.toByteArray(), 8192 + 4);
    LittleEndian.putU32(head, 8192, 10_000_000);
    Path file = folder.resolve("many.dmp");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(head));
      channel.write(ByteBuffer.wrap(new byte[1]), 1_080_008_200L);
    }
    for (String option : List.of("-q", "--same")) {
      Cli.Result result = run(file, option);
      assertEquals(3, result.exit(), option + result.err());
      assertTrue(result.err().contains("it claims 10000000 entries"), result.err());
    }
  }

  /** Each walk is possible by itself; together they would take hours and all memory. */
  @Test
  void threadsThatShareAStackOfManyFramesAreBoundedTogether() throws IOException {
    LittleEndian stack = new LittleEndian();
    for (int i = 1; i <= 8_192; i++) {
      stack.u32(STACK + 8L * i).u32(PROGRAM + 0x1010);
    }
    MinidumpBuilder dump = x86();
    int stackAt = dump.put(stack.toByteArray());
    int contextAt = dump.put(at(0x10, STACK));
    LittleEndian threads = new LittleEndian().u32(1_000);
    for (int i = 1; i <= 1_000; i++) {
      threads.u32(i).zeros(12).u64(0).u64(STACK).u32(stack.size()).u32(stackAt);
      threads.u32(716).u32(contextAt);
    }
    Path file = file(dump.stream(3, threads.toByteArray()));
    JsonReader json =
        ProcessorTime.within(
            Duration.ofSeconds(60),
            () -> Cli.run("stacks", "-q", file, "--same", "--format", "json").json());
    List<JsonReader> all = json.get("threads").array();
    assertEquals(1_000, all.size());
    long frames = all.stream().mapToLong(t -> t.get("frames").array().size()).sum();
    assertTrue(frames >= 1 << 18 && frames < (1 << 18) + 65_536, "frames " + frames);
    assertEquals(
        "the stacks before it have more than 262,144 frames", all.getLast().get("why").text());
  }

  /** x64: unwind data that leads back to itself, in the memory of the dump. */
  @Test
  void aStackOfX64ThatGoesInACircleEnds() throws IOException {
    byte[] context = MinidumpBuilder.x64(0x1_4000_1010L, 0, 0, 0, 0, STACK, 0, 0, 0);
    LittleEndian stack = new LittleEndian();
    for (int i = 0; i < 100_000; i++) {
      stack.u64(0x1_4000_1010L);
    }
    Path file =
        file(
            new MinidumpBuilder()
                .system(9, 10, 0, 19045)
                .module(0x1_4000_0000L, 0x1_0000, 1, "C:\\x\\a.exe")
                .thread(7, 0, STACK, stack.toByteArray(), context));
    Cli.Result result = run(file, "--all");
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.out().contains("the stack has more than 65,536 frames"), result.out());
  }
}

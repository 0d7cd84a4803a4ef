package io.ntrail.cli.stacks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleDump;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ntrail stacks FILE.dmp} and {@code stacks FOLDER}. */
class DumpStacksTest {
  private static final long STACK = 0x10_0000L;

  @TempDir private Path folder;

  private Path shared(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return Files.write(
        folder.resolve(name.substring(name.indexOf('/') + 1) + ".dmp"),
        SharedDumps.read(name + ".dmp"));
  }

  private Cli.Result run(Object... words) {
    List<Object> all = new ArrayList<>(List.of("stacks", "-q"));
    all.addAll(Arrays.asList(words));
    return Cli.run(all.toArray());
  }

  private static String expected(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(DumpStacksTest.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void check(String file, Cli.Result result) throws IOException {
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    assertEquals(expected(file), result.out().replace(folder + "/", ""));
  }

  @Test
  void theSampleIsWhatItsMakerMakes() throws IOException {
    assertArrayEquals(
        SampleDump.make(), Files.readAllBytes(TestData.projectRoot().resolve("samples/shop.dmp")));
  }

  @Test
  void theSampleIsWalkedByTheUnwindDataOfItsLibrary() {
    String out = run(TestData.projectRoot().resolve("samples/shop.dmp")).out();
    assertTrue(out.contains("it read address 0x18 (null pointer + 0x18)"), out);
    assertTrue(out.contains("context  0x000000c1f38ff6a0  shopcore.dll!StockLoad + 0x9"), out);
    assertTrue(out.contains("unwind   0x000000c1f38ff6d0  shopcore.dll!StockMatch + 0x22"), out);
    assertTrue(out.contains("unwind   0x000000c1f38ff700  shopd.exe+0x10cc"), out);
  }

  private Path windows() throws IOException {
    Path dump = shared("sentry/windows");
    Files.write(folder.resolve("crash.pdb"), TestData.gunzip("pdb/sentry/crash.pdb.gz"));
    Files.write(folder.resolve("crash.exe"), TestData.gunzip("pdb/sentry/crash.exe.gz"));
    return dump;
  }

  @Test
  void theAnswerAboutACrash() throws IOException {
    Path dump = windows();
    check("windows.expected.txt", run(dump, "-y", folder));
    check("windows-verbose.expected.txt", run(dump, "-y", folder, "-v", "--no-inline"));
    check("windows-all.expected.txt", run(dump, "-y", folder, "--all"));
  }

  @Test
  void otherAnswers() throws IOException {
    check("use-after-free.expected.txt", run(shared("syzygy/use-after-free"), "--same"));
    check("recursion.expected.txt", run(shared("breakpad/stack_exhaustion")));
    check("shadow-stack.expected.txt", run(shared("breakpad/tiny-exe-with-cet-xsave")));
    check(
        "thread.expected.txt",
        run(shared("breakpad/thread_name_list"), "-t", "*sleep*", "-t", "6564"));
  }

  @Test
  void bothSidesOfA32BitProcess() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assumeTrue(SharedDumps.XZ.available(), SharedDumps.XZ.missing());
    Path dump = Files.write(folder.resolve("wow64.dmp"), SharedDumps.wow64());
    check("wow64.expected.txt", run(dump, "--native"));
    JsonReader thread = valid(dump, "--native").get("threads").array().getFirst();
    assertEquals("0x77ce01fd", thread.get("frames").array().getFirst().get("ip").text());
    assertEquals(7, thread.get("nativeFrames").array().size());
    JsonReader side = valid(dump).get("process").get("wow64");
    assertEquals("x86", side.get("side").text());
    assertTrue(side.get("why").isNull());
  }

  /** Of a small dump that a 64-bit debugger wrote. */
  @ParameterizedTest
  @ValueSource(strings = {"notepad-small-64bit", "notepad-larger-64bit"})
  void the32BitStacksThatADumpLacksAreSaidToBeMissing(String name) throws IOException {
    String why =
        "the 32-bit stacks of the process are not in the dump: these are of the 64-bit side"
            + " (WOW64)";
    Path dump = shared("syzygy/" + name);
    List<String> lines = run(dump, "--all").lines();
    assertTrue(lines.getFirst().contains(" x64, 32-bit process, "), lines.getFirst());
    assertEquals(why, lines.get(1));
    JsonReader side = valid(dump).get("process").get("wow64");
    assertEquals("x64", side.get("side").text());
    assertEquals(why, side.get("why").text());
    for (String rows : List.of("csv", "jsonl")) {
      assertEquals(List.of("warning: " + why), run(dump, "--format", rows).messages());
    }
  }

  private JsonReader valid(Path file, Object... more) throws IOException {
    List<Object> words = new ArrayList<>(List.of(more));
    words.addAll(List.of(file, "--format", "json"));
    JsonReader json = run(words.toArray()).json();
    assertEquals(List.of(), JsonSchema.named("stacks").findings(json));
    return json;
  }

  /** Exception facts of data/dumps/README.md. */
  @ParameterizedTest
  @CsvSource({
    "breakpad/minidump2, 3060, 0xc0000005, 0x40429e",
    "sentry/windows, 1636, 0xc0000005, 0x2a2a3d",
    "breakpad/thread_name_list, 10976, 0xc0000005, 0x4015fd",
    "breakpad/write_av_non_canonical, 4488, 0xc0000005, 0x7ff738721331",
    "breakpad/tiny-exe-fastfail, 24440, 0xc0000409, 0x7ff75355af42",
    "rust-minidump/invalid-parameter, 5896, 0xc000000d, 0x0",
    "lldb/sigsegv, 10860, 0xc0000005, 0x7ff7a13110d9",
    "rizin/calc, 1628, 0x80000003, 0x7776ae10",
    "syzygy/notepad-small-64bit, 10444, 0x80000003, 0x77928700",
    "syzygy/notepad-small-32bit, 4604, 0x80000003, 0x77b012fb",
    "syzygy/use-after-free, 16772, 0xc000008c, 0x2cf98c5",
    "lldb/fizzbuzz_no_heap, 8992, 0xc0000005, 0x164d14",
    "breakpad/stack_exhaustion, 5744, 0xc00000fd, 0xdea637",
    "breakpad/exec_av_on_stack, 6920, 0xc0000005, 0x3df944",
    "breakpad/null_read_av, 1192, 0xc0000005, 0x90a6cd",
    "breakpad/ascii_read_av, 4204, 0xc0000005, 0xd6a6cd"
  })
  void theFaultingThreadComesFirst(String name, long tid, String code, String address)
      throws IOException {
    JsonReader json = valid(shared(name), "-v", "--handlers");
    assertEquals("minidump", json.get("kind").text());
    JsonReader exception = json.get("exception");
    assertEquals(code, exception.get("code").text());
    assertEquals(address, exception.get("address").text());
    assertEquals(tid, exception.get("tid").number());
    JsonReader thread = json.get("threads").array().getFirst();
    assertEquals(tid, thread.get("tid").number());
    assertEquals(true, thread.get("faulting").value());
    JsonReader first = thread.get("frames").array().getFirst();
    assertEquals("context", first.get("trust").text());
    if (!address.equals("0x0")) {
      assertEquals(address, first.get("ip").text());
    }
    assertTrue(thread.get("registers").has(thread.get("registers").has("rip") ? "rsp" : "esp"));
  }

  @Test
  void dumpsWithoutExceptionShowTheirFirstThread() throws IOException {
    JsonReader json = valid(shared("breakpad/tiny-exe-with-cet-xsave-x86"));
    assertTrue(json.get("exception").isNull());
    assertEquals(1, json.get("threads").array().size());
    assertEquals("waits", json.get("threads").array().getFirst().get("activity").text());
  }

  @Test
  void equalStacksAreGroups() throws IOException {
    JsonReader json = valid(shared("syzygy/use-after-free"), "--same");
    assertEquals(39, json.get("threads").array().size());
    long members = 0;
    for (JsonReader group : json.get("groups").array()) {
      assertEquals(group.get("count").number(), group.get("tids").array().size());
      members += group.get("count").number();
    }
    assertEquals(39, members);
    assertEquals(
        16772,
        json.get("groups").array().getFirst().get("tids").array().getFirst().number(),
        "that of the faulting thread is the first");
  }

  private static MinidumpBuilder small() {
    byte[] context = MinidumpBuilder.x64(0x5_0000L, 1, 2, 3, 4, STACK, 0, 0, 0);
    return new MinidumpBuilder()
        .system(9, 10, 0, 22000)
        .thread(7, 0, STACK, new byte[0x100], context)
        .module(0x5_0000L, 0x1000, 1, "C:\\x\\a.exe");
  }

  @Test
  void threadsThatCannotBeWalkedSayWhy() throws IOException {
    byte[] arm = new byte[912];
    LittleEndian.putU64(arm, 0, 0x40_0007L);
    Path file =
        Files.write(
            folder.resolve("arm.dmp"),
            new MinidumpBuilder()
                .system(12, 10, 0, 22000)
                .thread(7, 0, 0, new byte[0], arm)
                .toByteArray());
    Cli.Result result = run(file);
    assertEquals(0, result.exit(), result.err());
    assertTrue(
        result.lines().contains("     no frames: frames of arm64 are not walked"), result.out());
    Path bare =
        Files.write(
            folder.resolve("bare.dmp"),
            small().thread(8, 0, 0, new byte[0], new byte[0]).toByteArray());
    Cli.Result two = run(bare);
    assertTrue(
        two.out().contains("1 more thread: 1 without registers to walk from (--all"), two.out());
  }

  @Test
  void aFolderGroupsItsCrashes() throws IOException {
    Files.copy(shared("breakpad/minidump2"), folder.resolve("again.dmp"));
    windows();
    Files.write(folder.resolve("broken.dmp"), new byte[] {'M', 'D', 'M', 'P', 1, 2, 3});
    Files.writeString(folder.resolve("readme.txt"), "not a dump");
    Cli.Result text = run(folder, "-y", folder);
    assertEquals(3, text.exit());
    assertEquals(expected("folder.expected.txt"), text.out().replace(folder.toString(), "FOLDER"));
    assertTrue(text.err().contains("warning: " + folder.resolve("broken.dmp")), text.err());
    Cli.Result result = run(folder, "-y", folder, "--format", "json");
    assertEquals(List.of(), JsonSchema.named("stack-groups").findings(result.json()));
    JsonReader groups = result.json();
    assertEquals(2, groups.get("groups").array().size());
    JsonReader most = groups.get("groups").array().getFirst();
    assertEquals(2, most.get("count").number());
    assertEquals(
        "STATUS_ACCESS_VIOLATION write | test_app.exe+0x429e | test_app.exe+0x4200 |"
            + " test_app.exe+0x53ec | kernel32.dll+0x16fd7",
        most.get("signature").text());
    assertEquals(1, groups.get("unreadable").array().size());
    JsonSchema line = JsonSchema.named("stack-groups").definition("group");
    for (String group : run(folder, "--format", "jsonl").lines()) {
      assertEquals(List.of(), line.findings(JsonReader.parse(group)));
    }
  }

  @Test
  void rowsOfFramesAreTheSameInEveryForm() throws IOException {
    Path dump = windows();
    List<String> csv = run(dump, "-y", folder, "--format", "csv").lines();
    assertEquals(9, csv.size());
    assertTrue(
        csv.get(3)
            .startsWith(
                "1636,,true,1928,crash.exe,,,,2,context,0x2a2a3d,0x10ff644,0x2a2d97,crash.exe,"
                    + "0x2a3d,main,301,"),
        csv.get(3));
    JsonSchema row = JsonSchema.named("stacks").definition("row");
    List<String> lines = run(dump, "-y", folder, "--format", "jsonl").lines();
    assertEquals(8, lines.size());
    for (String line : lines) {
      assertEquals(List.of(), row.findings(JsonReader.parse(line)), line);
    }
    // Of the outermost frame alone.
    assertTrue(csv.getFirst().endsWith(",remark,end,why"), csv.getFirst());
    List<String> ends = lines.stream().filter(line -> line.contains("\"end\":")).toList();
    assertEquals(List.of(lines.getLast()), ends);
  }

  @Test
  void damageMakesExitCodeThree() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] whole = SharedDumps.read("sentry/windows.dmp");
    Path cut = Files.write(folder.resolve("cut.dmp"), Arrays.copyOf(whole, whole.length / 2));
    Cli.Result result = run(cut);
    assertEquals(3, result.exit());
    assertTrue(result.err().contains("could not be read"), result.err());
    assertTrue(result.lines().getFirst().contains("could not be read"), result.out());
  }

  @Test
  void wrongWordsAreRefused() throws IOException {
    Path dump = Files.write(folder.resolve("a.dmp"), small().toByteArray());
    for (List<String> words :
        List.of(List.of("--at", "1"), List.of("-e", "x"), List.of("--top", "3"))) {
      List<Object> all = new ArrayList<>(List.of(dump));
      all.addAll(words);
      Cli.Result result = run(all.toArray());
      assertEquals(2, result.exit(), words + ": " + result.err());
      assertTrue(result.err().contains("\ntry: ntrail stacks"), result.err());
    }
    Cli.Result none = run(dump, "-t", "nobody");
    assertEquals(1, none.exit());
    assertTrue(none.err().startsWith("ntrail: no thread of " + dump), none.err());
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertEquals(1, run(empty).exit());
    assertEquals(2, run(folder, "--all").exit());
    assertEquals(1, run(TestData.projectRoot().resolve("samples/shop.ntr")).exit());
  }
}

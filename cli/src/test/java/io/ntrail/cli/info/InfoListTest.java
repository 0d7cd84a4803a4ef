package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code ntrail info --list}: rows about what a recording tells of. */
class InfoListTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");

  private static JsonReader json(Path file, String what) throws IOException {
    JsonReader list = Cli.run("info", file, "--list", what, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("list").findings(list));
    return list;
  }

  private static long sum(JsonReader list) {
    return list.get("rows").array().stream().mapToLong(row -> row.get("cpuNanos").number()).sum();
  }

  @Test
  void processesComeWithParentsCommandLinesTimesAndCpu() {
    assertEquals(
        List.of(
            SAMPLE + ": 5 processes, 2.717 s CPU by samples, complete, 0 events and 0 buffers lost",
            " cpu ms     %   pid  parent  threads   start s     end s  process      command line",
            "1,752.0  64.5  4312    2900        4         -         -  shopd.exe    "
                + "C:\\shop\\shopd.exe --port 8080",
            "  451.0  16.6  6120    4312        1  0.320200  1.121097  shopcli.exe  "
                + "C:\\shop\\shopcli.exe restock",
            "3 more processes not shown (-n 0 shows all)"),
        Cli.run("info", SAMPLE, "--list", "processes", "-n", "2").lines());
  }

  @Test
  void cpuTimesOfProcessesAndThreadsAddUpToThatOfTheProfile() throws IOException {
    long total =
        Cli.run("profile", SAMPLE, "--unit", "ns", "--format", "json").json().get("total").number();
    for (String what : List.of("processes", "threads", "images")) {
      JsonReader list = json(SAMPLE, what);
      assertEquals(total, list.get("cpuNanos").number());
      assertEquals(total, sum(list), what);
    }
    JsonReader byProcess =
        Cli.run("profile", SAMPLE, "--unit", "ns", "--by", "process", "--format", "json").json();
    List<JsonReader> rows = json(SAMPLE, "processes").get("rows").array();
    for (int i = 0; i < rows.size(); i++) {
      JsonReader row = byProcess.get("rows").array().get(i);
      assertEquals(row.get("pid"), rows.get(i).get("pid"));
      assertEquals(row.get("self"), rows.get(i).get("cpuNanos"));
    }
  }

  @Test
  void threadsHaveNames() {
    List<String> lines = Cli.run("info", SAMPLE, "--list", "threads").lines();
    assertTrue(lines.get(2).endsWith("  shopd.exe     worker 1"), lines.get(2));
    assertTrue(lines.get(4).endsWith("  shopcli.exe   -"), lines.get(4));
  }

  @Test
  void imagesOfTheKernelSaySo() throws IOException {
    Cli.Result images = Cli.run("info", SAMPLE, "--list", "images");
    assertTrue(images.out().contains("  (kernel)      C:\\Windows\\System32\\drivers\\Ntfs.sys"));
    JsonReader list = json(SAMPLE, "images");
    assertEquals(
        "5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708",
        list.get("rows").array().getFirst().get("pdb").get("guid").text());
  }

  @Test
  void aRealRecordingListsWhatItsContentsCount() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path file = TestData.file("etl/perfview-net452-x64.etl.gz");
    JsonReader processes = json(file, "processes");
    assertEquals(35, processes.get("rows").array().size());
    JsonReader test = processes.get("rows").array().getFirst();
    assertEquals("Test.x64.exe", test.get("name").text());
    assertEquals(3676, test.get("pid").number());
    assertEquals(672, json(file, "threads").get("rows").array().size());
    JsonReader methods = json(file, "methods");
    assertTrue(
        methods.get("rows").array().stream()
            .anyMatch(row ->
                row.get("name")
                    .text()
                    .equals("Microsoft.Win32.SafeHandles" + ".SafeFileHandle..ctor")));
    assertEquals(1, json(file, "sessions").get("rows").array().size());
  }

  @Test
  void otherFilesAndWordsAreRefusedWithTheCommandForThem() {
    Path calls = TestData.projectRoot().resolve("samples/shop.ntr");
    Cli.Result refused = Cli.run("info", calls, "--list", "threads");
    assertEquals(2, refused.exit());
    assertEquals("try: ntrail calls " + calls + " --flat", refused.messages().get(1));
    Cli.Result wrong = Cli.run("info", SAMPLE, "--list", "files");
    assertEquals(2, wrong.exit());
    assertEquals(
        "ntrail: --list takes processes, threads, images, methods or sessions, not files",
        wrong.messages().getFirst());
  }
}

package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comparisons of recordings whose images are not the same builds. */
class DifferentBuildsTest {
  private static final long SIZE = 0x10_0000;
  private static final long APP = RecordingBuilder.APP;
  private static final long NTDLL = RecordingBuilder.NTDLL;

  @TempDir private Path folder;

  /** Samples of process 100, in app.exe of a size and in ntdll.dll, which is the same in all. */
  private Path recording(String name, long size, long... addresses) throws IOException {
    RecordingBuilder a = new RecordingBuilder();
    a.at(0).on(0).as(-1, -1);
    a.processRundown(100, "app.exe").threadRundown(100, 101);
    a.imageRundown(100, APP, size, "app.exe").imageRundown(100, NTDLL, SIZE, "ntdll.dll");
    int at = 10;
    for (long address : addresses) {
      a.at(at++).sample(address, 101).stack(100, 101, address);
    }
    return Recordings.write(folder.resolve(name), a.writer());
  }

  private Path before() throws IOException {
    return recording("before.etl", SIZE, APP + 0x100, APP + 0x200, NTDLL + 0x100, NTDLL + 0x100);
  }

  private Path after() throws IOException {
    return recording("after.etl", 2 * SIZE, APP + 0x100, APP + 0x300, APP + 0x300, NTDLL + 0x100);
  }

  @Test
  void functionsWithoutANameAreOneRowOfTheirModule() throws IOException {
    Cli.Result result = Cli.run("diff", before(), after());
    assertEquals(0, result.exit(), result.err());
    assertFalse(result.out().contains("app.exe+0x"), result.out());
    assertTrue(
        result.lines().stream()
            .anyMatch(l -> l.matches(" +2 +50\\.0 +3 +75\\.0 +\\+25\\.0 +app\\.exe!\\(unnamed\\)")),
        result.out());
    // The same build: its ranges are the same code.
    assertTrue(result.out().contains("ntdll.dll+0x100"), result.out());
  }

  @Test
  void theHeadingSaysWhichBuildsTheyAre() throws IOException {
    String out = Cli.run("diff", before(), after()).out();
    assertTrue(
        out.contains(
            """
            different builds of 1 module: functions without a name are compared as one
              app.exe: code id 9D6A1394100000 before, code id 9D6A1394200000 after
            """),
        out);
  }

  @Test
  void programsGetBothIdentities() throws IOException {
    JsonReader json = Cli.run("diff", before(), after(), "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("diff").findings(json));
    List<JsonReader> builds = json.get("builds").array();
    assertEquals(1, builds.size());
    assertEquals("app.exe", builds.getFirst().get("module").text());
    JsonReader build = builds.getFirst().get("before").array().getFirst();
    assertEquals(SIZE, build.get("size").number());
    assertEquals(2 * SIZE, builds.getFirst().get("after").array().getFirst().get("size").number());
    JsonReader row =
        json.get("rows").array().stream()
            .filter(r -> r.get("module").text().equals("app.exe"))
            .findFirst()
            .orElseThrow();
    assertTrue(row.get("function").isNull());
    assertTrue(row.get("rva").isNull());
    assertEquals(2, row.get("beforeSelf").number());
    assertEquals(3, row.get("afterSelf").number());
  }

  @Test
  void stacksForOtherToolsHaveNoRangesOfThemEither() throws IOException {
    Cli.Result result = Cli.run("diff", before(), after(), "--to", "collapsed", "-o", "-", "-q");
    assertEquals(
        List.of("app.exe;app.exe!(unnamed) 2 3", "app.exe;ntdll.dll+0x100 2 1"), result.lines());
  }

  @Test
  void recordingsOfTheSameBuildsCompareRanges() throws IOException {
    Cli.Result result = Cli.run("diff", before(), before());
    assertFalse(result.out().contains("different builds"), result.out());
    assertTrue(result.out().contains("app.exe+0x100"), result.out());
  }
}

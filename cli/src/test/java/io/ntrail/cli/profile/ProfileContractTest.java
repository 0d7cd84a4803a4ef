package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON of {@code ntrail profile} against docs/schema/profile.schema.json. */
class ProfileContractTest {
  @TempDir private Path folder;

  private static void valid(JsonSchema schema, JsonReader json) {
    assertEquals(List.of(), schema.findings(json));
  }

  @Test
  void schemasAndPageKnowEveryMetric() throws IOException {
    Path docs = TestData.projectRoot().resolve("docs");
    String page = Files.readString(docs.resolve("profile.md"));
    String profile = Files.readString(docs.resolve("schema/profile.schema.json"));
    String diff = Files.readString(docs.resolve("schema/diff.schema.json"));
    for (String metric : ProfileTest.metrics()) {
      assertTrue(page.contains("`--metric " + metric + "`"), "docs/profile.md on " + metric);
      for (String schema : List.of(profile, diff)) {
        String known =
            schema.lines().filter(l -> l.contains("\"metric\": { \"enum\"")).findFirst().orElse("");
        assertTrue(known.contains('"' + metric + '"'), metric + " is none of " + known);
      }
    }
  }

  /** All looks of a profile, as far as the recording has something to add up. */
  private static void profiles(Path file, List<String> keys) throws IOException {
    JsonSchema flat = JsonSchema.named("profile");
    for (String metric : ProfileTest.metrics()) {
      Object[] words = {"profile", file, "--format", "json", "--metric", metric};
      Cli.Result first = Cli.run(words);
      if (first.exit() == 1) {
        continue;
      }
      assertEquals(0, first.exit(), first.err());
      valid(flat, first.json());
      assertEquals(0, first.json().get("rowsLeftOut").number());
      for (String by : keys) {
        JsonReader rows = Cli.run(with(words, "--by", by)).json();
        valid(flat, rows);
        for (JsonReader row : rows.get("rows").array()) {
          if (!by.equals("process")) {
            assertTrue(row.get("process").isNull() && row.get("pid").isNull(), row::toString);
          }
          assertEquals(by.equals("thread"), row.has("tid") && row.has("thread"));
        }
      }
      valid(flat.definition("tree"), Cli.run(with(words, "--tree")).json());
      valid(flat.definition("tree"), Cli.run(with(words, "--bottom-up", "-n", "2")).json());
      valid(flat.definition("callers"), Cli.run(with(words, "--callers", "nt*")).json());
      for (String line :
          Cli.run("profile", file, "--metric", metric, "--format", "jsonl").lines()) {
        valid(flat.definition("row"), JsonReader.parse(line));
      }
    }
  }

  private static Object[] with(Object[] words, Object... more) {
    return Stream.concat(Stream.of(words), Stream.of(more)).toArray();
  }

  @Test
  void profilesOfTheSample() throws IOException {
    Path file = Recordings.write(folder.resolve("sample.etl"), SampleRecording.make());
    List<String> keys = List.of("module", "process", "thread", "cpu");
    profiles(file, keys);
    profiles(TestData.projectRoot().resolve("samples/shop.etl"), keys);
    JsonReader few =
        Cli.run("profile", file, "--format", "json", "-n", "2", "--min", "1%", "-p", "shopd")
            .json();
    assertEquals(2, few.get("rows").array().size());
    JsonReader all = Cli.run("profile", file, "--format", "json", "-p", "shopd").json();
    assertEquals(all.get("rows").array().size() - 2, few.get("rowsLeftOut").number());
    assertEquals(all.get("rows").array().subList(0, 2), few.get("rows").array());
    assertEquals(
        List.of("shopd.exe"),
        few.get("scope").get("process").array().stream().map(p -> p.get("name").text()).toList());
  }

  @Test
  void profilesOfRealRecordings() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String name :
        List.of("perfview-net452-x64", "perfview-net45-x86-win7", "perfview-gcevents")) {
      profiles(TestData.file("etl/" + name + ".etl.gz"), List.of("thread"));
    }
  }
}

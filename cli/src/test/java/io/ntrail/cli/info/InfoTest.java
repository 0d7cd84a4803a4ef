package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.etl.TruthRecord;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members of {@code info} beyond its totals, against what the writer wrote. */
class InfoTest {
  @TempDir private Path folder;

  @Test
  void infoShowsMachineSamplesAndSources() throws IOException {
    EtlWriter writer = SampleRecording.make();
    Path file = Recordings.write(folder.resolve("sample.etl"), writer);
    JsonReader json = Cli.run("info", file, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("info").findings(json));
    assertEquals(
        JsonReader.parse(
            """
            {"computerName":"LAB-07","osMajor":10,"osMinor":0,"osBuild":26100,
             "buildLab":"26100.1.amd64fre.ge_release.240331-1435","productName":"Windows 11 Pro",
             "architecture":"x64","pointerBytes":8,"cpus":8,"mhz":2904,"memoryMiB":16384}\
            """),
        json.get("machine"));
    List<EtlRecord> records = writer.truth().stream().map(TruthRecord::record).toList();
    List<EtlRecord> samples =
        records.stream().filter(r -> r.group() == 0x0F && r.opcode() == 0x2E).toList();
    long busy = samples.stream().filter(r -> LittleEndian.getU32(r.payload(), 8) != 0).count();
    JsonReader sampling = json.get("sampling");
    assertEquals(
        List.of(new JsonReader(BigDecimal.valueOf(1_000_000))),
        sampling.get("intervalsNanos").array());
    assertEquals(samples.size(), sampling.get("samples").number());
    assertEquals(busy, sampling.get("busy").number());
    assertEquals(samples.size() - busy, sampling.get("idle").number());
    assertEquals(busy, sampling.get("busyWithStack").number(), "every busy one has a stack");
    JsonReader contents = json.get("contents");
    assertEquals(5, contents.get("processes").number());
    assertEquals(8, contents.get("threads").number());
    assertEquals(14, contents.get("images").number());
    assertEquals(14, contents.get("imagesWithPdbId").number());
    long stacks = records.stream().filter(r -> r.group() == 0x18).count();
    assertEquals(stacks, contents.get("stackRecords").number());
    assertEquals(records.size() - stacks, contents.get("events").number());
    List<JsonReader> sources = json.get("sources").array();
    assertEquals(
        contents.get("events").number(),
        sources.stream().mapToLong(source -> source.get("events").number()).sum());
    assertEquals("PerfInfo", sources.getFirst().get("task").text());
    assertTrue(sources.stream().allMatch(s -> s.get("decoded").equals(new JsonReader(true))));
    // Unknown values are null, never 0 or "".
    Path few = Recordings.write(folder.resolve("few.etl"), EtlShapes.secure(1, 20));
    JsonReader bare = Cli.run("info", few, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("info").findings(bare));
    assertTrue(bare.get("machine").get("computerName").isNull());
    assertTrue(bare.get("machine").get("memoryMiB").isNull());
    assertTrue(bare.get("contents").get("imagesWithPdbId").isNull());
  }
}

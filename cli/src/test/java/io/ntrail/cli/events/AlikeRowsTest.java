package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of {@code events --count} that have the same name say what tells them apart. */
class AlikeRowsTest {
  private static final int READ = 0x0A43;

  @TempDir private Path folder;

  private static EtlRecord read(int hook, int version, long time) {
    return EtlRecords.system(8, hook)
        .version(version)
        .time(time)
        .thread(100, 200)
        .payload(new LittleEndian().u64(0).u64(0).u64(0).u64(0))
        .build();
  }

  private List<String> rows(EtlRecord... records) throws IOException {
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    for (EtlRecord one : records) {
      writer.log(0, one);
    }
    Path file = Recordings.write(folder.resolve("rows.etl"), writer.flush());
    return Cli.run("events", file, "--count", "-e", "PerfInfo/SysClExit").lines().stream()
        .skip(1)
        .filter(line -> line.contains("PerfInfo"))
        .map(line -> line.substring(line.indexOf("PerfInfo")))
        .toList();
  }

  @Test
  void versionsOfOneEventAreToldApart() throws IOException {
    List<String> rows = rows(read(0x0F34, 2, 1000), read(0x0F34, 3, 2000));
    assertEquals(
        List.of("PerfInfo/SysClExit (version 2)", "PerfInfo/SysClExit (version 3)"),
        rows.stream().filter(row -> row.startsWith("PerfInfo/SysClExit (")).sorted().toList());
  }

  @Test
  void oneRowAloneNeedsNothing() throws IOException {
    List<String> rows = rows(read(0x0F34, 2, 1000), read(0x0F34, 2, 2000), read(READ, 3, 3000));
    assertEquals(1, rows.stream().filter("PerfInfo/SysClExit"::equals).count(), rows.toString());
  }
}

package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that end before their fields: no answer leaves them out without a word. */
class ShortPayloadsTest {
  private static final int SAMPLE = 0x0F2E;
  private static final int SWITCH = 0x0524;
  private static final int DISK_READ = 0x010A;
  private static final int SOFT_FAULT = 0x020B;

  @TempDir private Path folder;

  private Path recording(EtlSettings settings, List<EtlRecord> records) throws IOException {
    EtlWriter writer = new EtlWriter(settings);
    records.forEach(record -> writer.log(0, record));
    Path file = folder.resolve("short.etl");
    writer.writeTo(file);
    return file;
  }

  private static EtlRecord record(long time, int hook, int version, LittleEndian payload, int cut) {
    byte[] all = payload.toByteArray();
    return EtlRecords.perfInfo(8, hook)
        .version(version)
        .time(time)
        .payload(Arrays.copyOf(all, all.length - cut))
        .build();
  }

  /** One whole event and one that is cut, of each metric that is made of the kernel's events. */
  private Path file() throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    long time = settings.startTicks();
    LittleEndian change = new LittleEndian().u32(7).u32(0).u64(0).u32(0).u32(0);
    return recording(
        settings,
        List.of(
            record(time + 1, SAMPLE, 2, ProfilePayloads.sample(8, 0x1000, 7, 1, 0), 0),
            record(time + 2, SAMPLE, 2, ProfilePayloads.sample(8, 0x1000, 7, 1, 0), 10),
            record(time + 3, SWITCH, 2, change, 0),
            record(time + 4, SWITCH, 2, change, 18),
            record(time + 5, DISK_READ, 3, ProfilePayloads.disk(8, 3, 512, 9, 50, 7), 0),
            record(time + 6, DISK_READ, 3, ProfilePayloads.disk(8, 3, 512, 9, 50, 7), 14),
            record(time + 7, SOFT_FAULT, 2, ProfilePayloads.fault(8, 0x5000, 0x1000), 0),
            record(time + 8, SOFT_FAULT, 2, ProfilePayloads.fault(8, 0x5000, 0x1000), 8)));
  }

  @ParameterizedTest
  @CsvSource({"cpu,text", "cpu,csv", "wait,text", "disk,jsonl", "fault,csv", "fault,text"})
  void aProfileSaysThatAnEventIsNotIncluded(String metric, String format) throws IOException {
    Cli.Result result = Cli.run("profile", file(), "--metric", metric, "--format", format);
    assertEquals(3, result.exit(), result.err());
    assertTrue(result.err().contains("could not be read (payload)"), result.err());
    assertEquals(1, result.err().lines().filter(l -> l.contains("(payload)")).count());
    if (format.equals("text")) {
      assertTrue(result.out().contains("1 place could not be read"), result.out());
    }
  }

  @Test
  void aSumOrFilterOfAFieldSaysThatAnEventHasItNot() throws IOException {
    Path file = file();
    for (List<Object> words :
        List.<List<Object>>of(
            List.of("events", file, "-e", "DiskIo/Read", "--format", "jsonl"),
            List.of("events", file, "--count", "--where", "HighResResponseTime > 0"),
            List.of(
                "events",
                file,
                "-e",
                "DiskIo/Read",
                "--count",
                "--sum",
                "HighResResponseTime",
                "--format",
                "csv"))) {
      Cli.Result result = Cli.run(words.toArray());
      assertEquals(0, result.exit(), words + result.err());
      assertTrue(result.err().contains(" last field, the first in the buffer at"), result.err());
    }
  }
}

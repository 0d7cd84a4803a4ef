package io.ntrail.analysis.etw.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events that end before their last field are reported by whoever uses their fields. */
class ShortEventsTest {
  private static final int DISK_READ = 0x010A;

  private static EtwRecording recording(Path folder) throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    byte[] whole = ProfilePayloads.disk(8, 3, 512, 9, 50, 7).toByteArray();
    for (int cut : new int[] {0, 14}) {
      writer.log(
          0,
          EtlRecords.perfInfo(8, DISK_READ)
              .version(3)
              .time(settings.startTicks() + 1 + cut)
              .payload(Arrays.copyOf(whole, whole.length - cut))
              .build());
    }
    Path file = folder.resolve("short.etl");
    writer.writeTo(file);
    return EtwRecording.of(List.of(InputFile.map(file, "short.etl")));
  }

  @Test
  void fieldsThatMayNotBeUsedAreReportedByWhoeverUsesThem(@TempDir Path folder) throws IOException {
    EventFilter reads = new EventFilter.Builder().event("DiskIo/Read").build();
    try (EtwRecording recording = recording(folder)) {
      Events events = Events.of(recording, new SchemaSources(UserSchemas.NONE), 1);
      List<@Nullable Gap> found = new ArrayList<>();
      try (Events.Walk walk = events.walk(reads, Long.MIN_VALUE, Long.MAX_VALUE)) {
        while (walk.next()) {
          EventReader event = walk.event();
          found.add(event.unreported(event::payload));
        }
      }
      assertEquals(2, found.size());
      assertNull(found.getFirst());
      assertEquals(List.of(), recording.shortEvents().list());
      recording.shortEvents().add(found.getLast());
      assertEquals(found.subList(1, 2), recording.shortEvents().list());
    }
  }
}

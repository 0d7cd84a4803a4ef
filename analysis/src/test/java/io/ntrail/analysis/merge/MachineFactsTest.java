package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.Events.Learn;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Facts of the machine are all kept, and keeping them again adds nothing. */
class MachineFactsTest {
  @TempDir private Path folder;

  private static EtwRecording opened(byte[] file) {
    return EtwRecording.of(List.of(InputFile.of(file, "shop.etl")));
  }

  private static Events events(EtwRecording recording, Learn... also) {
    return Events.of(recording, new SchemaSources(UserSchemas.NONE), 1, also);
  }

  private byte[] facts(byte[] file) throws IOException {
    Path path = folder.resolve("facts.etl");
    try (EtwRecording recording = opened(file);
        SeekableByteChannel channel =
            Files.newByteChannel(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      RecordingCut.machineFacts(events(recording, Learn.SWITCHES), channel);
    }
    return Files.readAllBytes(path);
  }

  /** Returns names of events, and how many there are. */
  private static long count(byte[] file, Set<String> names) {
    long count = 0;
    try (EtwRecording recording = opened(file);
        Events.Walk walk = events(recording).walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        names.add(walk.event().type().text());
        count++;
      }
      assertTrue(recording.omissions().isEmpty());
    }
    return count;
  }

  @Test
  void eventsAreLeftOutAndProcessesStay() throws IOException {
    byte[] whole = SampleRecording.make().toByteArray();
    byte[] facts = facts(whole);
    Set<String> names = new TreeSet<>();
    long kept = count(facts, names);
    long all = count(whole, new TreeSet<>());
    assertTrue(kept < all / 4, kept + " of " + all);
    for (String name :
        List.of("Process/DCStart", "Process/Start", "Thread/DCStart", "Image/Load")) {
      assertTrue(names.contains(name), name + " in " + names);
    }
  }

  @Test
  void keepingThemAgainAddsNothing() throws IOException {
    byte[] once = facts(SampleRecording.make().toByteArray());
    byte[] twice = facts(once);
    assertEquals(count(once, new TreeSet<>()), count(twice, new TreeSet<>()));
    assertArrayEquals(twice, facts(twice));
  }
}

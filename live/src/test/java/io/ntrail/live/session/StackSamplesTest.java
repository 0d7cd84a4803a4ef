package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.SamplePlaces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places of a session file into which threads copy stacks. */
final class StackSamplesTest {
  private static final int AT = 0x1_0000;
  private static final int THREAD = 44;

  @TempDir Path folder;
  private SharedFile file;
  private StackSamples samples;

  @BeforeEach
  void create() throws IOException {
    long size = AT + SamplePlaces.BYTES;
    file = SharedFile.create(List.of(folder), "places", size, size);
    samples = new StackSamples(file, new SamplePlaces(AT, 10));
  }

  @AfterEach
  void close() {
    file.close();
  }

  private void set(int number, int state, int thread) {
    file.setU32(samples.layout().place(number) + SamplePlaces.THREAD, thread);
    file.setU32Release(samples.layout().place(number), state);
  }

  private int state(int number) {
    return file.u32Acquire(samples.layout().place(number));
  }

  @Test
  void placesThatAreWrittenAreFreeWhenTheyWereCopied() {
    set(3, SamplePlaces.WRITTEN, THREAD);
    samples.collect();
    assertEquals(SamplePlaces.FREE, state(3));
    assertEquals(0, file.u32(samples.layout().place(3) + SamplePlaces.THREAD));
    assertEquals(THREAD, samples.take(5).getFirst().i32(SamplePlaces.THREAD));
  }

  @Test
  void aPlaceOfAThreadThatEndedWhileItFilledItIsFreed() {
    set(0, SamplePlaces.CLAIMED, THREAD);
    assertEquals(false, samples.areStuck(), "it may just be filling it");
    assertEquals(true, samples.areStuck());
    samples.freeOthers(Set.of(THREAD + 4));
    assertEquals(SamplePlaces.FREE, state(0));
    assertEquals(1, samples.missed());
    assertEquals(false, samples.areStuck());
  }

  @Test
  void aPlaceOfAThreadThatLivesIsLeftToIt() {
    set(0, SamplePlaces.CLAIMED, THREAD);
    samples.areStuck();
    samples.areStuck();
    samples.freeOthers(Set.of(THREAD));
    assertEquals(SamplePlaces.CLAIMED, state(0));
    assertEquals(0, samples.missed());
  }

  @Test
  void aPlaceOfWhichTheThreadIsNotKnownYetIsNeverFreed() {
    set(0, SamplePlaces.CLAIMED, 0);
    samples.areStuck();
    assertEquals(false, samples.areStuck());
    samples.freeOthers(Set.of());
    assertEquals(SamplePlaces.CLAIMED, state(0));
  }

  @Test
  void placesThatAreStillClaimedAtTheEndAreMissed() {
    set(0, SamplePlaces.CLAIMED, THREAD);
    set(63, SamplePlaces.CLAIMED, 0);
    assertEquals(2, samples.unfinished());
  }
}

package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.live.code.RecordLayout;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.live.SimulatedTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Layout of a session file as the target finds it. */
class SessionFileTest {
  @TempDir Path folder;

  @Test
  void aTargetFindsWhatItNeeds() throws IOException {
    try (SessionFile session = SessionFile.create(folder, 64, 5);
        SimulatedTarget target = SimulatedTarget.map(session.path())) {
      assertEquals(SimulatedTarget.chunk(5), Files.size(session.path()));
      assertEquals(64, target.recordBytes());
      assertEquals(5, target.chunks());
      assertEquals(5, target.chunksFree());
      assertFalse(target.enabled());
      session.enable(true);
      assertTrue(target.enabled());
      session.enable(false);
      assertFalse(target.enabled());
      target.thread(1, 2);
      assertEquals(1, session.threadsBegun());
    }
  }

  @Test
  void aGrowingSessionHasMoreChunksUntilItsMemoryIsTaken() throws IOException {
    BufferMemory memory = BufferMemory.of(20 * 65_536);
    try (SessionFile session = SessionFile.create(List.of(folder), 32, 4, 64, memory);
        SimulatedTarget target = SimulatedTarget.map(session.path())) {
      assertTrue(target.grows());
      assertEquals(10, session.grow(10));
      assertEquals(14, target.chunks());
      assertEquals(14, target.chunksFree());
      assertTrue(target.grows());
      try (SessionFile other = SessionFile.create(List.of(folder), 32, 4, 64, memory)) {
        assertEquals(2, other.grow(10), "4 + 10 + 4 of 20 are taken");
        assertFalse(other.canGrow());
      }
      assertEquals(6, session.grow(10), "the other one has given its own back");
      assertFalse(target.grows());
      assertEquals(20, target.chunksFree());
    }
  }

  @Test
  void aLowLimitHoldsFromTheStartButForTheFewestChunks() throws IOException {
    BufferMemory memory = BufferMemory.of(7 * 65_536);
    try (SessionFile first = SessionFile.create(List.of(folder), 32, 6, 64, memory);
        SessionFile second = SessionFile.create(List.of(folder), 32, 6, 64, memory)) {
      assertEquals(6, first.chunks());
      assertEquals(2, second.chunks());
      assertEquals(0, second.grow(2));
    }
    try (SessionFile later = SessionFile.create(List.of(folder), 32, 64, 64, memory)) {
      assertEquals(7, later.chunks());
      assertEquals(0, later.grow(1));
      assertFalse(later.canGrow());
    }
  }

  @Test
  void aSessionHasNoMoreChunksThanPlaces() throws IOException {
    BufferMemory memory = BufferMemory.of(1L << 40);
    try (SessionFile session = SessionFile.create(List.of(folder), 32, 4, 9, memory);
        SimulatedTarget target = SimulatedTarget.map(session.path())) {
      assertEquals(4, session.grow(4));
      assertTrue(target.grows());
      assertEquals(1, session.grow(4));
      assertFalse(target.grows());
      assertEquals(9, session.chunks());
    }
  }

  @Test
  void areasAreTakenInTheOrderInWhichTheyWereOffered() throws IOException {
    try (SessionFile session = SessionFile.create(folder, 32, 2);
        SimulatedTarget target = SimulatedTarget.map(session.path())) {
      assertEquals(-1, target.takeArea());
      assertEquals(1, session.entriesWithoutArea());
      for (int i = 0; i < 4096; i++) {
        assertEquals(i, session.addArea(0x1_0000_0000L * i));
      }
      assertThrows(IllegalStateException.class, () -> session.addArea(1));
      // Three times round the ring.
      int taken = 0;
      for (int i = 0; i < 3 * 4096; i++) {
        session.offerArea(4095 - i % 4096);
        if (i % 3 != 0) {
          assertEquals(4095 - taken++ % 4096, target.takeArea());
        }
        if (i == 9_000) {
          while (session.areasFree() > 0) {
            assertEquals(4095 - taken++ % 4096, target.takeArea());
          }
        }
      }
      assertEquals(3 * 4096 - taken, session.areasFree());
      assertThrows(IllegalArgumentException.class, () -> session.offerArea(4096));
    }
  }

  @Test
  void argumentsOf32BitCodeAreBothRegistersAndThenTheStack() {
    assertEquals(List.of(), RecordLayout.of(32).argumentPlaces(4));
    assertEquals(List.of(5, 6, 17, 18), RecordLayout.of(64).argumentPlaces(4));
    assertEquals(
        List.of(5, 6, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26),
        RecordLayout.of(128).argumentPlaces(4));
  }

  @Test
  void argumentsAreRegistersAndThenTheStack() throws IOException {
    Map<Integer, List<Integer>> places =
        Map.of(
            32,
            List.of(),
            64,
            List.of(1, 2, 3, 4),
            128,
            List.of(1, 2, 3, 4, 21, 22, 23, 24, 25, 26, 27, 28));
    for (int bytes : places.keySet()) {
      try (SessionFile session = SessionFile.create(folder, bytes, 2)) {
        assertEquals(places.get(bytes), session.records().argumentPlaces(8));
      }
    }
  }

  @Test
  void sizesThatCannotBeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> SessionFile.create(folder, 48, 2));
    assertThrows(IllegalArgumentException.class, () -> SessionFile.create(folder, 32, 1));
    assertThrows(IllegalArgumentException.class, () -> SessionFile.create(folder, 32, 65_537));
  }

  @Test
  void functionsAreFoundByTheirAddress() {
    Property.check(gen -> {
      FunctionNumbers numbers = new FunctionNumbers();
      Map<Integer, Integer> truth = new HashMap<>();
      for (int i = gen.length(5000); i >= 0; i--) {
        int address = (int) gen.scaled();
        numbers.put(address, i + 1);
        truth.put(address, i + 1);
      }
      truth.forEach((address, number) -> assertEquals(number, numbers.of(address)));
      for (int i = 0; i < 100; i++) {
        int address = (int) gen.scaled();
        assertEquals(truth.getOrDefault(address, 0), numbers.of(address));
      }
    });
  }
}

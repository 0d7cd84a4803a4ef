package io.ntrail.testkit.etl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.DescribedEvent;
import io.ntrail.testkit.described.ReferenceEventReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SampleRecordingTest {
  private final List<TruthRecord> truth = SampleRecording.make().truth();

  @Test
  void itIsSmallAndAlwaysTheSame() {
    byte[] file = SampleRecording.make().toByteArray();
    assertTrue(file.length < 300_000, () -> file.length + " bytes");
    assertArrayEquals(file, SampleRecording.make().toByteArray());
    assertEquals(Damage.bufferOffsets(file).size(), LittleEndian.getU32(file, 72 + 32 + 36));
  }

  @Test
  void itIsTheFileThatComesWithTheProject() throws IOException {
    Path file = TestData.projectRoot().resolve("samples/shop.etl");
    assertArrayEquals(Files.readAllBytes(file), SampleRecording.make().toByteArray());
  }

  @Test
  void itsProgramsSpeakInEveryKindOfDescribedEvent() {
    ReferenceEventReader reader = ReferenceEventReader.of(SampleRecording.make().toByteArray());
    List<DescribedEvent> app = described(reader, SampleRecording.SHOP_APP, "Shop-App");
    Set<String> names = new TreeSet<>(app.stream().map(DescribedEvent::event).toList());
    Set<String> all = Set.of("OrderPlaced", "Request", "SessionOpened", "StockLow", "StoreFailed");
    assertEquals(new TreeSet<>(all), names);
    DescribedEvent order =
        app.stream().filter(e -> e.event().equals("OrderPlaced")).findFirst().orElseThrow();
    assertEquals("customer", order.fields().get(1).name());
    assertTrue(
        String.valueOf(order.fields().get(2).value()).matches("2026-03-14T.*Z"), order::toString);

    List<DescribedEvent> store = described(reader, SampleRecording.SHOP_STORE, "Shop-Store");
    assertTrue(store.stream().anyMatch(e -> e.flat().toString().contains("State = 1 (Paid)")));
    assertTrue(store.stream().anyMatch(e -> e.flat().toString().contains("(Express|Gift)")));
    assertTrue(store.stream().anyMatch(e -> e.flat().toString().contains("Shelves[1].Pieces")));
    assertTrue(store.stream().allMatch(e -> e.by() == DescribedEvent.By.EVENT_INFO));

    List<DescribedEvent> pages = described(reader, SampleRecording.SHOP_PAGES, "Shop-Pages");
    assertTrue(pages.stream().allMatch(e -> e.by() == DescribedEvent.By.EVENT_SOURCE));
    assertTrue(pages.stream().anyMatch(e -> e.flat().toString().contains("(Search)")));
    assertEquals(
        5, described(reader, SampleRecording.DNS_CLIENT, "Microsoft-Windows-DNS-Client").size());
  }

  private static List<DescribedEvent> described(
      ReferenceEventReader reader, UUID provider, String name) {
    List<DescribedEvent> found = reader.readAll(provider.toString());
    for (DescribedEvent event : found) {
      assertEquals(name, event.provider());
      assertTrue(event.complete(), event::toString);
    }
    assertTrue(found.size() > 2, name);
    return found;
  }

  @Test
  void pathsAreOfDevicesAndVolumesHaveLetters() {
    List<String> texts =
        truth.stream()
            .map(t -> new String(t.record().payload(), StandardCharsets.UTF_16LE))
            .toList();
    assertTrue(texts.contains("\\Device\\HarddiskVolume3\\\0C:\\\0"));
    for (int hook : new int[] {0x0440, 0x0424, 0x0444, 0x010A, 0x010B, 0x0B0A, 0x0B0B, 0x0B0C}) {
      assertTrue(count(hook) > 0, () -> "no record " + Integer.toHexString(hook));
    }
    assertEquals(count(0x010B), count(0x010D));
  }

  @Test
  void samplesAreOfTheRunningThreadInLoadedImages() {
    Map<Integer, Long> running = new HashMap<>();
    Map<Long, Long> processOf = new HashMap<>();
    Map<Long, Map<Long, Long>> images = new HashMap<>();
    int busy = 0;
    for (TruthRecord t : truth) {
      byte[] payload = t.record().payload();
      switch (t.record().group() < 0 ? -1 : t.record().id()) {
        case 0x0501, 0x0503 ->
            processOf.put(LittleEndian.getU32(payload, 4), LittleEndian.getU32(payload, 0));
        case 0x1403, 0x030A ->
            images
                .computeIfAbsent(LittleEndian.getU32(payload, 16), p -> new HashMap<>())
                .put(LittleEndian.getU64(payload, 0), LittleEndian.getU64(payload, 8));
        case 0x1402 ->
            images
                .getOrDefault(LittleEndian.getU32(payload, 16), new HashMap<>())
                .remove(LittleEndian.getU64(payload, 0));
        case 0x0524 -> {
          assertEquals(running.getOrDefault(t.cpu(), 0L), LittleEndian.getU32(payload, 4));
          running.put(t.cpu(), LittleEndian.getU32(payload, 0));
        }
        case 0x0F2E -> {
          long tid = LittleEndian.getU32(payload, 8);
          assertEquals(running.getOrDefault(t.cpu(), 0L), tid);
          long ip = LittleEndian.getU64(payload, 0);
          long pid = ip < 0 ? 0 : processOf.getOrDefault(tid, -1L);
          assertTrue(
              images.getOrDefault(pid, Map.of()).entrySet().stream()
                  .anyMatch(e -> ip >= e.getKey() && ip < e.getKey() + e.getValue()),
              () -> Long.toHexString(ip) + " of " + tid);
          busy += tid != 0 ? 1 : 0;
        }
        default -> {}
      }
    }
    assertTrue(busy > 400, "busy samples: " + busy);
  }

  @Test
  void everyStackHasItsEvent() {
    Set<Long> times = new HashSet<>();
    int stacks = 0;
    for (TruthRecord t : truth) {
      if (t.record().group() >= 0 && t.record().id() == 0x1820) {
        stacks++;
        assertTrue(times.contains(LittleEndian.getU64(t.record().payload(), 0)));
      } else {
        times.add(t.time());
      }
    }
    assertTrue(stacks > 500);
  }

  @Test
  void theShortProcessStartsAndEnds() {
    assertEquals(1, count(0x0301));
    assertEquals(1, count(0x0302));
    assertEquals(1, count(0x0501));
    assertEquals(1, count(0x0502));
    assertEquals(count(0x030A), count(0x1402));
    assertTrue(count(0x010A) > 0);
    assertEquals(count(0x010A), count(0x010C));
  }

  private long count(int hook) {
    return truth.stream().filter(t -> t.record().group() >= 0 && t.record().id() == hook).count();
  }
}

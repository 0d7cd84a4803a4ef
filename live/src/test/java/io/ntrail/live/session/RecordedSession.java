package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Contents of a {@code .ntr} by thread: records as texts, and how many were lost between them. Read
 * with an independent reader.
 */
final class RecordedSession {
  static final NtrHeader HEADER =
      new NtrHeader(
          NtrHeader.ONE_CLOCK,
          2_500_000_000L,
          1_000,
          0,
          0x8664,
          8,
          NtrHeader.TIME_STAMP_COUNTER,
          "test");

  private final Map<ThreadKey, List<String>> items = new HashMap<>();
  private final ReferenceNtrReader plain;

  private RecordedSession(byte[] file) {
    plain = ReferenceNtrReader.read(file);
    Map<Long, ThreadKey> threads = new HashMap<>();
    plain
        .definitions()
        .forEach((what, text) -> {
          if (what.matches("thread \\d+")) {
            String[] fields = text.split(" ", -1);
            threads.put(
                Long.parseLong(what.substring(7)),
                new ThreadKey((int) Long.parseLong(fields[1]), Long.parseLong(fields[2])));
          }
        });
    Map<Long, Integer> told = new HashMap<>();
    for (ReferenceNtrReader.Chunk chunk : plain.chunks()) {
      ThreadKey key = Objects.requireNonNull(threads.get(chunk.thread()), "no definition");
      List<String> of = items.computeIfAbsent(key, k -> new ArrayList<>());
      lost(of, chunk.lost());
      int from = told.getOrDefault(chunk.thread(), 0);
      List<ReferenceNtrReader.Event> events =
          plain.events().getOrDefault(chunk.thread(), List.of());
      for (ReferenceNtrReader.Event event : events.subList(from, from + chunk.events())) {
        of.add(text(event));
      }
      told.put(chunk.thread(), from + chunk.events());
    }
  }

  /** Reads a file that is whole as far as it goes. */
  static RecordedSession read(byte[] file) {
    RecordedSession recorded = new RecordedSession(file);
    assertEquals(List.of(), recorded.plain.holes(), "holes");
    return recorded;
  }

  /** Reads a file that ends anywhere. */
  static RecordedSession readCut(byte[] file) {
    return new RecordedSession(file);
  }

  /** Reads with the program's reader, which must see the same number of events, and no gaps. */
  static void readByNtrail(byte[] file) {
    Gaps gaps = new Gaps();
    long events = 0;
    try (NtrFile ntr = NtrFile.open(InputFile.of(file, "test.ntr"), gaps)) {
      for (long thread : ntr.threadsWithEvents()) {
        try (ThreadEventCursor cursor = ntr.cursor(thread, gaps)) {
          while (cursor.next()) {
            events++;
          }
        }
      }
    }
    assertEquals(List.of(), gaps.list());
    long expected =
        ReferenceNtrReader.read(file).events().values().stream().mapToLong(List::size).sum();
    assertEquals(expected, events);
  }

  ReferenceNtrReader plain() {
    return plain;
  }

  /** The records of each thread, with losses between them as {@code lost N}. */
  Map<ThreadKey, List<String>> items() {
    return items;
  }

  List<String> of(ThreadKey key) {
    return items.getOrDefault(key, List.of());
  }

  static void lost(List<String> items, long records) {
    if (records == 0) {
      return;
    }
    long sum = records;
    if (!items.isEmpty() && items.getLast().startsWith("lost ")) {
      sum += Long.parseLong(items.removeLast().substring(5));
    }
    items.add("lost " + sum);
  }

  static long records(List<String> items) {
    return items.stream().filter(item -> !item.startsWith("lost ")).count();
  }

  private static String text(ReferenceNtrReader.Event event) {
    boolean placed = event.kind() != SessionLayout.ENTRY_ONLY;
    return text(
        event.kind(),
        event.ticks(),
        event.function(),
        placed ? event.area() : 0,
        placed ? event.slot() : 0,
        event.key(),
        event.value(),
        event.values());
  }

  static String text(
      int kind,
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long value,
      List<Long> values) {
    return "%d at %d: %d, %d.%d, key %x, %x %s"
        .formatted(kind, ticks, function, area, slot, key, value, values);
  }
}

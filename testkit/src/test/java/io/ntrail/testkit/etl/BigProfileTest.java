package io.ntrail.testkit.etl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.RawRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Reads a small recording again, with nothing but tables, and adds up by docs/profile.md. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BigProfileTest {
  private static final int STACKS = 6000;
  private static final long START = EtlSettings.windows11().startTicks();

  private byte[] file = {};
  private ProfileTruth truth = new ProfileTruth(START);
  private List<Rec> records = List.of();

  /** A record of the data buffers; the payload is copied. */
  private static final class Rec {
    final int buffer;
    final int cpu;
    final int hook;
    final long time;
    final byte[] payload;

    Rec(int buffer, int cpu, int hook, long time, byte[] payload) {
      this.buffer = buffer;
      this.cpu = cpu;
      this.hook = hook;
      this.time = time;
      this.payload = payload;
    }

    long u32(int at) {
      return LittleEndian.getU32(payload, at);
    }

    long u64(int at) {
      return LittleEndian.getU64(payload, at);
    }
  }

  private record Span(long from, long to, long base, long size, String name) {}

  private record Life(long from, long owner, String name) {}

  @BeforeAll
  void writeAndRead(@TempDir Path folder) throws IOException {
    Path path = folder.resolve("profile.etl");
    truth = BigProfile.write(path, 24_000_000, STACKS, 5);
    file = Files.readAllBytes(path);
    List<Rec> read = new ArrayList<>();
    List<Integer> buffers = Damage.bufferOffsets(file);
    for (int i = 1; i < buffers.size(); i++) {
      int cpu = LittleEndian.getU16(file, buffers.get(i) + 0x28);
      for (int at : Damage.recordOffsets(file, i)) {
        int type = file[at + 2];
        int header = type == 17 ? 16 : type == 2 ? 32 : 80;
        int size = LittleEndian.getU16(file, at + (type == 19 ? 0 : 4));
        int hook = type == 19 ? -1 : LittleEndian.getU16(file, at + 6);
        long time = LittleEndian.getU64(file, at + (type == 17 ? 8 : 16));
        read.add(new Rec(i, cpu, hook, time, Arrays.copyOfRange(file, at + header, at + size)));
      }
    }
    read.sort(Comparator.comparingLong(r -> r.time));
    records = List.copyOf(read);
  }

  private long count(String what) {
    return truth.counts().getOrDefault(what, 0L);
  }

  private List<Rec> of(int... hooks) {
    Set<Integer> wanted = new HashSet<>(Arrays.stream(hooks).boxed().toList());
    return records.stream().filter(r -> wanted.contains(r.hook)).toList();
  }

  @Test
  void aSmallOneIsTheFileThatComesWithTheProject(@TempDir Path folder) throws IOException {
    // After a change: java -cp testkit/target/classes io.ntrail.testkit.etl.BigProfile
    // samples/busy.etl 1
    Path again = folder.resolve("busy.etl");
    BigProfile.write(again, 1_000_000, BigProfile.DEFAULT_STACKS, 1);
    Path file = TestData.projectRoot().resolve("samples/busy.etl");
    assertArrayEquals(Files.readAllBytes(file), Files.readAllBytes(again));
  }

  @Test
  void sameSizeAndSeedGiveTheSameBytes(@TempDir Path folder) throws IOException {
    Path again = folder.resolve("again.etl");
    ProfileTruth other = BigProfile.write(again, 24_000_000, STACKS, 5);
    assertArrayEquals(file, Files.readAllBytes(again));
    assertEquals(truth.json(), other.json());
    BigProfile.write(again, 24_000_000, STACKS, 6);
    assertTrue(!Arrays.equals(file, Files.readAllBytes(again)));
  }

  @Test
  void itHasItsExpectedContent() {
    assertEquals(file.length, count("bytes"));
    assertTrue(file.length > 23_000_000 && file.length < 28_000_000, () -> "" + file.length);
    assertEquals(count("buffers"), Damage.bufferOffsets(file).size());
    assertEquals(count("buffers"), LittleEndian.getU32(file, 72 + 32 + 36));
    assertEquals(count("records"), records.size() + 1);
    assertEquals(count("recordsEvent64"), RawRecord.all(file).size());
    assertEquals(count("recordsEvent64"), of(-1).size());
    assertEquals(records.size(), records.stream().mapToLong(r -> r.time).distinct().count());
    Map<String, Integer> hooks = new TreeMap<>();
    hooks.put("contextSwitches", 0x0524);
    hooks.put("kernelReferences", 0x1825);
    hooks.put("userReferences", 0x1826);
    hooks.put("distinctStacks", 0x1824);
    hooks.put("processStarts", 0x0301);
    hooks.put("processEnds", 0x0302);
    hooks.put("threadStarts", 0x0501);
    hooks.put("threadEnds", 0x0502);
    hooks.put("imageLoads", 0x030A);
    hooks.put("imageUnloads", 0x1402);
    hooks.put("hardFaults", 0x0220);
    hooks.forEach((name, hook) -> {
      assertEquals(of(hook).size(), count(name), name);
      assertTrue(count(name) > 10, name);
    });
    assertEquals(of(0x0220).stream().mapToLong(r -> r.u32(36)).sum(), count("hardFaultBytes"));
    assertEquals(BigProfile.INTERVAL, of(0x0F49).getFirst().u32(4));
    boolean disordered = false;
    long last = 0;
    for (int at : Damage.bufferOffsets(file)) {
      disordered |= LittleEndian.getU64(file, at + 0x18) < last;
      last = LittleEndian.getU64(file, at + 0x18);
    }
    assertTrue(disordered);
  }

  @Test
  void definitionsStandAtTheEndAndDefineEveryKeyOnce() {
    List<Rec> definitions = of(0x1824);
    List<Rec> references = of(0x1825, 0x1826);
    assertEquals(count("references"), references.size());
    long first = definitions.getFirst().time;
    assertEquals(count("firstDefinitionNanos"), (first - START) * 100);
    int lastBuffer = 0;
    for (Rec r : records) {
      assertTrue(r.hook == 0x1824 || r.time < first);
      lastBuffer = r.hook == 0x1824 ? lastBuffer : Math.max(lastBuffer, r.buffer);
    }
    Set<Long> keys = new HashSet<>();
    Set<List<Long>> stacks = new HashSet<>();
    Map<List<Long>, Integer> prefixes = new HashMap<>();
    for (Rec r : definitions) {
      assertTrue(r.buffer > lastBuffer);
      assertTrue(keys.add(r.u64(0)));
      List<Long> frames = new ArrayList<>(frames(r)).reversed();
      assertTrue(frames.size() >= 10 && frames.size() <= 40, () -> frames.size() + " frames");
      assertTrue(stacks.add(frames), () -> "twice: " + frames);
      for (int i = 1; i <= frames.size(); i++) {
        prefixes.merge(List.copyOf(frames.subList(0, i)), 1, Integer::sum);
      }
    }
    double alone = prefixes.values().stream().filter(n -> n == 1).count();
    double average = alone / definitions.size();
    assertTrue(average >= 2 && average <= 4, () -> "frames not shared: " + average);
    assertTrue(definitions.size() > STACKS * 0.7, () -> definitions.size() + " stacks");
    Set<Long> named = new HashSet<>();
    references.forEach(r -> named.add(r.u64(16)));
    assertEquals(named, keys);
  }

  private static List<Long> frames(Rec definition) {
    List<Long> out = new ArrayList<>();
    for (int at = 8; at < definition.payload.length; at += 8) {
      out.add(definition.u64(at));
    }
    return out;
  }

  @Test
  void everyReferenceNamesAnEventOfItsThread() {
    Map<Long, Rec> events = new HashMap<>();
    of(0x0F2E, 0x010C).forEach(r -> events.put(r.time, r));
    int late = 0;
    for (Rec r : of(0x1825, 0x1826)) {
      Rec event = events.get(r.u64(0));
      assertNotNull(event);
      assertTrue(event.time < r.time);
      assertEquals(event.u32(8), r.u32(12));
      late += r.time - event.time > 2 ? 1 : 0;
    }
    assertTrue(late > 100);
    assertTrue(late >= count("delayedReferences") * 0.95);
  }

  @Test
  void switchesOfACpuFollowEachOtherAndSamplesAreOfTheRunningThread() {
    long[] running = new long[BigProfile.CPUS];
    Map<Long, Integer> where = new HashMap<>();
    Map<Long, Long> waiting = new HashMap<>();
    Map<Long, String> names = new HashMap<>();
    Map<Long, String> threads = new HashMap<>();
    Map<String, Long> waits = new TreeMap<>();
    long waited = 0;
    for (Rec r : records) {
      switch (r.hook) {
        case 0x0301, 0x0303 -> names.put(r.u32(8), name(r));
        case 0x0501, 0x0503 -> {
          threads.put(r.u32(4), names.getOrDefault(r.u32(0), "?"));
          waiting.remove(r.u32(4));
        }
        case 0x0502 -> assertEquals(running[r.cpu], r.u32(4));
        case 0x0524 -> {
          long in = r.u32(0);
          long out = r.u32(4);
          assertNotEquals(in, out);
          assertEquals(running[r.cpu], out);
          where.remove(out);
          running[r.cpu] = in;
          if (in != 0) {
            assertEquals(null, where.put(in, r.cpu));
          }
          Long left = waiting.remove(in);
          if (left != null) {
            waits.merge(threads.getOrDefault(in, "?"), (r.time - left) * 100, Long::sum);
            waited++;
          }
          if (r.payload[14] == 5 && out != 0) {
            waiting.put(out, r.time);
          }
        }
        case 0x0F2E -> assertEquals(running[r.cpu], r.u32(8));
        default -> {}
      }
    }
    assertEquals(waits, truth.waitNanosByProcess());
    assertEquals(waited, count("waits"));
    assertEquals(waiting.size(), count("unfinishedWaits"));
  }

  private static String name(Rec process) {
    // A pointer and the attributes, then the SID: its length follows from its second byte.
    int sid = 36 + 16;
    int at = sid + 8 + 4 * process.payload[sid + 1];
    int end = at;
    while (process.payload[end] != 0) {
      end++;
    }
    return new String(process.payload, at, end - at, StandardCharsets.US_ASCII);
  }

  @Test
  void idsAreUsedAgain() {
    Set<Long> pids = new HashSet<>();
    Set<Long> tids = new HashSet<>();
    long pidsAgain = of(0x0301, 0x0303).stream().filter(r -> !pids.add(r.u32(8))).count();
    long tidsAgain = of(0x0501, 0x0503).stream().filter(r -> !tids.add(r.u32(4))).count();
    assertTrue(pidsAgain + tidsAgain > 3, () -> pidsAgain + " " + tidsAgain);
  }

  private final Map<Long, List<Life>> processes = new HashMap<>();
  private final Map<Long, List<Life>> threads = new HashMap<>();
  private final Map<Long, List<Span>> images = new HashMap<>();

  private void collectNames() {
    for (Rec r : records) {
      switch (r.hook) {
        case 0x0301, 0x0303 ->
            processes
                .computeIfAbsent(r.u32(8), p -> new ArrayList<>())
                .add(new Life(r.hook == 0x0303 ? 0 : r.time, 0, name(r)));
        case 0x0501, 0x0503 ->
            threads
                .computeIfAbsent(r.u32(4), p -> new ArrayList<>())
                .add(new Life(r.hook == 0x0503 ? 0 : r.time, r.u32(0), ""));
        case 0x030A, 0x1403 -> {
          String path = new String(r.payload, 56, r.payload.length - 58, StandardCharsets.UTF_16LE);
          Span span =
              new Span(
                  r.hook == 0x1403 ? 0 : r.time,
                  Long.MAX_VALUE,
                  r.u64(0),
                  r.u64(8),
                  path.substring(path.lastIndexOf('\\') + 1));
          images.computeIfAbsent(r.u32(16), p -> new ArrayList<>()).add(span);
        }
        case 0x1402 -> endSpans(r.u32(16), r.time, r.u64(0));
        case 0x0302 -> endSpans(r.u32(8), r.time, -1);
        default -> {}
      }
    }
  }

  private void endSpans(long pid, long time, long base) {
    images
        .getOrDefault(pid, List.of())
        .replaceAll(s ->
            s.to == Long.MAX_VALUE && (base == -1 || s.base == base)
                ? new Span(s.from, time, s.base, s.size, s.name)
                : s);
  }

  private static Life at(List<Life> lives, long time) {
    return lives.stream().filter(l -> l.from <= time).reduce((a, b) -> b).orElseThrow();
  }

  private String module(long pid, long address, long time) {
    return images.getOrDefault(address < 0 ? 0 : pid, List.of()).stream()
        .filter(s -> s.from <= time && time < s.to)
        .filter(s -> address >= s.base && address < s.base + s.size)
        .map(Span::name)
        .findFirst()
        .orElse("(unknown)");
  }

  @Test
  void sumsAreThoseOfTheRulesInAllAndInEverySlice() {
    collectNames();
    Map<Long, List<Long>> byKey = new HashMap<>();
    of(0x1824).forEach(r -> byKey.put(r.u64(0), frames(r)));
    Map<Long, List<Rec>> stacks = new HashMap<>();
    of(0x1825, 0x1826)
        .forEach(r -> stacks.computeIfAbsent(r.u64(0), t -> new ArrayList<>()).add(r));
    List<ProfileTruth.Sums> wanted = new ArrayList<>(truth.slices());
    assertEquals(10, wanted.size());
    wanted.add(truth.total());
    long border = 0;
    for (ProfileTruth.Sums slice : truth.slices()) {
      assertEquals(border, slice.fromNanos());
      assertEquals(truth.total().toNanos() / 10, slice.toNanos() - slice.fromNanos());
      border = slice.toNanos();
      assertTrue(slice.busy() > 1000 && slice.diskCount() > 20, slice::toString);
    }
    for (ProfileTruth.Sums slice : wanted) {
      assertEquals(slice, sums(slice.fromNanos(), slice.toNanos(), stacks, byKey));
    }
    assertTrue(truth.total().selfByModule().size() > 50);
    assertTrue(truth.total().inclusiveByModule().containsKey("(unknown)"));
    assertEquals(0, truth.total().fromNanos());
    assertTrue(border >= count("firstDefinitionNanos") - 100_000);
    Map<String, Long> disk = new TreeMap<>();
    for (Rec r : of(0x010A)) {
      disk.merge(process(r.u32(48), r.time), r.u64(40) * 100, Long::sum);
    }
    assertEquals(disk, truth.diskNanosByProcess());
  }

  private String process(long tid, long time) {
    long pid = at(threads.getOrDefault(tid, List.of()), time).owner;
    return at(processes.getOrDefault(pid, List.of()), time).name;
  }

  private ProfileTruth.Sums sums(
      long fromNanos, long toNanos, Map<Long, List<Rec>> stacks, Map<Long, List<Long>> byKey) {
    long busy = 0;
    long idle = 0;
    long diskCount = 0;
    long diskNanos = 0;
    long diskBytes = 0;
    Map<String, Long> byProcess = new TreeMap<>();
    Map<String, Long> self = new TreeMap<>();
    Map<String, Long> inclusive = new TreeMap<>();
    for (Rec r : records) {
      long nanos = (r.time - START) * 100;
      if (nanos < fromNanos || nanos >= toNanos) {
        continue;
      }
      if (r.hook == 0x010A) {
        diskCount++;
        diskNanos += r.u64(40) * 100;
        diskBytes += r.u32(8);
      } else if (r.hook == 0x0F2E && r.u32(8) == 0 && (r.payload[14] & 3) == 0) {
        idle++;
      } else if (r.hook == 0x0F2E) {
        busy++;
        long pid = at(threads.getOrDefault(r.u32(8), List.of()), r.time).owner;
        byProcess.merge(process(r.u32(8), r.time), 1L, Long::sum);
        String innermost = module(pid, r.u64(0), r.time);
        self.merge(innermost, 1L, Long::sum);
        Set<String> modules = new TreeSet<>(Set.of(innermost));
        for (Rec part : stacks.getOrDefault(r.time, List.of())) {
          for (long frame : byKey.getOrDefault(part.u64(16), List.of())) {
            modules.add(module(pid, frame, r.time));
          }
        }
        modules.forEach(module -> inclusive.merge(module, 1L, Long::sum));
      }
    }
    return new ProfileTruth.Sums(
        fromNanos, toNanos, busy, idle, byProcess, self, inclusive, diskCount, diskNanos,
        diskBytes);
  }

  @Test
  void bordersAreExactDecimalSeconds() {
    assertEquals("0.000000000", ProfileTruth.seconds(0));
    assertEquals("12.000000700", ProfileTruth.seconds(12_000_000_700L));
    String json = truth.json();
    for (ProfileTruth.Sums slice : truth.slices()) {
      assertTrue(json.contains("\"from\": \"" + ProfileTruth.seconds(slice.fromNanos()) + "\""));
      assertTrue(json.contains("\"to\": \"" + ProfileTruth.seconds(slice.toNanos()) + "\""));
    }
  }
}

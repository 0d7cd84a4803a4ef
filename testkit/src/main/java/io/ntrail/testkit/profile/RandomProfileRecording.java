package io.ntrail.testkit.profile;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Random recordings of all that a profile adds up, and random questions about them. What
 * docs/profile.md leaves open does not happen in them.
 *
 * <pre>{@code
 * Property.check(g -> {
 *   RandomProfileRecording made = RandomProfileRecording.make(g);
 *   byte[] file = made.recording().toByteArray();
 *   ProfileTable table = ReferenceProfiler.of(file).table(made.query(g));
 * });
 * }</pre>
 */
public final class RandomProfileRecording {
  private static final int[] STATES = {5, 5, 1, 6, 0, 7, 8, 3};
  private static final int[] FILE_SIMPLE = {0x0441, 0x0442, 0x0449};

  /** The user part of a stack that is still to come. */
  private record Late(long eventTick, int pid, int tid, boolean keyed) {}

  private record Half(RandomMachine.Strand thread, long matchId) {}

  private final Gen g;
  private final RandomMachine m;
  private final RecordingBuilder a;
  private final List<Late> late = new ArrayList<>();
  private final Deque<Half> halves = new ArrayDeque<>();
  private final List<Long> ticks = new ArrayList<>();
  private final EtlWriter writer;
  private long nextMatch = 1;

  private RandomProfileRecording(Gen g) {
    this.g = g;
    this.m = new RandomMachine(g);
    this.a = m.a;
    for (int i = 0, steps = 1 + g.length(400); i < steps; i++) {
      step();
    }
    for (int key = 0; key < 6; key++) {
      if (g.below(3) != 0) {
        define(0x1824, key);
      }
    }
    m.rundown();
    ticks.add(m.tick);
    this.writer = write();
  }

  /** Draws a recording. */
  public static RandomProfileRecording make(Gen g) {
    return new RandomProfileRecording(g);
  }

  /** The recording. */
  public EtlWriter recording() {
    return writer;
  }

  /** Draws a question about the recording; the source of counters is always named. */
  public ProfileQuery query(Gen from) {
    String metric = from.oneOf("cpu", "wait", "ready", "pmc", "disk", "file", "fault", "alloc");
    ProfileQuery query = ProfileQuery.of(metric);
    query = query.by(from.oneOf("function", "module", "process", "thread", "cpu"));
    List<String> units =
        switch (metric) {
          case "cpu" -> List.of("ns");
          case "pmc", "alloc" -> List.of("count");
          case "disk", "file" -> List.of("bytes", "count");
          case "fault" -> List.of("bytes");
          default -> List.of();
        };
    int unit = from.below(units.size() + 1);
    if (unit > 0) {
      query = query.unit(units.get(unit - 1));
    }
    if (metric.equals("pmc")) {
      query = query.source(from.oneOf("2", "10"));
    } else if (metric.equals("alloc") && from.flag()) {
      query = query.source(from.oneOf("gc", "heap", "virtual", "pool"));
    }
    if (from.flag()) {
      long one = someTime(from);
      long other = someTime(from);
      query = query.time(Math.min(one, other), Math.max(one, other));
    }
    return from.below(3) == 2 ? query.process(pid(from)) : query;
  }

  private long pid(Gen from) {
    List<Integer> pids = List.copyOf(m.pids);
    return pids.get(from.below(pids.size()));
  }

  private long someTime(Gen from) {
    long tick = ticks.get(from.below(ticks.size()));
    long nanos = a.nanos(tick);
    return Math.max(0, nanos + from.between(-1, 1));
  }

  private void step() {
    switch (g.below(24)) {
      case 0, 1, 2 -> sample();
      case 3, 4, 5, 6 -> swap();
      case 7, 8 -> ready();
      case 9 -> counter();
      case 10 -> interval();
      case 11 -> batch();
      case 12, 13 -> disk();
      case 14, 15, 16 -> file();
      case 17 -> fault();
      case 18 -> allocation();
      case 19 -> tick();
      case 20 -> m.churn();
      case 21 -> define(g.oneOf(0x1822, 0x1823), g.below(6));
      default -> comeLate();
    }
    ticks.add(m.tick);
  }

  /** Logs the stack of an event that a thread caused just now on this CPU; parts may follow. */
  private void stack(RandomMachine.Strand thread) {
    int pid = thread.process.pid;
    int tid = thread.tid;
    int kind = g.below(6);
    if (thread == m.idle) {
      // The idle threads of all CPUs share the id 0. They have no user part, which is what comes
      // late and from any CPU; its owner would be unknown.
      switch (kind) {
        case 1, 2, 5 -> a.stack(pid, tid, m.frames(true, 3));
        case 3 -> a.keyOf(0x1825, m.tick, pid, tid, g.below(3));
        default -> {}
      }
      return;
    }
    switch (kind) {
      case 1 -> a.stack(pid, tid, m.frames(true, 3));
      case 2 -> {
        a.stack(pid, tid, m.frames(true, 2));
        late.add(new Late(m.tick, pid, tid, g.flag()));
      }
      case 3 -> {
        a.keyOf(0x1825, m.tick, pid, tid, g.below(3));
        late.add(new Late(m.tick, pid, tid, g.flag()));
      }
      case 4 -> late.add(new Late(m.tick, pid, tid, g.flag()));
      case 5 -> a.stack(pid, tid, m.frames(false, 4));
      default -> {}
    }
  }

  /** The user part of an earlier event's stack comes, on any CPU. */
  private void comeLate() {
    if (late.isEmpty()) {
      return;
    }
    Late part = late.remove(g.below(late.size()));
    m.ownTime();
    m.anyCpu();
    if (part.keyed) {
      a.keyOf(0x1826, part.eventTick, part.pid, part.tid, 3 + g.below(3));
    } else {
      a.stackOf(part.eventTick, part.pid, part.tid, m.frames(false, 3));
    }
  }

  /** Keys below 3 are the kernel's. */
  private void define(int hook, int key) {
    m.ownTime();
    m.anyCpu();
    a.define(hook, key, m.frames(key < 3, 3));
  }

  private void sample() {
    int cpu = m.anyCpu();
    RandomMachine.Strand thread = m.running[cpu];
    m.time(cpu, thread);
    long ip = g.flag() ? m.userAddress() : m.kernelAddress();
    int count = g.oneOf(1, 1, 0, 3);
    if (thread == m.idle) {
      ip = m.kernelAddress();
    }
    if (g.below(8) == 7) {
      m.as(thread);
      a.classRecord(0x0F2E, 2, ProfilePayloads.sample(m.p, ip, thread.tid, count, 0));
    } else {
      a.sample(ip, thread.tid, count, g.oneOf(0, 0, 1, 8));
    }
    stack(thread);
  }

  private void counter() {
    int cpu = m.anyCpu();
    RandomMachine.Strand thread = m.running[cpu];
    m.time(cpu, thread);
    a.pmc(thread == m.idle ? m.kernelAddress() : m.userAddress(), thread.tid, g.oneOf(2, 10));
    stack(thread);
  }

  private void interval() {
    m.ownTime();
    m.anyCpu();
    a.interval(0x0F48 + g.below(3), g.oneOf(0, 2, 10), (int) g.between(1, 20_000));
  }

  private void batch() {
    m.ownTime();
    RandomMachine.Strand thread = m.running[m.anyCpu()];
    LittleEndian[] samples = new LittleEndian[g.below(4)];
    for (int i = 0; i < samples.length; i++) {
      int tid = g.flag() ? 0 : thread.tid;
      samples[i] = ProfilePayloads.sample(m.p, m.kernelAddress(), tid, 1, g.oneOf(0, 2));
    }
    a.perf(0x0F37, 2, ProfilePayloads.batch(m.p, samples));
  }

  private void swap() {
    int cpu = m.anyCpu();
    RandomMachine.Strand old = m.running[cpu];
    RandomMachine.Strand next = m.idle;
    for (RandomMachine.Strand thread : m.threads.values()) {
      if (thread.cpu < 0 && g.below(2) == 0) {
        next = thread;
        break;
      }
    }
    if (next == old) {
      return;
    }
    m.time(cpu, old, next);
    m.swap(cpu, next, old == m.idle ? 2 : STATES[g.below(STATES.length)]);
    switch (g.below(4)) {
      case 0 -> stackOfSwitch(next);
      case 1 -> stackOfSwitch(old);
      case 2 -> {
        stackOfSwitch(old);
        stackOfSwitch(next);
      }
      default -> {}
    }
  }

  private void stackOfSwitch(RandomMachine.Strand thread) {
    if (thread != m.idle) {
      stack(thread);
    }
  }

  private void ready() {
    RandomMachine.Strand thread = m.anyThread();
    if (thread == null || thread.cpu >= 0) {
      return;
    }
    m.ownTime();
    RandomMachine.Strand by = m.running[m.anyCpu()];
    // Without a header the thread is known by the switches only, which may be lost: no stack.
    boolean header = !g.flag();
    if (header) {
      m.as(by);
    } else {
      a.as(-1, -1);
    }
    a.ready(thread.tid);
    if (header) {
      stack(by);
    }
  }

  private void disk() {
    RandomMachine.Strand thread = m.anyThread();
    if (thread == null) {
      return;
    }
    int version = g.oneOf(3, 2);
    int irp = g.below(3);
    m.ownTime();
    m.anyCpu();
    m.as(thread);
    switch (g.below(5)) {
      case 0, 1 -> {
        int hook = g.oneOf(0x010C, 0x010D, 0x010F);
        a.hook(hook, version, ProfilePayloads.diskInit(m.p, version, irp, thread.tid));
        stack(thread);
      }
      case 2 -> {
        int hook = g.oneOf(0x010A, 0x010B);
        long response = g.between(0, 500);
        int size = g.below(9000);
        a.perf(hook, version, ProfilePayloads.disk(m.p, version, size, irp, response, thread.tid));
      }
      case 3 -> {
        long response = g.between(0, 500);
        a.perf(0x010E, version, ProfilePayloads.diskFlush(m.p, version, irp, response, thread.tid));
      }
      default -> {
        // Never begun: it has its own stack.
        a.perf(0x010B, 3, ProfilePayloads.disk(m.p, 3, 77, 0xF00, 9, thread.tid));
        stack(thread);
      }
    }
  }

  private void file() {
    RandomMachine.Strand thread = m.anyThread();
    int irp = g.below(4);
    if (thread == null || g.flag()) {
      m.time();
      m.anyCpu();
      a.perf(0x044C, 3, ProfilePayloads.fileEnd(m.p, irp));
      return;
    }
    m.time(m.anyCpu(), thread);
    m.as(thread);
    int version = g.oneOf(3, 2);
    int tid = thread.tid;
    switch (g.below(5)) {
      case 0 -> {
        int hook = g.oneOf(0x0443, 0x0444);
        int size = g.below(9000);
        a.hook(hook, version, ProfilePayloads.fileTransfer(m.p, version, irp, tid, size));
      }
      case 1 -> a.hook(0x0440, 3, ProfilePayloads.fileCreate(m.p, irp, tid, "C:\\x"));
      case 2 -> a.hook(0x044D, 3, ProfilePayloads.fileDirectory(m.p, irp, tid, "*"));
      case 3 -> a.hook(g.oneOf(0x0445, 0x044B), 3, ProfilePayloads.fileInfo(m.p, irp, tid, ""));
      default -> {
        int hook = FILE_SIMPLE[g.below(FILE_SIMPLE.length)];
        a.hook(hook, version, ProfilePayloads.fileSimple(m.p, version, irp, tid));
      }
    }
    stack(thread);
  }

  private void fault() {
    m.ownTime();
    RandomMachine.Strand thread = m.running[m.anyCpu()];
    boolean header = g.below(4) != 3;
    if (header) {
      m.as(thread);
    } else {
      a.as(-1, -1);
    }
    if (g.below(4) == 3) {
      int size = 4096 * (1 + g.below(4));
      a.hook(0x0220, 2, ProfilePayloads.hardFault(m.p, 0, thread.tid, size));
    } else {
      int hook = 0x020A + g.oneOf(0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 4);
      long ip = g.flag() ? m.kernelAddress() : m.userAddress();
      a.hook(hook, 2, ProfilePayloads.fault(m.p, 0x7000, ip));
    }
    if (header) {
      stack(thread);
    }
  }

  private void allocation() {
    RandomMachine.Strand thread = m.anyThread();
    if (thread == null) {
      return;
    }
    m.time(m.anyCpu(), thread);
    m.as(thread);
    int p = m.p;
    int size = 1 + g.below(5000);
    switch (g.below(6)) {
      case 0 -> a.hook(0x1021, 2, ProfilePayloads.heapAlloc(p, 1, size, 0x5000));
      case 1 -> a.hook(0x1022, 2, ProfilePayloads.heapRealloc(p, 1, 0x5000, size, 7));
      case 2 -> a.hook(0x1024, 2, ProfilePayloads.heapFree(p, 1, 0x5000));
      case 3 ->
          a.hook(
              0x0262,
              2,
              ProfilePayloads.virtual(
                  p, 0x9000, size, thread.process.pid, g.oneOf(0x1000, 0x3000, 0x2000)));
      case 4 -> a.hook(0x0E20, 2, ProfilePayloads.pool(p, size, false));
      default -> a.hook(0x0E21, 2, ProfilePayloads.pool(p, size, true));
    }
    stack(thread);
  }

  private void tick() {
    RandomMachine.Strand thread = m.anyThread();
    if (thread == null) {
      return;
    }
    m.time(m.anyCpu(), thread);
    m.as(thread);
    int p = m.p == 8 && g.below(4) == 3 ? 4 : m.p;
    int version = (int) g.between(1, 4);
    LittleEndian payload = ProfilePayloads.allocationTick(p, version, 1 + g.below(9999));
    EtlRecords event = a.eventRecord(p, ProfilePayloads.CLR, 10, version, payload);
    int type = p == 8 ? 6 : 5;
    boolean second = false;
    switch (g.below(5)) {
      case 1 -> event.item(type, item(p, 0, m.frames(false, 3)));
      case 2 -> {
        long match = nextMatch++;
        boolean ofKernel = p == 8 && m.p == 8 && g.flag();
        event.item(type, item(p, match, m.frames(ofKernel, 2)));
        halves.add(new Half(thread, match));
      }
      case 3 -> {
        byte[] key = ProfilePayloads.stackKeyItem(p, 0, 3 + g.below(3)).toByteArray();
        event.item(p == 8 ? 18 : 17, key);
      }
      case 4 -> {
        Half half = halves.poll();
        if (half != null && m.threads.get(half.thread.tid) == half.thread) {
          second = true;
          m.as(half.thread);
          event.thread(half.thread.process.pid, half.thread.tid);
          event.item(type, item(p, half.matchId, m.frames(false, 2)));
        }
      }
      default -> {}
    }
    a.log(event.build());
    // What carries half of an earlier event's stack is not said to have one itself.
    if (!second && g.flag()) {
      m.ownTime();
      m.anyCpu();
      LittleEndian stack = ProfilePayloads.clrStack(p, m.frames(false, 3));
      a.log(a.eventRecord(p, ProfilePayloads.CLR, 82, 0, stack).build());
    }
  }

  private static byte[] item(int p, long matchId, long... frames) {
    return ProfilePayloads.stackItem(p, matchId, frames).toByteArray();
  }

  /**
   * Buffers of at most 4 KB: those of a CPU in order, those of several CPUs mixed, some lost, but
   * none of CPU 0, which has what begins and ends.
   */
  private EtlWriter write() {
    List<RecordingBuilder.Entry> sorted = new ArrayList<>(a.entries());
    sorted.sort(Comparator.comparingLong(e -> e.record().time()));
    int most = m.lossy ? g.oneOf(800, 400) : g.oneOf(3900, 1200, 400);
    int losses = m.lossy ? g.oneOf(6, 3) : 0;
    List<Deque<EtlBuffer>> streams = new ArrayList<>();
    long sequence = 1;
    for (int cpu = 0; cpu < m.cpus; cpu++) {
      Deque<EtlBuffer> stream = new ArrayDeque<>();
      @Nullable EtlBuffer open = null;
      for (RecordingBuilder.Entry entry : sorted) {
        EtlRecord record = entry.record();
        if (entry.cpu() != cpu) {
          continue;
        }
        if (open == null || open.used() + record.paddedLength() > most) {
          open = EtlBuffer.of(cpu, 0x1C, sequence++);
          if (cpu == 0 || losses == 0 || g.below(losses) != losses - 1) {
            stream.add(open);
          }
        }
        open.add(record);
      }
      streams.add(stream);
    }
    EtlWriter out = new EtlWriter(a.settings());
    while (!streams.isEmpty()) {
      int chosen = g.below(streams.size());
      EtlBuffer buffer = streams.get(chosen).poll();
      if (buffer == null) {
        streams.remove(chosen);
      } else {
        out.buffer(buffer);
      }
    }
    return out;
  }
}

package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The small recording that comes with the project: 1.5 seconds of an invented machine, merged and
 * compressed as Windows' tools do it, the same bytes every time.
 *
 * <p>Its story: three workers of {@code shopd.exe} match queries, parse and read {@code stock.db};
 * a scanner and the shell run beside them; at 0.3 s {@code shopcli.exe} starts, at 1.1 s it ends.
 * Threads run on the CPU that the last context switch put them on, samples lie in functions of
 * images that are loaded, and every wait ends with a ReadyThread. Its programs speak in every kind
 * of described event (Shop-App, Shop-Store, Shop-Pages).
 *
 * <p>It is {@code samples/shop.etl}; a test compares the two. After a change here, from the
 * project's folder: {@code java -cp testkit/target/classes io.ntrail.testkit.etl.SampleRecording
 * samples/shop.etl}.
 */
public final class SampleRecording {
  /** Shop-App, the provider of the TraceLogging events. */
  public static final UUID SHOP_APP = UUID.fromString("6c0d8c5e-2b41-5f0a-9c77-d3a8f1e25b60");

  /**
   * Shop-Store, a provider with a manifest elsewhere; its schemas and value maps are in the file.
   */
  public static final UUID SHOP_STORE = UUID.fromString("b52f1e07-93d4-4c68-8a1e-7f40d2c6935b");

  /** Shop-Pages, an EventSource; it sends its manifest. */
  public static final UUID SHOP_PAGES = UUID.fromString("27c4a9d8-6e13-5b72-b0f5-1d98e34a7c06");

  /** The system's name resolution; its schemas are in the file. */
  public static final UUID DNS_CLIENT = UUID.fromString("1c95126e-7eea-49a9-a3fe-a378b03ddb4d");

  private static final int CPUS = 8;
  private static final int MILLISECOND = 10_000;
  private static final long LENGTH = 1500L * MILLISECOND;
  private static final long CLI_START = 300L * MILLISECOND;
  private static final long CLI_END = 1100L * MILLISECOND;
  private static final long STOCK_KEY = 0xFFFF_BD0A_2F10_7170L;
  private static final long LOG_KEY = 0xFFFF_BD0A_2F10_9430L;
  private static final long STOCK_OBJECT = 0xFFFF_9A0B_51F2_0A80L;

  private final EtlSettings settings = settings();
  private final SplittableRandom random = new SplittableRandom(7);
  private final SampleStacks stacks = new SampleStacks(random);
  private final SampleEvents events = new SampleEvents(new SplittableRandom(11));
  private final long start = settings.startTicks() + 2000;
  private final long begin = start + 20L * MILLISECOND;
  private final List<Logged> log = new ArrayList<>();
  private final PriorityQueue<Todo> todo =
      new PriorityQueue<>(Comparator.comparingLong(Todo::time).thenComparingInt(Todo::order));
  private final SampleMachine.@Nullable Actor[] running = new SampleMachine.Actor[CPUS];
  private final boolean[] taken = new boolean[CPUS];
  private final Map<Integer, Integer> cpuOf = new HashMap<>();
  private int order;

  private record Logged(long time, int order, int cpu, EtlRecord record) {}

  private record Todo(long time, int order, Runnable what) {}

  private SampleRecording() {}

  /** The recording: bytes, truth and buffers. */
  public static EtlWriter make() {
    return new SampleRecording().write();
  }

  /**
   * Writes the recording to the file named by the only argument.
   *
   * @param arguments the file
   */
  public static void main(String[] arguments) throws IOException {
    make().writeTo(Path.of(arguments[0]));
  }

  /** Returns the settings of its session. */
  public static EtlSettings settings() {
    return EtlSettings.compressed(BufferCompression.XPRESS)
        .names("Relogger", "[multiple files]")
        .processors(CPUS)
        .headerLogger(0);
  }

  private EtlWriter write() {
    EtlWriter writer = new EtlWriter(settings).logger(0);
    long t0 = settings.startTicks();
    writer.headerRecords(
        kernel(0x0050, 2, t0, SampleMachine.SYSTEM, 8, KernelPayloads.partitionInfo()),
        kernel(0x0005, 2, t0, SampleMachine.SYSTEM, 8, KernelPayloads.groupMasks(0x2000_471FL, 2)));
    rundown(start, true);
    story();
    rundown(begin + LENGTH + 5L * MILLISECOND, false);
    List<EtlRecord> logged = log.stream().map(Logged::record).toList();
    long installed = settings.startTime() - 864_000_000_000L * 30;
    for (EtlRecord added :
        new SampleMerge(logged).records(begin + LENGTH + 30L * MILLISECOND, installed)) {
      put(0, added);
    }
    log.sort(Comparator.comparingLong(Logged::time).thenComparingInt(Logged::order));
    for (Logged one : log) {
      writer.log(one.cpu, one.record);
    }
    return writer.flush();
  }

  private void put(int cpu, EtlRecord record) {
    log.add(new Logged(record.time(), order++, cpu, record));
  }

  private static EtlRecord kernel(
      int hook, int version, long time, int pid, int tid, LittleEndian payload) {
    EtlRecords made = EtlRecords.system(8, hook).version(version).time(time);
    return made.thread(pid, tid).payload(payload).build();
  }

  private void perf(int cpu, int hook, int version, long time, LittleEndian payload) {
    put(cpu, EtlRecords.perfInfo(8, hook).version(version).time(time).payload(payload).build());
  }

  /** Logs the rundown of a session at its start or end. */
  private void rundown(long at, boolean first) {
    long time = at;
    int own = 7000;
    int thread = 7004;
    if (first) {
      put(0, kernel(0x0B0A, 3, time, own, thread, KernelPayloads.cpu(2904, CPUS, 16384, "LAB-07")));
      put(0, kernel(0x0B0B, 2, time, own, thread, KernelPayloads.physicalDisk(0, "ACME SSD 512")));
      put(0, kernel(0x0B0C, 2, time, own, thread, KernelPayloads.logicalDisk("C:")));
      put(0, kernel(0x0B19, 2, time, own, thread, KernelPayloads.platform("Acme", "Bench 7")));
      for (int i = 0; i < CPUS; i++) {
        String name = "Acme Core at 2.90GHz";
        put(0, kernel(0x0B23, 2, time, own, thread, KernelPayloads.processor(i, 2904, name)));
      }
    }
    perf(0, first ? 0x0F49 : 0x0F4A, 3, time, KernelPayloads.interval(0, MILLISECOND, "Timer"));
    for (SampleMachine.Program process : SampleMachine.PROCESSES) {
      if (process.pid() == SampleMachine.SHOPCLI) {
        // It starts and ends between the two lists.
        continue;
      }
      time += 7;
      put(
          0,
          kernel(
              first ? 0x0303 : 0x0304,
              4,
              time,
              own,
              thread,
              SampleMachine.processOf(process, 0x103)));
    }
    for (SampleMachine.Actor listed : SampleMachine.THREADS) {
      if (listed.pid() != SampleMachine.SHOPCLI) {
        time += 5;
        put(
            0,
            kernel(first ? 0x0503 : 0x0504, 3, time, own, thread, SampleMachine.threadOf(listed)));
      }
    }
    for (SampleMachine.Image image : SampleMachine.IMAGES.values()) {
      if (image.kernel()) {
        time += 5;
        perf(0, first ? 0x1403 : 0x1404, 3, time, SampleMachine.imageOf(image, 0));
      }
    }
    for (SampleMachine.Program process : SampleMachine.PROCESSES) {
      for (String name :
          process.pid() == SampleMachine.SHOPCLI ? List.<String>of() : process.images()) {
        time += 5;
        perf(
            0,
            first ? 0x1403 : 0x1404,
            3,
            time,
            SampleMachine.imageOf(SampleMachine.imageNamed(name), process.pid()));
      }
    }
    if (!first) {
      String name = "\\Device\\HarddiskVolume3\\shop\\stock.db";
      perf(0, 0x0424, 2, time + 5, KernelPayloads.fileName(STOCK_KEY, name));
      String notes = "\\Device\\HarddiskVolume3\\shop\\log\\2026-03-14.log";
      perf(0, 0x0424, 2, time + 6, KernelPayloads.fileName(LOG_KEY, notes));
    }
  }

  private void at(long time, Runnable what) {
    todo.add(new Todo(time, order++, what));
  }

  private void story() {
    for (int cpu = 0; cpu < CPUS; cpu++) {
      int sampled = cpu;
      // The sampling timers of the CPUs do not fire at the same moment.
      at(begin + 137L * cpu, () -> sample(sampled, begin + 137L * sampled));
    }
    for (SampleMachine.Actor thread : SampleMachine.THREADS) {
      if (thread.pid() != SampleMachine.SHOPCLI) {
        long time = begin + random.nextInt(10 * thread.idle());
        at(time, () -> ready(thread, time));
      }
    }
    at(begin + CLI_START, () -> startCli(begin + CLI_START));
    for (int i = 0; i < 5; i++) {
      long time = begin + (90L + 280L * i) * MILLISECOND;
      at(time, () -> mainThread(time));
    }
    while (!todo.isEmpty()) {
      Todo next = todo.remove();
      if (next.time < begin + LENGTH) {
        next.what.run();
      }
    }
  }

  private long around(int microseconds) {
    return 10L * microseconds / 2 + random.nextInt(10 * microseconds);
  }

  /** A thread's wait is over: it gets a free CPU, its last one if it can. */
  private void ready(SampleMachine.Actor thread, long time) {
    int cpu = cpuOf.getOrDefault(thread.tid(), random.nextInt(CPUS));
    for (int i = 0; i < CPUS && taken[cpu]; i++) {
      cpu = (cpu + 1) % CPUS;
    }
    if (taken[cpu]) {
      at(time + 2000, () -> ready(thread, time + 2000));
      return;
    }
    perf(cpu, 0x0532, 2, time, KernelPayloads.readyThread(thread.tid(), 1, 1, 1));
    taken[cpu] = true;
    cpuOf.put(thread.tid(), cpu);
    int on = cpu;
    long switched = time + 20 + random.nextInt(40);
    at(switched, () -> switchIn(thread, on, switched));
  }

  private void switchIn(SampleMachine.Actor thread, int cpu, long switched) {
    perf(
        cpu,
        0x0524,
        4,
        switched,
        KernelPayloads.cswitch(thread.tid(), 0, thread.priority(), 0, 0, 2));
    running[cpu] = thread;
    String outer = thread.stacks().getFirst();
    boolean system = thread.pid() == SampleMachine.SYSTEM;
    String waited =
        system
            ? "nt!KiStartSystemThread nt!PspSystemThreadStartup nt!KeWaitForSingleObject"
                + " nt!KiSwapContext"
            : "ntdll!RtlUserThreadStart kernel32!BaseThreadInitThunk "
                + outer.split(" ", -1)[2]
                + " "
                + SampleMachine.WAIT;
    stack(cpu, thread, switched, stacks.frames(waited));
    long until = switched + around(thread.run());
    if (thread.tid() >= 5020 && thread.tid() <= 5028) {
      long read = switched + 300;
      at(read, () -> read(thread, cpu, read));
      long served = until - 60;
      at(served, () -> serve(thread, cpu, served));
    }
    at(
        Math.max(until, switched + 5000),
        () -> pause(thread, cpu, Math.max(until, switched + 5000)));
  }

  private void pause(SampleMachine.Actor thread, int cpu, long time) {
    boolean ends = thread.pid() == SampleMachine.SHOPCLI && time > begin + CLI_END;
    if (thread.pid() == SampleMachine.SHOPCLI && !ends) {
      put(cpu, events.pageBuilt(time - 200, thread.pid(), thread.tid()));
    }
    if (ends) {
      endCli(thread, cpu, time - 400);
    }
    perf(
        cpu,
        0x0524,
        4,
        time,
        KernelPayloads.cswitch(
            0, thread.tid(), 0, thread.priority(), ends ? 22 : thread.reason(), ends ? 4 : 5));
    running[cpu] = null;
    taken[cpu] = false;
    if (!ends) {
      long next = time + around(thread.idle());
      at(next, () -> ready(thread, next));
    }
  }

  private void sample(int cpu, long time) {
    SampleMachine.Actor thread = running[cpu];
    if (thread == null) {
      long ip = SampleMachine.address("nt!PoIdle", 0x20 + random.nextInt(3));
      perf(cpu, 0x0F2E, 2, time, KernelPayloads.sample(ip, 0, 0));
    } else {
      long[] frames = stacks.frames(stacks.pick(thread.stacks()));
      perf(cpu, 0x0F2E, 2, time, KernelPayloads.sample(frames[0], thread.tid(), 0));
      stack(cpu, thread, time, frames);
    }
    at(time + MILLISECOND, () -> sample(cpu, time + MILLISECOND));
  }

  /** The kernel part at once, the user part when the thread goes back to user mode. */
  private void stack(int cpu, SampleMachine.Actor thread, long event, long... frames) {
    int user = 0;
    while (user < frames.length && frames[user] < 0) {
      user++;
    }
    long[] kernelPart = Arrays.copyOf(frames, user);
    long[] userPart = Arrays.copyOfRange(frames, user, frames.length);
    if (kernelPart.length > 0) {
      perf(
          cpu,
          0x1820,
          2,
          event + 4,
          KernelPayloads.stack(event, thread.pid(), thread.tid(), kernelPart));
    }
    if (userPart.length > 0) {
      perf(
          cpu,
          0x1820,
          2,
          event + (kernelPart.length > 0 ? 12 : 5),
          KernelPayloads.stack(event, thread.pid(), thread.tid(), userPart));
    }
  }

  /** A read of stock.db; every third one goes to the disk. */
  private void read(SampleMachine.Actor thread, int cpu, long time) {
    long irp = 0xFFFF_B40A_11D2_C8A0L + 0x1000L * thread.tid();
    long offset = 65536L * random.nextInt(400);
    int tid = thread.tid();
    perf(
        cpu,
        0x0443,
        3,
        time,
        KernelPayloads.fileTransfer(offset, irp, STOCK_OBJECT, STOCK_KEY, tid, 65536));
    String where =
        "ntdll!RtlUserThreadStart kernel32!BaseThreadInitThunk shopcore!Worker::Run"
            + " shopcore!Stock::Load "
            + SampleMachine.READ
            + "Ntfs!NtfsFsdRead";
    stack(cpu, thread, time, stacks.frames(where));
    long done = time + 400;
    if (random.nextInt(3) == 0) {
      long begun = time + 60;
      done = time + 2500;
      perf(cpu, 0x010C, 3, begun, KernelPayloads.diskInit(irp, tid));
      perf(
          cpu,
          0x010A,
          3,
          done - 50,
          KernelPayloads.disk(
              0,
              0x0006_0043,
              65536,
              0x2_4000_0000L + offset,
              STOCK_KEY,
              irp,
              done - 50 - begun,
              tid));
    }
    perf(cpu, 0x044C, 3, done, KernelPayloads.operationEnd(irp, 65536, 0));
  }

  /** The events of the program itself: a request, and sometimes what comes of it. */
  private void serve(SampleMachine.Actor thread, int cpu, long time) {
    int pid = thread.pid();
    int tid = thread.tid();
    put(cpu, events.request(time, pid, tid));
    if (random.nextInt(4) == 0) {
      put(cpu, events.stockLow(time + 3, pid, tid));
      note(thread, cpu, time + 6);
    } else if (random.nextInt(4) == 0) {
      long fileTime = settings.startTime() + time - settings.startTicks();
      put(cpu, events.orderPlaced(time + 5, fileTime, pid, tid));
      put(cpu, events.orderState(time + 9, pid, tid));
    } else if (random.nextInt(16) == 0) {
      put(cpu, events.storeFailed(time + 4, pid, tid));
    }
  }

  /** A line for the log file: opened, written, closed. */
  private void note(SampleMachine.Actor thread, int cpu, long time) {
    long irp = 0xFFFF_B40A_0F31_B010L + 0x1000L * thread.tid();
    long object = STOCK_OBJECT + 0x2000;
    int tid = thread.tid();
    String path = "\\Device\\HarddiskVolume3\\shop\\log\\2026-03-14.log";
    perf(cpu, 0x0440, 3, time, KernelPayloads.fileCreate(irp, object, tid, path));
    perf(cpu, 0x044C, 3, time + 12, KernelPayloads.operationEnd(irp, 1, 0));
    LittleEndian line = KernelPayloads.fileTransfer(0, irp, object, LOG_KEY, tid, 96);
    perf(cpu, 0x0444, 3, time + 15, line);
    perf(cpu, 0x044C, 3, time + 30, KernelPayloads.operationEnd(irp, 96, 0));
    perf(cpu, 0x010D, 3, time + 18, KernelPayloads.diskInit(irp, tid));
    long place = 0x2_6000_0000L;
    perf(
        cpu,
        0x010B,
        3,
        time + 28,
        KernelPayloads.disk(0, 0x0006_0A00, 4096, place, LOG_KEY, irp, 10, tid));
    perf(cpu, 0x0442, 3, time + 33, KernelPayloads.fileSimple(irp, object, LOG_KEY, tid));
    perf(cpu, 0x044C, 3, time + 38, KernelPayloads.operationEnd(irp, 0, 0));
  }

  /** Lets shopd's main thread work from time to time. */
  private void mainThread(long time) {
    int pid = SampleMachine.SHOPD;
    int tid = SampleMachine.SHOPD_MAIN;
    put(2, SampleEvents.lookUp(time, pid, tid));
    put(2, events.sessionOpened(time + 4000, pid, tid));
    put(2, events.shelfScan(time + 9000, pid, tid));
  }

  private void startCli(long time) {
    SampleMachine.Program process = SampleMachine.PROCESSES.getLast();
    SampleMachine.Actor thread = SampleMachine.THREADS.getLast();
    put(
        3,
        kernel(
            0x0301,
            4,
            time,
            SampleMachine.SHOPD,
            SampleMachine.SHOPD_MAIN,
            SampleMachine.processOf(process, 0x103)));
    put(
        3,
        kernel(
            0x0501,
            3,
            time + 30,
            SampleMachine.SHOPD,
            SampleMachine.SHOPD_MAIN,
            SampleMachine.threadOf(thread)));
    long at = time + 60;
    for (String name : process.images()) {
      at += 40;
      SampleMachine.Image image = SampleMachine.imageNamed(name);
      put(
          3,
          kernel(
              0x030A,
              3,
              at,
              process.pid(),
              thread.tid(),
              SampleMachine.imageOf(image, process.pid())));
    }
    for (EtlRecord chunk : SampleEvents.pagesManifest(at + 50, process.pid(), thread.tid())) {
      put(3, chunk);
    }
    long go = at + 100;
    at(go, () -> ready(thread, go));
  }

  private void endCli(SampleMachine.Actor thread, int cpu, long time) {
    SampleMachine.Program process = SampleMachine.PROCESSES.getLast();
    long at = time;
    for (String name : process.images()) {
      SampleMachine.Image image = SampleMachine.imageNamed(name);
      put(
          cpu,
          kernel(
              0x1402,
              3,
              at,
              process.pid(),
              thread.tid(),
              SampleMachine.imageOf(image, process.pid())));
      at += 20;
    }
    put(cpu, kernel(0x0502, 3, at, process.pid(), thread.tid(), SampleMachine.threadOf(thread)));
    put(
        cpu,
        kernel(
            0x0302, 4, at + 20, process.pid(), thread.tid(), SampleMachine.processOf(process, 0)));
  }
}

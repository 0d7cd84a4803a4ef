package io.ntrail.testkit.profile;

import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.etl.EtlSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Processes, threads and code that come and go at random. What begins and ends has a time stamp of
 * its own and is logged on CPU 0, of which nothing is lost.
 */
final class RandomMachine {
  /** A process. */
  static final class Machinery {
    final int pid;
    final String name;
    final boolean late;
    final Map<Long, String> images = new TreeMap<>();
    final TreeSet<Long> lateImages = new TreeSet<>();
    final Map<Long, String> methods = new TreeMap<>();
    final TreeSet<Long> lateMethods = new TreeSet<>();

    Machinery(int pid, String name, boolean late) {
      this.pid = pid;
      this.name = name;
      this.late = late;
    }
  }

  /** A thread; {@code cpu} is -1 unless it runs. */
  static final class Strand {
    final int tid;
    final Machinery process;
    final boolean late;
    int cpu = -1;

    /** When and where it last did something. */
    long seenTick = -1;

    int seenCpu;

    Strand(int tid, Machinery process, boolean late) {
      this.tid = tid;
      this.process = process;
      this.late = late;
    }
  }

  private static final long IMAGE_SIZE = 0x1_0000;
  private static final long APP = 0x40_0000;
  private static final long LIBRARY = 0x1000_0000;
  private static final long METHOD = 0x6000_0000;
  private static final int METHOD_SIZE = 0x180;

  final Gen g;
  final int p;
  final RecordingBuilder a;
  final int cpus;

  /**
   * True if buffers will be lost; then no two events share a time stamp, so that the stack of a
   * lost event cannot be taken for that of another.
   */
  final boolean lossy;

  final Strand[] running;
  final Strand idle;
  final Map<Integer, Machinery> processes = new TreeMap<>();
  final Map<Integer, Strand> threads = new TreeMap<>();

  /** The ids of all processes that ever were. */
  final Set<Integer> pids = new TreeSet<>(Set.of(0));

  long tick;
  private boolean alone;
  private int names;
  private final long kernel;

  RandomMachine(Gen g) {
    this.g = g;
    p = g.oneOf(8, 8, 4);
    lossy = g.below(3) == 2;
    cpus = (int) g.between(lossy ? 2 : 1, 4);
    EtlSettings settings = p == 8 ? EtlSettings.windows11() : EtlSettings.windows7(4);
    settings.perfFreq(g.oneOf(10_000_000L, 3_579_545L, 1_000_000_000L)).bufferSize(4096);
    a = new RecordingBuilder(settings, p);
    kernel = p == 8 ? RecordingBuilder.KERNEL : 0x8280_0000L;
    Machinery system = new Machinery(0, "Idle", false);
    idle = new Strand(0, system, false);
    running = new Strand[cpus];
    Arrays.fill(running, idle);
    begin();
  }

  private void begin() {
    a.atTicks(0).on(0).as(-1, -1).processRundown(0, "Idle").threadRundown(0, 0);
    a.imageRundown(0, kernel, IMAGE_SIZE, "ntoskrnl.exe");
    a.processRundown(4, "System").imageRundown(4, kernel + 0x10_0000, IMAGE_SIZE, "driver.sys");
    for (long i = g.between(1, 3); i > 0; i--) {
      boolean late = g.below(4) == 3;
      Machinery process = new Machinery((int) (100 * i), name(), late);
      processes.put(process.pid, process);
      pids.add(process.pid);
      process.images.put(APP, process.name);
      if (!late) {
        a.processRundown(process.pid, process.name);
        a.imageRundown(process.pid, APP, IMAGE_SIZE, process.name);
      } else {
        process.lateImages.add(APP);
      }
      if (g.flag()) {
        process.images.put(LIBRARY, "late.dll");
        process.lateImages.add(LIBRARY);
      }
      if (g.flag()) {
        process.methods.put(METHOD, "Parse");
        process.lateMethods.add(METHOD);
      }
      for (long k = g.between(1, 3); k > 0; k--) {
        boolean lateThread = late || g.below(4) == 3;
        Strand thread = new Strand((int) (100 * i + k), process, lateThread);
        threads.put(thread.tid, thread);
        if (!lateThread) {
          a.threadRundown(process.pid, thread.tid);
        }
      }
    }
  }

  /** No two processes have one name. */
  private String name() {
    return "app" + ++names + ".exe";
  }

  /** Sets a time that other events may have, too. */
  void time() {
    tick += alone || lossy ? 1 + g.below(20) : g.oneOf(3, 0, 1, 0, 40, 1000);
    alone = false;
    a.atTicks(tick);
  }

  /**
   * Goes to a CPU and sets a time that other events may have, too, but not of these threads
   * elsewhere: a thread does nothing on two CPUs at once.
   */
  void time(int cpu, Strand... doers) {
    time();
    for (Strand doer : doers) {
      if (doer != idle && doer.seenTick == tick && doer.seenCpu != cpu) {
        tick++;
        a.atTicks(tick);
      }
    }
    for (Strand doer : doers) {
      doer.seenTick = tick;
      doer.seenCpu = cpu;
    }
    a.on(cpu);
  }

  /** Sets a time that no other event has. */
  void ownTime() {
    tick += 1 + g.below(20);
    alone = true;
    a.atTicks(tick);
  }

  int anyCpu() {
    int cpu = g.below(cpus);
    a.on(cpu);
    return cpu;
  }

  /** Any thread of those there are, or null if there is none. */
  @Nullable Strand anyThread() {
    List<Strand> all = List.copyOf(threads.values());
    return all.isEmpty() ? null : all.get(g.below(all.size()));
  }

  void as(Strand thread) {
    a.as(thread.process.pid, thread.tid);
  }

  /** An address of the kernel's half, mostly in an image. */
  long kernelAddress() {
    long offset = 0x100L * g.below(4) + g.below(2);
    return kernel + g.oneOf(0L, 0x10_0000L, 0x20_0000L) + offset;
  }

  /** An address of a process, of code that is there, is not there any more, or never was. */
  long userAddress() {
    long offset = 0x80L * g.below(6) + g.below(2);
    long slot = 0x10_0000L * g.below(3);
    return offset + g.oneOf(APP, LIBRARY + slot, METHOD + slot, 0x7000_0000L);
  }

  long[] frames(boolean ofKernel, int most) {
    List<Long> frames = new ArrayList<>();
    for (long i = g.between(1, most); i > 0; i--) {
      frames.add(ofKernel ? kernelAddress() : userAddress());
    }
    return frames.stream().mapToLong(f -> f).toArray();
  }

  /** A context switch on a CPU; stacks of it are the caller's to log. */
  void swap(int cpu, Strand next, int state) {
    Strand old = running[cpu];
    a.on(cpu).swap(old.tid, state, next.tid);
    old.cpu = -1;
    if (next != idle) {
      next.cpu = cpu;
    }
    running[cpu] = next;
  }

  /** Something begins or ends: a process, a thread, an image, a method. */
  void churn() {
    ownTime();
    a.on(0).as(-1, -1);
    switch (g.below(8)) {
      case 0 -> startThread();
      case 1 -> endThread();
      case 2 -> startProcess();
      case 3 -> endProcess();
      case 4, 5 -> library();
      default -> method();
    }
  }

  private @Nullable Machinery anyProcess() {
    List<Machinery> all = List.copyOf(processes.values());
    return all.isEmpty() ? null : all.get(g.below(all.size()));
  }

  private void startThread() {
    Machinery process = anyProcess();
    int tid = 101 + g.below(12);
    if (process != null && !threads.containsKey(tid)) {
      threads.put(tid, new Strand(tid, process, false));
      a.thread(process.pid, tid);
    }
  }

  private void endThread() {
    Strand thread = anyThread();
    if (thread != null && !thread.late) {
      end(thread);
    }
  }

  private void end(Strand thread) {
    threads.remove(thread.tid);
    a.on(0).threadEnd(thread.process.pid, thread.tid);
    if (thread.cpu >= 0) {
      ownTime();
      swap(thread.cpu, idle, 4);
      ownTime();
      a.on(0);
    }
  }

  private void startProcess() {
    int pid = 100 * (1 + g.below(4));
    if (!processes.containsKey(pid)) {
      Machinery process = new Machinery(pid, name(), false);
      processes.put(pid, process);
      pids.add(pid);
      a.process(pid, process.name);
      ownTime();
      a.image(pid, APP, IMAGE_SIZE, process.name);
      process.images.put(APP, process.name);
    }
  }

  private void endProcess() {
    Machinery process = anyProcess();
    if (process == null
        || process.late
        || threads.values().stream().anyMatch(t -> t.process == process && t.late)) {
      return;
    }
    for (Strand thread : List.copyOf(threads.values())) {
      if (thread.process == process) {
        end(thread);
        ownTime();
      }
    }
    // What only a rundown has is reported before it is too late.
    rundownOf(process);
    if (g.flag()) {
      process.images.forEach((base, name) -> a.imageUnload(process.pid, base, IMAGE_SIZE, name));
      ownTime();
    }
    a.processEnd(process.pid, process.name);
    processes.remove(process.pid);
  }

  private void library() {
    Machinery process = anyProcess();
    if (process == null) {
      return;
    }
    long base = LIBRARY + 0x10_0000L * g.below(3);
    String there = process.images.get(base);
    if (there == null) {
      String name = g.oneOf("x.dll", "y.dll", "z.dll");
      process.images.put(base, name);
      a.image(process.pid, base, IMAGE_SIZE, name);
    } else if (!process.lateImages.contains(base)) {
      process.images.remove(base);
      a.imageUnload(process.pid, base, IMAGE_SIZE, there);
    }
  }

  private void method() {
    Machinery process = anyProcess();
    if (process == null) {
      return;
    }
    a.as(process.pid, 1);
    long start = METHOD + 0x10_0000L * g.below(3);
    String there = process.methods.get(start);
    if (there == null) {
      String name = g.oneOf("Match", "Find");
      process.methods.put(start, name);
      a.method(start, METHOD_SIZE, "Shop.Stock", name);
    } else if (!process.lateMethods.contains(start)) {
      process.methods.remove(start);
      a.methodUnload(start, METHOD_SIZE, "Shop.Stock", there);
    }
  }

  private void rundownOf(Machinery process) {
    process.images.forEach((base, name) -> {
      if (process.lateImages.contains(base) || g.flag()) {
        a.imageRundownAtEnd(process.pid, base, IMAGE_SIZE, name);
      }
    });
    a.as(process.pid, 1);
    process.methods.forEach((start, name) -> {
      if (process.lateMethods.contains(start) || g.flag()) {
        a.methodRundownAtEnd(start, METHOD_SIZE, "Shop.Stock", name);
      }
    });
    ownTime();
  }

  /** Logs all that was there from the start and all that is still there. */
  void rundown() {
    ownTime();
    a.on(0).as(-1, -1);
    for (Machinery process : processes.values()) {
      if (process.late || g.flag()) {
        a.processRundownAtEnd(process.pid, process.name);
      }
    }
    for (Strand thread : threads.values()) {
      if (thread.late || g.flag()) {
        a.threadRundownAtEnd(thread.process.pid, thread.tid);
      }
    }
    ownTime();
    for (Machinery process : processes.values()) {
      a.as(-1, -1);
      rundownOf(process);
    }
  }
}

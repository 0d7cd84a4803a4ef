package io.ntrail.analysis.etw;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.etw.weights.WeightSource;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.naming.FrameLookup.Hit;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.Images;
import io.ntrail.analysis.naming.Lifetimes;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.analysis.naming.ProcessNames;
import io.ntrail.analysis.profile.ProfileAggregator;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.analysis.profile.WeightedStack;
import io.ntrail.formats.collections.LongLongMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists of what an ETW recording tells of: processes, threads, images, compiled methods, with their
 * lifetimes and the CPU time that the timer's samples saw in them. Those with the most CPU time
 * come first.
 */
public final class RecordedMachine {
  /**
   * Time in which something was there, in nanoseconds since the start.
   *
   * @param start {@link Long#MIN_VALUE} if it was there before the recording
   * @param end {@link Long#MAX_VALUE} if no end is recorded
   */
  public record Life(long start, long end) {
    /** Returns whether the beginning is recorded. */
    public boolean hasStart() {
      return start != Long.MIN_VALUE;
    }

    /** Returns whether the end is recorded. */
    public boolean hasEnd() {
      return end != Long.MAX_VALUE;
    }
  }

  /**
   * A process.
   *
   * @param parent id of the process that started it; -1 if not recorded
   * @param commandLine null if not recorded
   * @param cpuNanos CPU time by samples; negative without any sample in the recording
   * @param threads number of its threads that the recording tells of
   */
  public record ProcessRow(
      int pid,
      String name,
      int parent,
      @Nullable String commandLine,
      Life life,
      long cpuNanos,
      int threads) {}

  /**
   * A thread.
   *
   * @param process name of its process; null if not recorded
   * @param name null if it has none
   * @param cpuNanos CPU time by samples; negative without any sample in the recording
   */
  public record ThreadRow(
      int tid,
      int pid,
      @Nullable String process,
      @Nullable String name,
      Life life,
      long cpuNanos) {}

  /**
   * A load of an image.
   *
   * @param pid process; 0 for images of the kernel
   * @param process its name; null if not recorded, and for the kernel
   * @param path with drive letters, as far as these were recorded
   * @param cpuNanos CPU time by samples in the image in this process, all its loads there together
   *     and, of the kernel's images, in all processes; negative without any sample in the recording
   */
  public record ImageRow(
      int pid,
      @Nullable String process,
      String path,
      long base,
      long size,
      int timestamp,
      Optional<PdbReference> pdb,
      Life life,
      long cpuNanos) {}

  /**
   * Code of a method that a runtime compiled.
   *
   * @param process name of the process; null if not recorded
   * @param name class and method; null if not recorded
   * @param module path of its module; null if unknown
   */
  public record MethodRow(
      int pid,
      @Nullable String process,
      @Nullable String name,
      @Nullable String module,
      long address,
      long size,
      Life life) {}

  /** CPU time of processes, threads and images, by their numbers. */
  private static final class CpuTimes implements ProfileAggregator {
    private final Machine machine;
    private final LongLongMap processes = new LongLongMap();
    private final LongLongMap threads = new LongLongMap();
    private final LongLongMap images = new LongLongMap();
    private final Hit hit = new Hit();

    CpuTimes(Machine machine) {
      this.machine = machine;
    }

    @Override
    public void add(WeightedStack stack) {
      int process = ProcessNames.NO_ID;
      if (stack.process() != ProcessNames.NO_ID) {
        process = machine.processNumber(stack.process(), stack.key());
        processes.add(process, stack.weight());
      }
      if (stack.thread() != ProcessNames.NO_ID) {
        threads.add(machine.threadNumber(stack.thread(), stack.key()), stack.weight());
      }
      if (stack.innermost(hit, 1) && hit.file() >= 0) {
        images.add(image(process, hit.file()), stack.weight());
        images.add(image(-1, hit.file()), stack.weight());
      }
    }

    /** Returns the key of an image in a process; of process -1 for all together. */
    static long image(int process, int file) {
      return (long) process << 32 | file;
    }
  }

  private final EtwRecording recording;
  private final Machine machine;
  private final @Nullable CpuTimes cpu;
  private final long total;

  private RecordedMachine(
      EtwRecording recording, Machine machine, @Nullable CpuTimes cpu, long total) {
    this.recording = recording;
    this.machine = machine;
    this.cpu = cpu;
    this.total = total;
  }

  /** Surveys a recording and adds up its samples. */
  public static RecordedMachine of(EtwRecording recording, int cores) {
    ProfileInput input =
        ProfileInput.of(recording, new SchemaSources(UserSchemas.NONE), cores, false);
    Machine machine = input.machine();
    WeightSource samples = WeightSources.usual();
    if (samples.events(input.inventory()) == 0) {
      return new RecordedMachine(recording, machine, null, 0);
    }
    CpuTimes cpu = new CpuTimes(machine);
    Profiler profiler =
        new Profiler(
            input,
            new Profiler.Request(samples, WeightUnit.NANOS, Variant.ONLY, ProfileScope.ALL),
            null);
    profiler.run(cpu);
    return new RecordedMachine(recording, machine, cpu, profiler.total());
  }

  /** Returns whether the timer's samples were recorded, so that CPU times are known. */
  public boolean hasCpuTimes() {
    return cpu != null;
  }

  /** Returns the CPU time of all samples that were not idle, in nanoseconds. */
  public long total() {
    return total;
  }

  /** Returns how much was left out at memory limits. */
  public long leftOut() {
    return machine.leftOut();
  }

  /** Returns the processes. */
  public List<ProcessRow> processes() {
    Lifetimes lives = machine.processLives();
    Map<Integer, Integer> threads = new HashMap<>();
    for (int thread = 0; thread < machine.threadLives().lives(); thread++) {
      threads.merge(processOfThread(thread), 1, Integer::sum);
    }
    List<ProcessRow> rows = new ArrayList<>();
    for (int number = 0; number < lives.lives(); number++) {
      ProcessInstance process = machine.processOfNumber(number);
      rows.add(
          new ProcessRow(
              lives.id(number),
              process.image(),
              process.parent(),
              process.commandLine(),
              life(lives.from(number), lives.to(number)),
              cpu == null ? -1 : cpu.processes.get(number),
              threads.getOrDefault(number, 0)));
    }
    rows.sort(
        Comparator.comparingLong((ProcessRow row) -> -row.cpuNanos)
            .thenComparingLong(row -> Integer.toUnsignedLong(row.pid))
            .thenComparingLong(row -> row.life.start));
    return rows;
  }

  /** Returns the number of a thread's process; -1 if not recorded. */
  private int processOfThread(int thread) {
    Lifetimes lives = machine.threadLives();
    int pid = lives.value(thread);
    int there = machine.processNumber(pid, lives.from(thread));
    return there >= 0 ? there : machine.processNumber(pid, lives.to(thread));
  }

  private @Nullable String processName(int number, int pid) {
    return machine.processName(number, pid);
  }

  /** Returns the threads. */
  public List<ThreadRow> threads() {
    Lifetimes lives = machine.threadLives();
    List<ThreadRow> rows = new ArrayList<>();
    for (int number = 0; number < lives.lives(); number++) {
      int tid = lives.id(number);
      int pid = lives.value(number);
      rows.add(
          new ThreadRow(
              tid,
              pid,
              processName(processOfThread(number), pid),
              machine.threadName(tid, lives.to(number)),
              life(lives.from(number), lives.to(number)),
              cpu == null ? -1 : cpu.threads.get(number)));
    }
    rows.sort(
        Comparator.comparingLong((ThreadRow row) -> -row.cpuNanos)
            .thenComparingLong(row -> Integer.toUnsignedLong(row.pid))
            .thenComparingLong(row -> Integer.toUnsignedLong(row.tid))
            .thenComparingLong(row -> row.life.start));
    return rows;
  }

  /** Returns the loads of images. */
  public List<ImageRow> images() {
    Images images = machine.images();
    List<ImageRow> rows = new ArrayList<>();
    for (Images.Load load : images.loads()) {
      ImageFile file = images.files().get(load.file());
      int process = processAt(load.pid(), load.from(), load.to());
      rows.add(
          new ImageRow(
              load.pid(),
              load.pid() == 0 ? null : processName(process, load.pid()),
              machine.volumes().path(file.path()),
              load.base(),
              load.size(),
              file.timeDateStamp(),
              images.pdb(load.file()),
              life(load.from(), endIn(process, load.to())),
              cpu == null
                  ? -1
                  : cpu.images.get(CpuTimes.image(load.pid() == 0 ? -1 : process, load.file()))));
    }
    rows.sort(
        Comparator.comparingLong((ImageRow row) -> -row.cpuNanos)
            .thenComparing(ImageRow::path)
            .thenComparingLong(row -> Integer.toUnsignedLong(row.pid))
            .thenComparingLong(row -> row.life.start)
            .thenComparing(ImageRow::base, Long::compareUnsigned));
    return rows;
  }

  /** Returns the number of the process that an id meant in a time; -1 if not recorded. */
  private int processAt(int pid, long from, long to) {
    int there = machine.processNumber(pid, from);
    return there >= 0 ? there : machine.processNumber(pid, to == Long.MAX_VALUE ? to : to - 1);
  }

  /** Returns the end of what is in a process: the moment after that of the process is none. */
  private long endIn(int process, long to) {
    return process < 0 ? to : Math.min(to, machine.processLives().to(process));
  }

  /** Returns the compiled methods, by process and name. */
  public List<MethodRow> methods() {
    List<MethodRow> rows = new ArrayList<>();
    machine
        .methods()
        .forEach(code -> {
          int process = processAt(code.pid(), code.from(), code.to());
          rows.add(
              new MethodRow(
                  code.pid(),
                  processName(process, code.pid()),
                  code.name(),
                  code.module(),
                  code.address(),
                  code.size(),
                  life(code.from(), endIn(process, code.to()))));
        });
    rows.sort(
        Comparator.comparingLong((MethodRow row) -> Integer.toUnsignedLong(row.pid))
            .thenComparing(MethodRow::name, Comparator.nullsLast(Comparator.naturalOrder()))
            .thenComparing(MethodRow::address, Long::compareUnsigned)
            .thenComparingLong(row -> row.life.start));
    return rows;
  }

  private Life life(long from, long to) {
    return new Life(nanos(from), nanos(to));
  }

  /** Returns a time of the machine in nanoseconds since the start; unknown ones stay so. */
  private long nanos(long key) {
    return key == Long.MIN_VALUE || key == Long.MAX_VALUE || !recording.oneClock()
        ? key
        : recording.nanos(recording.files().getFirst(), key);
  }
}

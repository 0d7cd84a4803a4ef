package io.ntrail.testkit.etl;

import static io.ntrail.testkit.etl.ProfileBuffers.putInt;
import static io.ntrail.testkit.etl.ProfileBuffers.putLong;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.ProfileProcesses.Proc;
import io.ntrail.testkit.etl.ProfileProcesses.Task;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Streams a recording of any size for profiles to a file with little memory, and keeps account of
 * what they have to find in it: 16 CPUs, two sessions merged, buffers out of order, samples whose
 * stacks are keys that only the file's end defines, and processes that come and go. The same size,
 * number of stacks and seed give the same bytes.
 *
 * <p>{@code samples/busy.etl} is one of 1 MB; a test compares the two. All time stamps differ. What
 * a sample counts for follows docs/profile.md: a thread that has ended and still runs counts for
 * its process, whose images are then gone.
 */
public final class BigProfile {
  /** CPUs of the recording. */
  public static final int CPUS = ProfileBuffers.CPUS;

  /** Time between samples, in units of 100 ns, as recorded. */
  public static final int INTERVAL = 2210;

  static final int DEFAULT_STACKS = 1_200_000;
  private static final int PROCESSES = 40;
  private static final int SYSTEM_THREADS = 24;
  private static final long FILE_KEY = 0xFFFF_B40A_7000_0000L;
  private static final int TERMINATED = 4;
  private static final int WAITING = 5;
  private static final int PREEMPTED = 1;

  /** The part of a stack in user mode, or the completion of a disk's operation: logged later. */
  private record Later(
      long due, long begun, boolean disk, int pid, int tid, int stack, int bytes, long irp) {}

  private final FileChannel channel;
  private final EtlSettings settings;
  private final ProfileBuffers buffers;
  private final XorShift64 dice;
  private final ProfileStacks stacks;
  private final ProfileProcesses world;
  private final ProfileTruth truth;
  private final BitSet used;
  private final PriorityQueue<Later> later =
      new PriorityQueue<>(Comparator.comparingLong(Later::due).thenComparingLong(Later::begun));
  private long time;
  private long definitionBytes;
  private long kernelReferences;
  private long userReferences;
  private long delayedReferences;
  private long contextSwitches;
  private long operations;

  private BigProfile(FileChannel channel, int distinctStacks, long seed) {
    this.channel = channel;
    this.settings =
        EtlSettings.windows11()
            .bufferSize(ProfileBuffers.SIZE)
            .processors(CPUS)
            .mode(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_RELOG)
            .names("Relogger", "[multiple files]")
            .headerLogger(0);
    this.buffers = new ProfileBuffers(channel, seed ^ 0x5DEE_CE66DL);
    this.dice = new XorShift64(seed);
    this.stacks = new ProfileStacks(distinctStacks);
    this.world = new ProfileProcesses(dice);
    this.truth = new ProfileTruth(settings.startTicks());
    this.used = new BitSet(distinctStacks);
    this.time = settings.startTicks() + 100;
  }

  /**
   * Writes the file, about {@code size} bytes unless that is less than a few buffers.
   *
   * @param distinctStacks how many different stacks there are; large files refer to all of them
   */
  public static ProfileTruth write(Path file, long size, int distinctStacks, long seed)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      return new BigProfile(channel, distinctStacks, seed).run(size);
    }
  }

  /**
   * Command line: FILE SIZE-IN-MB [DISTINCT-STACKS [SEED]]. Writes what is true about the file to
   * FILE.truth.json beside it.
   *
   * @param arguments as said
   */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    long size = Long.parseLong(arguments[1]) * 1_000_000;
    int stacks = arguments.length > 2 ? Integer.parseInt(arguments[2]) : DEFAULT_STACKS;
    long seed = arguments.length > 3 ? Long.parseLong(arguments[3]) : 1;
    long start = System.nanoTime();
    ProfileTruth truth = write(file, size, stacks, seed);
    double seconds = (System.nanoTime() - start) / 1e9;
    Files.writeString(Path.of(file + ".truth.json"), truth.json());
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.println(truth.counts());
    out.println(truth.total());
    out.printf("%.1f s, %.0f MB/s%n", seconds, Files.size(file) / 1e6 / seconds);
  }

  private ProfileTruth run(long size) throws IOException {
    channel.write(ByteBuffer.wrap(header(1)));
    writeRundown();
    while (buffers.bytes() + definitionBytes < size) {
      step();
    }
    while (!later.isEmpty()) {
      time += 2;
      log(later.remove());
    }
    truth.end(time);
    buffers.flush();
    long lastReference = time;
    writeDefinitions();
    buffers.flush();
    channel.write(ByteBuffer.wrap(header(buffers.written())), 0);
    buffers.countInto(truth);
    truth.count("intervalNanos", INTERVAL * 100L);
    truth.count("firstDefinitionNanos", (lastReference + 2 - settings.startTicks()) * 100);
    truth.count("kernelReferences", kernelReferences);
    truth.count("userReferences", userReferences);
    truth.count("delayedReferences", delayedReferences);
    truth.count("references", kernelReferences + userReferences);
    truth.count("distinctStacks", used.cardinality());
    truth.count("definitionBytes", definitionBytes);
    truth.count("contextSwitches", contextSwitches);
    truth.count(
        "unfinishedWaits",
        world.ready().stream().filter(task -> task.leftState == WAITING).count());
    return truth;
  }

  private byte[] header(long written) {
    settings.buffersWritten(written).endTime(settings.fileTimeOf(time));
    return new EtlWriter(settings).toByteArray();
  }

  /** Writes the rundown at the start of the sessions. */
  private void writeRundown() throws IOException {
    buffers.perfInfo(0, 0x0F49, 3, time, KernelPayloads.interval(0, INTERVAL, "Timer"));
    for (int i = 0; i < SYSTEM_THREADS; i++) {
      world.newTask(world.system);
    }
    for (int i = 0; i < PROCESSES; i++) {
      Proc made = world.newProcess(4, ProfileStacks.pickProgram(dice));
      for (int t = 2 + dice.below(7); t > 0; t--) {
        world.newTask(made);
      }
    }
    rundown(world.idle.process, List.of(world.idle));
    rundown(world.system, world.system.tasks);
    for (Proc process : world.processes) {
      rundown(process, process.tasks);
    }
  }

  private void rundown(Proc process, List<Task> tasks) throws IOException {
    kernel(0, 0x0303, 4, 4, 8, process.payload(0x103));
    for (Task task : tasks) {
      kernel(0, 0x0503, 3, 4, 8, task.payload());
    }
    for (ProfileStacks.Image image : stacks.imagesOf(process.name)) {
      kernel(0, 0x1403, 3, 4, 8, image.payload(process.pid));
    }
  }

  private void kernel(int cpu, int hook, int version, int pid, int tid, LittleEndian payload)
      throws IOException {
    time += 3;
    buffers.system(cpu, hook, version, time, pid, tid, payload);
  }

  private void kernel(Task from, int hook, int version, LittleEndian payload) throws IOException {
    kernel(from.cpu, hook, version, from.process.pid, from.tid, payload);
  }

  private void step() throws IOException {
    long random = dice.next();
    time += 1 + ((random >>> 3) & 63);
    Later next = later.peek();
    if (next != null && next.due <= time) {
      log(later.remove());
      time++;
    }
    int cpu = (int) ((random >>> 9) & (CPUS - 1));
    int what = (int) ((random >>> 16) & 0xFFF);
    if (what < 1760) {
      contextSwitch(cpu, random);
    } else if (what < 2784) {
      sample(cpu, random);
    } else if (what < 4000) {
      event(cpu, random);
    } else if (what < 4060) {
      diskRead(cpu, random);
    } else if (what < 4094) {
      hardFault(cpu, random);
    } else if (what == 4094) {
      if (world.processes.size() < PROCESSES + 8 && (random >>> 28 & 1) == 0) {
        startProcess(cpu);
      } else if (world.processes.size() > PROCESSES - 8) {
        endProcess(cpu);
      }
    } else {
      threadStartOrEnd(cpu, random);
    }
  }

  private void contextSwitch(int cpu, long random) throws IOException {
    boolean idle = world.running(cpu) != world.idle && (random >>> 28 & 3) == 0;
    switchTo(cpu, idle ? world.idle : world.pickReady(), (random >>> 30 & 7) == 0);
  }

  private void switchTo(int cpu, Task to, boolean preempts) throws IOException {
    Task from = world.running(cpu);
    int state = from.ended ? TERMINATED : from == world.idle ? 2 : preempts ? PREEMPTED : WAITING;
    int at = buffers.perfInfo(cpu, 24, 0x0524, 4, time);
    byte[] b = buffers.kernel(cpu);
    putInt(b, at, to.tid);
    putInt(b, at + 4, from.tid);
    putInt(b, at + 8, 0x0000_0808);
    putInt(b, at + 12, 0x0000_0106 | state << 16);
    putLong(b, at + 16, 0L);
    contextSwitches++;
    if (to != world.idle && to.leftState == WAITING) {
      truth.waited(to.process.name, time - to.leftTime);
    }
    from.leftTime = time;
    from.leftState = state;
    world.run(cpu, to);
  }

  /** The thread on a CPU; makes one run there if that is idle or has ended. */
  private Task busy(int cpu) throws IOException {
    Task task = world.running(cpu);
    if (task == world.idle || task.ended) {
      switchTo(cpu, world.pickReady(), false);
      time += 2;
    }
    return world.running(cpu);
  }

  private void sample(int cpu, long random) throws IOException {
    Task task = world.running(cpu);
    boolean deferred = task == world.idle && (random >>> 28 & 31) == 0;
    if (task == world.idle && !deferred) {
      long ip = stacks.kernelImages().getFirst().base() + 0x1000 + (random >>> 33 & 0x3F);
      sampleRecord(cpu, ip, 0, 0);
      truth.idle(time);
      return;
    }
    boolean system = task.process.name <= ProfileStacks.SYSTEM;
    boolean inKernel = system || task.ended || (random >>> 28 & 3) == 0;
    boolean userPart = !system && (!task.ended || (random >>> 30 & 3) == 0);
    boolean bare = (random >>> 32 & 63) == 0;
    int kernelStack = inKernel ? stacks.pickKernel(dice.next()) : -1;
    int userStack = userPart ? stacks.pickUser(dice.next(), task.process.name) : -1;
    long modules = 0;
    long ip = 0;
    int self = ProfileStacks.UNKNOWN;
    if (userStack >= 0) {
      stacks.derive(userStack);
      modules = task.process.gone ? 1L << ProfileStacks.UNKNOWN : stacks.modules();
      ip = stacks.frame(0);
      self = stacks.innermostModule();
    }
    if (kernelStack >= 0) {
      stacks.derive(kernelStack);
      modules |= stacks.modules();
      ip = stacks.frame(0);
      self = stacks.innermostModule();
    }
    if ((random >>> 38 & 15) == 0) {
      // The stack was walked a moment later: its innermost frame is another one.
      stacks.derive(
          inKernel
              ? stacks.pickKernel(dice.next())
              : stacks.pickUser(dice.next(), task.process.name));
      ip = stacks.frame(0);
      self = stacks.innermostModule();
    }
    long sampled = time;
    sampleRecord(cpu, ip, task.tid, deferred ? 1 + (int) (random >>> 42 & 1) : 0);
    truth.busy(sampled, task.process.name, self, bare ? 0 : modules);
    if (bare) {
      return;
    }
    stackReferences(cpu, task, sampled, kernelStack, userStack, random >>> 44);
  }

  private void sampleRecord(int cpu, long ip, int tid, int flags) throws IOException {
    int at = buffers.perfInfo(cpu, 16, 0x0F2E, 2, time);
    byte[] b = buffers.kernel(cpu);
    putLong(b, at, ip);
    putInt(b, at + 8, tid);
    putInt(b, at + 12, 1 | flags << 16);
  }

  /** The kernel's part at once; the other one too, or when the thread has left the kernel. */
  private void stackReferences(
      int cpu, Task task, long named, int kernelStack, int userStack, long random)
      throws IOException {
    if (kernelStack >= 0) {
      time++;
      reference(cpu, 0x1825, named, task.process.pid, task.tid, kernelStack);
    }
    if (userStack < 0) {
      return;
    }
    if (kernelStack >= 0 && (random & 7) == 0) {
      long most = (random >>> 3 & 15) == 0 ? 30_000_000 : 100_000;
      long due = time + 1 + (random >>> 7 & 0x1FFF) * most / 0x2000;
      later.add(new Later(due, named, false, task.process.pid, task.tid, userStack, 0, 0));
      delayedReferences++;
    } else {
      time++;
      reference(cpu, 0x1826, named, task.process.pid, task.tid, userStack);
    }
  }

  private void reference(int cpu, int hook, long named, int pid, int tid, int stack)
      throws IOException {
    int at = buffers.perfInfo(cpu, 24, hook, 2, time);
    byte[] b = buffers.kernel(cpu);
    putLong(b, at, named);
    putInt(b, at + 8, pid);
    putInt(b, at + 12, tid);
    putLong(b, at + 16, ProfileStacks.key(stack));
    if (hook == 0x1825) {
      kernelReferences++;
    } else {
      userReferences++;
    }
    if (!used.get(stack)) {
      used.set(stack);
      stacks.derive(stack);
      definitionBytes += 24 + 8L * stacks.frames();
    }
  }

  private void log(Later what) throws IOException {
    int cpu = (int) (what.begun & (CPUS - 1));
    if (!what.disk) {
      reference(cpu, 0x1826, what.begun, what.pid, what.tid, what.stack);
      return;
    }
    long response = time - what.begun;
    LittleEndian payload =
        KernelPayloads.disk(
            0, 0x0006_0043, what.bytes, what.begun << 12, FILE_KEY, what.irp, response, what.tid);
    buffers.perfInfo(cpu, 0x010A, 3, time, payload);
    truth.disk(time, world.nameOfThread(what.tid), response, what.bytes);
  }

  private void diskRead(int cpu, long random) throws IOException {
    Task task = busy(cpu);
    long irp = 0xFFFF_B40A_11D2_0000L + operations++ % 4096 * 0x1000;
    long begun = time;
    buffers.perfInfo(cpu, 0x010C, 3, begun, KernelPayloads.diskInit(irp, task.tid));
    int bytes = 4096 << (random >>> 28 & 7);
    long due = begun + 100 + (random >>> 31 & 0xFFFF);
    later.add(new Later(due, begun, true, task.process.pid, task.tid, 0, bytes, irp));
    boolean system = task.process == world.system;
    int user = system ? -1 : stacks.pickUser(dice.next(), task.process.name);
    stackReferences(cpu, task, begun, stacks.pickKernel(dice.next()), user, random >>> 44);
  }

  private void hardFault(int cpu, long random) throws IOException {
    Task task = busy(cpu);
    int bytes = 4096 << (random >>> 28 & 3);
    int at = buffers.perfInfo(cpu, 40, 0x0220, 2, time);
    byte[] b = buffers.kernel(cpu);
    putLong(b, at, time - 1 - (random >>> 31 & 0xFFF));
    putLong(b, at + 8, (random >>> 30 & 0xFFFF) << 12);
    putLong(b, at + 16, 0x7FFB_3000_2000L);
    putLong(b, at + 24, FILE_KEY);
    putInt(b, at + 32, task.tid);
    putInt(b, at + 36, bytes);
    truth.count("hardFaults", 1);
    truth.count("hardFaultBytes", bytes);
  }

  private void event(int cpu, long random) throws IOException {
    Task task = world.running(cpu);
    int payload = 8 + (int) ((random >>> 28) & 63);
    int id = 1 + (int) ((random >>> 40) & 3);
    int at = buffers.event(cpu, payload, time, task.process.pid, task.tid, id);
    byte[] b = buffers.user(cpu);
    putLong(b, at, buffers.events() - 1);
    for (int i = 8; i < payload; i += 8) {
      putLong(b, at + i, random);
    }
  }

  private void startProcess(int cpu) throws IOException {
    Task parent = busy(cpu);
    Proc made = world.newProcess(parent.process.pid, ProfileStacks.pickProgram(dice));
    kernel(parent, 0x0301, 4, made.payload(0x103));
    for (int t = 2 + dice.below(7); t > 0; t--) {
      kernel(parent, 0x0501, 3, world.newTask(made).payload());
    }
    truth.count("threadStarts", made.tasks.size());
    Task first = made.tasks.getFirst();
    time += 2;
    switchTo(cpu, first, false);
    for (ProfileStacks.Image image : stacks.imagesOf(made.name)) {
      kernel(first, 0x030A, 3, image.payload(made.pid));
      truth.count("imageLoads", 1);
    }
    truth.count("processStarts", 1);
  }

  /** All its threads end, each while it runs, the last one after its images have gone. */
  private void endProcess(int cpu) throws IOException {
    Proc process = world.processes.get(dice.below(world.processes.size()));
    while (!process.tasks.isEmpty()) {
      Task task = process.tasks.getFirst();
      if (task.cpu < 0) {
        time += 2;
        switchTo(cpu, task, false);
      }
      if (process.tasks.size() == 1) {
        // For some that is not recorded: their images are there until they end.
        if (dice.below(8) > 0) {
          for (ProfileStacks.Image image : stacks.imagesOf(process.name)) {
            kernel(task, 0x1402, 3, image.payload(process.pid));
            truth.count("imageUnloads", 1);
          }
        }
        kernel(task, 0x0302, 4, process.payload(0));
      }
      kernel(task, 0x0502, 3, task.payload());
      truth.count("threadEnds", 1);
      world.end(task);
    }
    world.end(process);
    truth.count("processEnds", 1);
  }

  private void threadStartOrEnd(int cpu, long random) throws IOException {
    Task task = busy(cpu);
    if (task.process == world.system) {
      return;
    }
    if ((random >>> 28 & 1) == 0 && task.process.tasks.size() < 12) {
      kernel(task, 0x0501, 3, world.newTask(task.process).payload());
      truth.count("threadStarts", 1);
    } else if (task.process.tasks.size() > 1) {
      kernel(task, 0x0502, 3, task.payload());
      truth.count("threadEnds", 1);
      world.end(task);
    }
  }

  /** Defines the keys that were used, in no order, as one thread would that changes its CPU. */
  private void writeDefinitions() throws IOException {
    int total = stacks.total();
    int stride = total % 1_000_003 == 0 ? 1 : 1_000_003;
    int stack = 0;
    for (int i = 0; i < total; i++) {
      stack = (int) (((long) stack + stride) % total);
      if (!used.get(stack)) {
        continue;
      }
      stacks.derive(stack);
      time += 2;
      int cpu = i >>> 14 & (CPUS - 1);
      int frames = stacks.frames();
      int at = buffers.perfInfo(cpu, 8 + 8 * frames, 0x1824, 2, time);
      byte[] b = buffers.kernel(cpu);
      putLong(b, at, ProfileStacks.key(stack));
      for (int f = 0; f < frames; f++) {
        putLong(b, at + 8 + 8 * f, stacks.frame(f));
      }
    }
  }
}

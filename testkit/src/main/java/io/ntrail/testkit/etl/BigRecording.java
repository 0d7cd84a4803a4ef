package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Streams a recording of any size to a file with little memory: 16 CPUs, a kernel and a user
 * session (two LoggerIds) merged, buffers out of order, context switches, samples with stacks and
 * provider events of about 75 bytes on average. The same size and seed give the same bytes.
 */
public final class BigRecording {
  /** CPUs of the recording. */
  public static final int CPUS = 16;

  /** LoggerId of the kernel session's buffers. */
  public static final int KERNEL_LOGGER = 0x02;

  /** LoggerId of the user session's buffers. */
  public static final int USER_LOGGER = 0x1D;

  private static final byte[] NONE = {};
  private static final int WINDOW = 48;
  private static final int PROCESSES = 40;
  private static final int THREADS = 400;
  private static final long KERNEL_CODE = 0xFFFF_F803_1200_0000L;
  private static final long USER_CODE = 0x7FFB_1000_0000L;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /**
   * Totals of the file.
   *
   * @param bytes of the file
   * @param buffers the header buffer included
   * @param records all of them, the header buffer's included
   * @param recordsByHeader by the name of {@link EtlKind}
   * @param contextSwitches records 0524
   * @param busySamples records 0F2E of threads other than idle
   * @param idleSamples records 0F2E of thread 0
   * @param stacks records 1820
   * @param firstTime the earliest raw time, the header record left out
   * @param lastTime the latest raw time
   */
  public record Totals(
      long bytes,
      long buffers,
      long records,
      Map<String, Long> recordsByHeader,
      long contextSwitches,
      long busySamples,
      long idleSamples,
      long stacks,
      long firstTime,
      long lastTime) {}

  private final FileChannel channel;
  private final int bufferSize;
  private final EtlSettings settings;
  private final byte[][] open = new byte[2 * CPUS][];
  private final int[] used = new int[2 * CPUS];
  private final long[] sequences = new long[2 * CPUS];
  private final long[] lastTimes = new long[2 * CPUS];
  private final byte[][] window = new byte[WINDOW][];
  private final ArrayDeque<byte[]> spare = new ArrayDeque<>();
  private final int[] running = new int[CPUS];
  private int windowed;
  private long sequence = 1;
  private long time;
  private long state;
  private long buffersWritten = 1;
  private long contextSwitches;
  private long busySamples;
  private long idleSamples;
  private long stacks;
  private long events;
  private long rundown;

  private BigRecording(FileChannel channel, int bufferSize, long seed) {
    this.channel = channel;
    Arrays.fill(open, NONE);
    Arrays.fill(window, NONE);
    this.bufferSize = bufferSize;
    this.state = seed * 0x9E37_79B9_7F4A_7C15L + 1;
    this.settings =
        EtlSettings.windows11()
            .bufferSize(bufferSize)
            .processors(CPUS)
            .mode(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_RELOG)
            .names("Relogger", "[multiple files]")
            .headerLogger(0);
    this.time = settings.startTicks() + 100;
  }

  /**
   * Writes the file, at least {@code size} bytes unless that is less than a few buffers.
   *
   * @param bufferSize bytes of a buffer, 65,536 in most recordings
   */
  public static Totals write(Path file, long size, int bufferSize, long seed) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      return new BigRecording(channel, bufferSize, seed).run(size);
    }
  }

  /**
   * Command line: FILE SIZE-IN-MB [BUFFER-BYTES [SEED]].
   *
   * @param arguments as said
   */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    long size = Long.parseLong(arguments[1]) * 1_000_000;
    int buffer = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 65536;
    long seed = arguments.length > 3 ? Long.parseLong(arguments[3]) : 1;
    long start = System.nanoTime();
    Totals totals = write(file, size, buffer, seed);
    double seconds = (System.nanoTime() - start) / 1e9;
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.println(totals);
    out.printf("%.1f s, %.0f MB/s%n", seconds, totals.bytes / 1e6 / seconds);
  }

  private Totals run(long size) throws IOException {
    long first = time;
    channel.write(ByteBuffer.wrap(header(1)));
    writeRundown();
    while ((buffersWritten + windowed) * bufferSize < size) {
      step();
    }
    for (int slot = 0; slot < open.length; slot++) {
      if (open[slot].length > 0) {
        close(slot, EtlBuffer.FLAG_FLUSH_MARKER);
      }
    }
    while (windowed > 0) {
      emit((int) (next() >>> 33) % windowed);
    }
    channel.write(ByteBuffer.wrap(header(buffersWritten)), 0);
    Map<String, Long> kinds = new TreeMap<>();
    kinds.put("SYSTEM64", rundown + 1);
    kinds.put("PERFINFO64", contextSwitches + busySamples + idleSamples + stacks);
    kinds.put("EVENT64", events);
    long records = kinds.values().stream().mapToLong(Long::longValue).sum();
    return new Totals(
        channel.size(),
        buffersWritten,
        records,
        Map.copyOf(kinds),
        contextSwitches,
        busySamples,
        idleSamples,
        stacks,
        first,
        time);
  }

  private byte[] header(long buffers) {
    settings.buffersWritten(buffers).endTime(settings.fileTimeOf(time));
    return new EtlWriter(settings).toByteArray();
  }

  /** Names for what follows: processes, threads and images as a session's start lists them. */
  private void writeRundown() throws IOException {
    String[] names = {"shopd.exe", "stockd.exe", "MsMpEng.exe", "svchost.exe"};
    for (int i = 0; i < PROCESSES; i++) {
      int pid = 4 + 4 * i;
      String name = i == 0 ? "System" : names[i % names.length];
      rundown(0x0303, 4, KernelPayloads.process(pid, 4, i == 0 ? 0 : 1, 0x103, name, name));
      if (i > 0) {
        rundown(
            0x1403,
            3,
            KernelPayloads.image(
                USER_CODE, 0x100_0000, pid, 0, 0x698B_D3A1, "\\Windows\\System32\\shopcore.dll"));
      }
    }
    String kernel = "\\SystemRoot\\system32\\ntoskrnl.exe";
    rundown(0x1403, 3, KernelPayloads.image(KERNEL_CODE, 0x100_0000, 0, 0, 0x5E1C_7A90, kernel));
    for (int i = 0; i < THREADS; i++) {
      int tid = 1000 + 4 * i;
      rundown(0x0503, 3, KernelPayloads.thread(process(tid), tid, USER_CODE + 0x1000, 8, ""));
    }
  }

  private void rundown(int hook, int version, LittleEndian payload) throws IOException {
    byte[] bytes =
        EtlRecords.system(8, hook)
            .version(version)
            .time(time)
            .thread(4, 8)
            .payload(payload)
            .build()
            .bytes();
    int slot = room(0, (bytes.length + 7) & ~7);
    System.arraycopy(bytes, 0, open[slot], used[slot] - ((bytes.length + 7) & ~7), bytes.length);
    rundown++;
    time += 3;
  }

  private static int process(int tid) {
    return tid == 0 ? 0 : 4 + 4 * ((tid - 1000) / 4 % PROCESSES);
  }

  private long next() {
    // xorshift64*: good enough here, and far cheaper than the generators of the library.
    state ^= state >>> 12;
    state ^= state << 25;
    state ^= state >>> 27;
    return state * 0x2545_F491_4F6C_DD1DL;
  }

  private void step() throws IOException {
    long dice = next();
    // Steps of 1 to 8 ticks; time stamps are unique but for a stack and its event's own field.
    time += 1 + ((dice >>> 3) & 7);
    int cpu = (int) ((dice >>> 8) & (CPUS - 1));
    int what = (int) ((dice >>> 16) & 127);
    if (what < 57) {
      contextSwitch(cpu, dice);
    } else if (what < 89) {
      sample(cpu, dice);
    } else {
      event(cpu, dice);
    }
  }

  private void contextSwitch(int cpu, long dice) throws IOException {
    int from = running[cpu];
    int to = ((dice >>> 24) & 3) == 0 ? 0 : 1000 + 4 * (int) ((dice >>> 32) % THREADS);
    running[cpu] = to;
    int slot = perfInfo(cpu, 40, 0x0524, 4);
    byte[] b = open[slot];
    int at = used[slot] - 24;
    INTS.set(b, at, to);
    INTS.set(b, at + 4, from);
    INTS.set(b, at + 8, 0x0000_0808);
    INTS.set(b, at + 12, 0x0005_0106);
    LONGS.set(b, at + 16, 0L);
    contextSwitches++;
  }

  private void sample(int cpu, long dice) throws IOException {
    int tid = running[cpu];
    boolean kernel = tid == 0 || ((dice >>> 24) & 3) == 0;
    long ip = (kernel ? KERNEL_CODE : USER_CODE) + ((dice >>> 32) & 0xFF_FFFF);
    int slot = perfInfo(cpu, 32, 0x0F2E, 2);
    byte[] b = open[slot];
    int at = used[slot] - 16;
    LONGS.set(b, at, ip);
    INTS.set(b, at + 8, tid);
    INTS.set(b, at + 12, 1);
    if (tid == 0) {
      idleSamples++;
      return;
    }
    busySamples++;
    long sampled = time;
    time++;
    int frames = 5 + (int) ((dice >>> 56) & 7);
    slot = perfInfo(cpu, 32 + 8 * frames, 0x1820, 2);
    b = open[slot];
    at = used[slot] - 16 - 8 * frames;
    LONGS.set(b, at, sampled);
    INTS.set(b, at + 8, process(tid));
    INTS.set(b, at + 12, tid);
    for (int i = 0; i < frames; i++) {
      long frame =
          (i < 2 && kernel ? KERNEL_CODE : USER_CODE) + ((dice >>> (20 + i)) & 0xFFF) * 0x40;
      LONGS.set(b, at + 16 + 8 * i, i == 0 ? ip : frame);
    }
    stacks++;
  }

  private void event(int cpu, long dice) throws IOException {
    int payload = 8 + (int) ((dice >>> 24) & 63);
    int size = 80 + payload;
    int padded = (size + 7) & ~7;
    int slot = room(CPUS + cpu, padded);
    byte[] b = open[slot];
    int at = used[slot] - padded;
    int tid = running[cpu];
    INTS.set(b, at, size | 0xC013_0000);
    INTS.set(b, at + 4, 0);
    INTS.set(b, at + 8, tid);
    INTS.set(b, at + 12, process(tid));
    LONGS.set(b, at + 16, time);
    LONGS.set(b, at + 24, 0x4C53_51A7_0F0E_4B1CL);
    LONGS.set(b, at + 32, 0x109F_6A1B_2C7D_3E9AL);
    LONGS.set(b, at + 40, (1 + ((dice >>> 40) & 3)) | 4L << 32);
    LONGS.set(b, at + 48, 0x8L);
    LONGS.set(b, at + 56, 0L);
    LONGS.set(b, at + 64, 0L);
    LONGS.set(b, at + 72, 0L);
    for (int i = 80; i < padded; i += 8) {
      LONGS.set(b, at + i, dice);
    }
    LONGS.set(b, at + 80, events);
    events++;
  }

  private int perfInfo(int cpu, int size, int hook, int version) throws IOException {
    int slot = room(cpu, size);
    byte[] b = open[slot];
    int at = used[slot] - size;
    INTS.set(b, at, 0xC011_0000 | version);
    INTS.set(b, at + 4, hook << 16 | size);
    LONGS.set(b, at + 8, time);
    return slot;
  }

  /** Makes room for {@code padded} bytes in the slot's buffer; they end at its {@code used}. */
  private int room(int slot, int padded) throws IOException {
    if (open[slot].length > 0 && used[slot] + padded > bufferSize) {
      close(slot, 0);
    }
    if (open[slot].length == 0) {
      byte[] again = spare.poll();
      open[slot] = again != null ? again : new byte[bufferSize];
      used[slot] = EtlBuffer.HEADER_BYTES;
      sequences[slot] = sequence++;
    }
    used[slot] += padded;
    lastTimes[slot] = time;
    return slot;
  }

  private void close(int slot, int flags) throws IOException {
    byte[] b = open[slot];
    Arrays.fill(b, 0, EtlBuffer.HEADER_BYTES, (byte) 0);
    INTS.set(b, 0x00, bufferSize);
    INTS.set(b, 0x04, used[slot]);
    INTS.set(b, 0x08, used[slot] + bufferSize);
    LONGS.set(b, 0x10, lastTimes[slot]);
    LONGS.set(b, 0x18, sequences[slot]);
    INTS.set(b, 0x28, slot % CPUS | (slot < CPUS ? KERNEL_LOGGER : USER_LOGGER) << 16);
    INTS.set(b, 0x2C, 3);
    INTS.set(b, 0x30, used[slot]);
    INTS.set(b, 0x34, EtlBuffer.FLAG_PROCESSOR_INDEX | flags);
    Arrays.fill(b, used[slot], bufferSize, (byte) 0xFF);
    open[slot] = NONE;
    if (windowed == WINDOW) {
      emit((int) (next() >>> 33) % WINDOW);
    }
    window[windowed++] = b;
  }

  private void emit(int index) throws IOException {
    byte[] b = window[index];
    window[index] = window[--windowed];
    ByteBuffer out = ByteBuffer.wrap(b);
    while (out.hasRemaining()) {
      channel.write(out);
    }
    buffersWritten++;
    spare.add(b);
  }
}

package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The open buffers of two sessions, one per session and CPU, and a window of full ones from which
 * they go to the file slightly out of order.
 */
final class ProfileBuffers {
  static final int SIZE = 65536;
  static final int CPUS = 16;
  static final int KERNEL_LOGGER = 0x02;
  static final int USER_LOGGER = 0x1D;

  private static final byte[] NONE = {};
  private static final int WINDOW = 48;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final FileChannel channel;
  private final XorShift64 dice;
  private final byte[][] open = new byte[2 * CPUS][];
  private final int[] used = new int[2 * CPUS];
  private final long[] sequences = new long[2 * CPUS];
  private final long[] lastTimes = new long[2 * CPUS];
  private final byte[][] window = new byte[WINDOW][];
  private final ArrayDeque<byte[]> spare = new ArrayDeque<>();
  private int windowed;
  private long sequence = 1;
  private long written = 1;
  private long perfInfos;
  private long systems = 1;
  private long events;

  /**
   * Buffers that follow a header buffer.
   *
   * @param channel after the header buffer
   */
  ProfileBuffers(FileChannel channel, long seed) {
    this.channel = channel;
    this.dice = new XorShift64(seed);
    Arrays.fill(open, NONE);
    Arrays.fill(window, NONE);
  }

  static void putInt(byte[] bytes, int at, int value) {
    INTS.set(bytes, at, value);
  }

  static void putLong(byte[] bytes, int at, long value) {
    LONGS.set(bytes, at, value);
  }

  /** Bytes of the file that are written or sure to be. */
  long bytes() {
    return (written + windowed) * SIZE;
  }

  /** Buffers written, the header buffer included. */
  long written() {
    return written;
  }

  /** Provider events so far. */
  long events() {
    return events;
  }

  /** Tells how many buffers and records the file has; all are written. */
  void countInto(ProfileTruth truth) {
    truth.count("bytes", bytes());
    truth.count("buffers", written);
    truth.count("recordsSystem64", systems);
    truth.count("recordsPerfInfo64", perfInfos);
    truth.count("recordsEvent64", events);
    truth.count("records", systems + perfInfos + events);
  }

  /** The buffer in which the last record of the kernel session on a CPU stands. */
  byte[] kernel(int cpu) {
    return open[cpu];
  }

  /** The buffer in which the last record of the user session on a CPU stands. */
  byte[] user(int cpu) {
    return open[CPUS + cpu];
  }

  /** A kernel record without thread; its payload, to be filled, begins at the offset returned. */
  int perfInfo(int cpu, int payload, int hook, int version, long time) throws IOException {
    int padded = (payload + 7) & ~7;
    int at = room(cpu, 16 + padded, time);
    byte[] b = open[cpu];
    putInt(b, at, 0xC011_0000 | version);
    putInt(b, at + 4, hook << 16 | (16 + payload));
    putLong(b, at + 8, time);
    if (padded != payload) {
      putLong(b, at + 8 + padded, 0);
    }
    perfInfos++;
    return at + 16;
  }

  void perfInfo(int cpu, int hook, int version, long time, LittleEndian payload)
      throws IOException {
    int at = perfInfo(cpu, payload.size(), hook, version, time);
    payload.copyTo(open[cpu], at);
  }

  /** A kernel record with process and thread in its header. */
  void system(int cpu, int hook, int version, long time, int pid, int tid, LittleEndian payload)
      throws IOException {
    byte[] bytes =
        EtlRecords.system(8, hook)
            .version(version)
            .time(time)
            .thread(pid, tid)
            .payload(payload)
            .build()
            .bytes();
    int padded = (bytes.length + 7) & ~7;
    int at = room(cpu, padded, time);
    System.arraycopy(bytes, 0, open[cpu], at, bytes.length);
    Arrays.fill(open[cpu], at + bytes.length, at + padded, (byte) 0);
    systems++;
  }

  /** A provider's event; its payload, to be filled, begins at the offset returned. */
  int event(int cpu, int payload, long time, int pid, int tid, int id) throws IOException {
    int size = 80 + payload;
    int at = room(CPUS + cpu, (size + 7) & ~7, time);
    byte[] b = open[CPUS + cpu];
    putInt(b, at, size | 0xC013_0000);
    putInt(b, at + 4, 0);
    putInt(b, at + 8, tid);
    putInt(b, at + 12, pid);
    putLong(b, at + 16, time);
    putLong(b, at + 24, 0x4C53_51A7_0F0E_4B1CL);
    putLong(b, at + 32, 0x109F_6A1B_2C7D_3E9AL);
    putLong(b, at + 40, id | 4L << 32);
    putLong(b, at + 48, 0x8L);
    putLong(b, at + 56, 0L);
    putLong(b, at + 64, 0L);
    putLong(b, at + 72, 0L);
    events++;
    return at + 80;
  }

  private int room(int slot, int padded, long time) throws IOException {
    if (open[slot].length > 0 && used[slot] + padded > SIZE) {
      close(slot, 0);
    }
    if (open[slot].length == 0) {
      byte[] again = spare.poll();
      open[slot] = again != null ? again : new byte[SIZE];
      used[slot] = EtlBuffer.HEADER_BYTES;
      sequences[slot] = sequence++;
    }
    int at = used[slot];
    used[slot] += padded;
    lastTimes[slot] = time;
    return at;
  }

  private void close(int slot, int flags) throws IOException {
    byte[] b = open[slot];
    Arrays.fill(b, 0, EtlBuffer.HEADER_BYTES, (byte) 0);
    putInt(b, 0x00, SIZE);
    putInt(b, 0x04, used[slot]);
    putInt(b, 0x08, used[slot] + SIZE);
    putLong(b, 0x10, lastTimes[slot]);
    putLong(b, 0x18, sequences[slot]);
    putInt(b, 0x28, slot % CPUS | (slot < CPUS ? KERNEL_LOGGER : USER_LOGGER) << 16);
    putInt(b, 0x2C, 3);
    putInt(b, 0x30, used[slot]);
    putInt(b, 0x34, EtlBuffer.FLAG_PROCESSOR_INDEX | flags);
    Arrays.fill(b, used[slot], SIZE, (byte) 0xFF);
    open[slot] = NONE;
    if (windowed == WINDOW) {
      emit(dice.below(WINDOW));
    }
    window[windowed++] = b;
  }

  /** Writes out everything that is open or waits: later records come after it. */
  void flush() throws IOException {
    for (int slot = 0; slot < open.length; slot++) {
      if (open[slot].length > 0) {
        close(slot, EtlBuffer.FLAG_FLUSH_MARKER);
      }
    }
    while (windowed > 0) {
      emit(dice.below(windowed));
    }
  }

  private void emit(int index) throws IOException {
    byte[] b = window[index];
    window[index] = window[--windowed];
    ByteBuffer out = ByteBuffer.wrap(b);
    while (out.hasRemaining()) {
      channel.write(out);
    }
    written++;
    spare.add(b);
  }
}

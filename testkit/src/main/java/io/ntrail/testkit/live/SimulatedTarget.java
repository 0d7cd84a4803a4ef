package io.ntrail.testkit.live;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process that has a session file mapped, and whose threads write records into it. */
public final class SimulatedTarget implements AutoCloseable {
  /** Called before each store into the session file; it may throw, and the store is not made. */
  @FunctionalInterface
  public interface BeforeStore {
    /** A store is about to happen. */
    void next();
  }

  private static final VarHandle U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
  private static final VarHandle U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

  private final Arena arena;
  private final MemorySegment memory;
  private final BeforeStore before;

  /** Place of the first chunk, after the control block and the ring of chunks. */
  private static final long FIRST_CHUNK = 5 * 65_536L;

  private final int recordBytes;

  private SimulatedTarget(Arena arena, MemorySegment memory, BeforeStore before) {
    this.arena = arena;
    this.memory = memory;
    this.before = before;
    boolean right = get32(0) == 0x4C52544E && get32(4) == 2;
    recordBytes = get32(8);
    if (!right || memory.byteSize() < chunk(chunks())) {
      throw new IllegalArgumentException("no session file of version 2");
    }
  }

  /**
   * Maps a session file.
   *
   * @throws IOException if it cannot be opened
   */
  public static SimulatedTarget map(Path session, BeforeStore before) throws IOException {
    Arena arena = Arena.ofShared();
    try (FileChannel channel =
        FileChannel.open(session, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
      return new SimulatedTarget(arena, memory, before);
    }
  }

  /** Maps a session without an action before stores. */
  public static SimulatedTarget map(Path session) throws IOException {
    return map(session, () -> {});
  }

  /** Bytes of a record. */
  public int recordBytes() {
    return recordBytes;
  }

  /** Number of chunks so far. */
  public int chunks() {
    return get32(12);
  }

  /** Place of a chunk in the session file. */
  public static long chunk(int number) {
    return FIRST_CHUNK + 65_536L * number;
  }

  /** Returns true if there may be more chunks. */
  public boolean grows() {
    return get32(0x5D8) != 0;
  }

  /** Returns true if new threads begin to be recorded. */
  public boolean enabled() {
    return get32(0x40) != 0;
  }

  /** Bytes of the session file. */
  public long size() {
    return memory.byteSize();
  }

  /** Stores any byte anywhere, as a target that went mad. */
  public void scribble(long at, byte value) {
    memory.set(ValueLayout.JAVA_BYTE, at, value);
  }

  /**
   * A thread that begins to be recorded.
   *
   * @param began time stamp counter
   */
  public SimulatedThread thread(int tid, long began) {
    before.next();
    U64.getAndAdd(memory, 0x300L, 1L);
    return new SimulatedThread(this, tid, began);
  }

  /** Takes an area out of the area ring; -1 if there is none, which is counted. */
  public int takeArea() {
    int area = take(0x80, 0xC0, 0x9000, 4096);
    if (area < 0) {
      before.next();
      U64.getAndAdd(memory, 0x248L, 1L);
    }
    return area;
  }

  /** Chunks in the chunk ring. */
  public int chunksFree() {
    return get32(0x140) - get32(0x100);
  }

  /** Takes a chunk out of the chunk ring; -1 if there is none. */
  int takeChunk() {
    return take(0x100, 0x140, 0x1_0000, 65_536);
  }

  private int take(long headAt, long tailAt, long ring, int places) {
    while (true) {
      int head = get32(headAt);
      int tail = get32(tailAt);
      if (head == tail) {
        return -1;
      }
      int taken = get32(ring + 4L * (head & places - 1));
      before.next();
      if (U32.compareAndSet(memory, headAt, head, head + 1)) {
        return taken;
      }
    }
  }

  void countFull() {
    before.next();
    U64.getAndAdd(memory, 0x180L, 1L);
  }

  void countLost(int records) {
    before.next();
    U64.getAndAdd(memory, 0x1C0L, (long) records);
  }

  int get32(long at) {
    return (int) U32.getAcquire(memory, at);
  }

  void put32(long at, int value) {
    before.next();
    U32.setRelease(memory, at, value);
  }

  void put64(long at, long value) {
    before.next();
    U64.setRelease(memory, at, value);
  }

  @Override
  public void close() {
    arena.close();
  }
}

package io.ntrail.live.trace;

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.session.BufferMemory;
import io.ntrail.live.session.SessionFile;
import java.io.IOException;
import java.util.Optional;

/**
 * Settings of the buffers between each traced program and the recorder.
 *
 * @param chunks of 64 KiB that each program has at first, 2 to 65,536, fewer if the limit is lower;
 *     0: as many as usual
 * @param memory limit to which they grow together; empty: they do not grow
 * @param waits true if threads of the program wait while all chunks are full; else records are lost
 * @param detail what the target keeps of each call; without records it has tables, not buffers
 * @param functions how many are expected, for the size of tables
 * @param throttle calls of a function in a second from which on it is counted only; 0 = never
 * @param sampling of so many calls of a stack, the callers of one are recorded; 0 = of none
 */
public record BufferSettings(
    int chunks,
    Optional<BufferMemory> memory,
    boolean waits,
    CallDetail detail,
    int functions,
    long throttle,
    int sampling) {
  /** Maximum number of chunks that a program may have. */
  public static final int MOST_CHUNKS = SessionLayout.CHUNK_RING;

  /** Maximum number of chunks that a program of 32 bits may have: 256 MiB. */
  private static final int MOST_CHUNKS_32 = 4096;

  /** Maximum number of chunks that a program of 32 bits has if nobody says otherwise: 64 MiB. */
  private static final int USUAL_CHUNKS_32 = 1024;

  private static final int FIRST_CHUNKS = 512;

  /** There may be many children. */
  private static final int CHILD_CHUNKS = 128;

  /** Returns settings of buffers that do not grow. */
  public static BufferSettings fixed(int chunks, boolean waits) {
    return new BufferSettings(chunks, Optional.empty(), waits, CallDetail.RECORDS, 0, 0, 0);
  }

  /** Returns settings of buffers that grow. */
  public static BufferSettings growing(int chunks, BufferMemory memory, boolean waits) {
    return new BufferSettings(chunks, Optional.of(memory), waits, CallDetail.RECORDS, 0, 0, 0);
  }

  /**
   * Returns settings of programs that add their calls up.
   *
   * @param times false: they count them only
   */
  public static BufferSettings adding(boolean times) {
    CallDetail detail = times ? CallDetail.TIMES : CallDetail.COUNTS;
    return new BufferSettings(0, Optional.empty(), false, detail, 0, 0, 0);
  }

  /** Returns whether programs add their calls up. */
  public boolean adds() {
    return detail != CallDetail.RECORDS;
  }

  /** Returns these settings with another limit of calls of a function in a second. */
  public BufferSettings throttling(long calls) {
    return new BufferSettings(chunks, memory, waits, detail, functions, calls, sampling);
  }

  /** Returns these settings with the callers of one of so many calls. */
  public BufferSettings sampling(int every) {
    return new BufferSettings(chunks, memory, waits, detail, functions, throttle, every);
  }

  /** Returns these settings for so many functions. */
  public BufferSettings expecting(int number) {
    return new BufferSettings(chunks, memory, waits, detail, number, throttle, sampling);
  }

  /**
   * Creates the session file of the first program, or of a child.
   *
   * @param pointerBytes of the program: one of 32 bits has little address space, and fewer chunks
   */
  SessionFile session(RecordLayout records, boolean isFirst, int pointerBytes) throws IOException {
    if (adds()) {
      return SessionFile.adding(detail, functions, pointerBytes);
    }
    int usual = isFirst ? FIRST_CHUNKS : CHILD_CHUNKS;
    int most = most(pointerBytes);
    int first = Math.min(chunks == 0 ? usual : chunks, most);
    SessionFile session =
        memory.isPresent()
            ? SessionFile.growing(records, first, most, memory.get(), throttle > 0, sampling)
            : SessionFile.create(records, first, throttle > 0, sampling);
    session.waitWhenFull(waits);
    return session;
  }

  private int most(int pointerBytes) {
    if (pointerBytes == Long.BYTES) {
      return MOST_CHUNKS;
    }
    long wanted = Math.max(chunks, memory.map(BufferMemory::limit).orElse(0L));
    return wanted == 0
        ? USUAL_CHUNKS_32
        : Math.clamp(wanted, SessionLayout.FEWEST_CHUNKS, MOST_CHUNKS_32);
  }
}

package io.ntrail.testkit.live;

/**
 * A thread of a {@link SimulatedTarget}: it takes chunks, fills them, hands them over, and spills
 * where none is free, as docs/live.md says. Used by one thread.
 */
public final class SimulatedThread {
  private final SimulatedTarget target;
  private final int tid;
  private final long began;
  private final int recordBytes;
  private final int spillRecords;

  private int chunk = -1;
  private long number;
  private long at;
  private long end;
  private int spillLeft;
  private long lost;
  private long lostEver;
  private long kept;

  SimulatedThread(SimulatedTarget target, int tid, long began) {
    this.target = target;
    this.tid = tid;
    this.began = began;
    this.recordBytes = target.recordBytes();
    this.spillRecords = 1024 / recordBytes - 1;
  }

  /** Its id. */
  public int tid() {
    return tid;
  }

  /** Time of the start of recording. */
  public long began() {
    return began;
  }

  /** Records that it wrote into chunks. */
  public long kept() {
    return kept;
  }

  /** Records written where they are never read. */
  public long lost() {
    return lostEver;
  }

  /** The most that it counts as lost without having lost it, at any time. */
  public int spill() {
    return spillRecords;
  }

  /**
   * Writes a record.
   *
   * @param function low half of the address of its body thunk
   * @param meta kind, slot and area
   * @param more what follows in larger records; as many as fit
   * @return false if the record was lost
   */
  public boolean record(long ticks, int function, int meta, long value, long key, long... more) {
    if (chunk < 0 && spillLeft == 0) {
      next();
    }
    if (chunk < 0) {
      lost++;
      lostEver++;
      spillLeft--;
      if (spillLeft == 0) {
        next();
      }
      return false;
    }
    target.put64(at + 24, key);
    target.put64(at, ticks);
    target.put64(at + 16, value);
    for (int i = 0; i < more.length && 32 + 8 * i < recordBytes; i++) {
      target.put64(at + 32 + 8L * i, more[i]);
    }
    target.put32(at + 8, function);
    target.put32(at + 12, meta);
    kept++;
    at += recordBytes;
    if (at == end) {
      target.put32(end - 65_536, 2);
      target.countFull();
      chunk = -1;
      next();
    }
    return true;
  }

  /** Takes a chunk, or begins a spill. */
  private void next() {
    int taken = target.takeChunk();
    if (taken < 0) {
      target.countLost(spillRecords);
      spillLeft = spillRecords;
      return;
    }
    long head = SimulatedTarget.chunk(taken);
    target.put32(head + 4, tid);
    target.put64(head + 8, number);
    target.put64(head + 16, began);
    target.put64(head + 24, lost);
    target.put32(head, 1);
    chunk = taken;
    number++;
    lost = 0;
    at = head + recordBytes;
    end = head + 65_536;
  }
}

package io.ntrail.live.patch;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.Search;
import io.ntrail.live.target.PreparedWrites;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetMemory.Pages;
import io.ntrail.live.target.TargetMemory.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a target that are changed together: read with few calls, changed here, and written back.
 *
 * <p>All but {@link #write} can be done before threads are stopped.
 */
public final class PatchPages {
  private static final int PAGE = 0x1000;

  /**
   * Largest gap between pages that are read and written together, because that is cheaper than
   * another call.
   */
  private static final int NEAR = 8;

  private final TargetMemory memory;
  private final TreeSet<Long> touched = new TreeSet<>();
  private final List<Run> runs = new ArrayList<>();
  private List<Pages> before = List.of();
  private @Nullable PreparedWrites writes;

  /** Adjacent pages, as read and as they will be written. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Run(long begin, byte[] read, byte[] bytes) {
    Run(long begin, byte[] read) {
      this(begin, read, read.clone());
    }

    long end() {
      return begin + bytes.length;
    }
  }

  public PatchPages(TargetMemory memory) {
    this.memory = memory;
  }

  /** Adds a range that will be changed. */
  public void touch(long address, int length) {
    touched.add(address & -PAGE);
    touched.add(address + length - 1 & -PAGE);
  }

  /**
   * Reads all touched pages. Pages that are made writable together have the same protection: pages
   * of another section are never touched.
   */
  public void read() {
    List<Range> ranges = new ArrayList<>();
    Long begin = null;
    long end = 0;
    long region = 0;
    for (long page : touched) {
      if (begin != null && (page - end > (long) NEAR * PAGE || page >= region)) {
        ranges.add(new Range(begin, Math.toIntExact(end - begin)));
        begin = null;
      }
      if (begin == null && (page >= region || region == 0)) {
        region = memory.regionEnd(page);
      }
      begin = begin == null ? page : begin;
      end = page + PAGE;
    }
    if (begin != null) {
      ranges.add(new Range(begin, Math.toIntExact(end - begin)));
    }
    List<byte[]> all = memory.readUpTo(ranges);
    for (int i = 0; i < ranges.size(); i++) {
      add(ranges.get(i).address(), ranges.get(i).length(), all.get(i));
    }
  }

  private void add(long begin, int size, byte[] bytes) {
    long end = begin + size;
    int whole = bytes.length & -PAGE;
    if (whole > 0) {
      runs.add(new Run(begin, bytes.length == whole ? bytes : Arrays.copyOf(bytes, whole)));
    }
    if (whole < size) {
      // The page after the last one of a module may not be there; nothing of it is needed then.
      TreeSet<Long> rest = new TreeSet<>(touched.subSet(begin + whole + PAGE, end));
      for (long page : rest) {
        byte[] one = memory.readUpTo(page, PAGE);
        if (one.length == PAGE) {
          runs.add(new Run(page, one));
        }
      }
    }
  }

  /** Returns bytes as they will be. */
  public byte[] get(long address, int length) {
    byte[] bytes = new byte[length];
    copy(address, bytes, false);
    return bytes;
  }

  /** Changes bytes. */
  public void put(long address, byte[] bytes) {
    copy(address, bytes, true);
  }

  private void copy(long address, byte[] bytes, boolean into) {
    for (int done = 0; done < bytes.length; ) {
      Run run = run(address + done);
      int at = (int) (address + done - run.begin);
      int size = Math.min(bytes.length - done, run.bytes.length - at);
      if (into) {
        System.arraycopy(bytes, done, run.bytes, at, size);
      } else {
        System.arraycopy(run.bytes, at, bytes, done, size);
      }
      done += size;
    }
  }

  private Run run(long address) {
    int last = Search.last(0, runs.size(), i -> runs.get(i).begin <= address);
    if (last >= 0 && address < runs.get(last).end()) {
      return runs.get(last);
    }
    throw new CannotGoOn("code of the target could not be read at 0x%x".formatted(address), "");
  }

  /** Makes all pages writable and prepares the changes; no further ones can be made. */
  public void open() {
    openAsRead();
    writes =
        memory.prepare(
            runs.stream()
                .map(run -> new PreparedWrites.Write(run.begin, run.read, run.bytes))
                .toList());
  }

  /** Makes all pages writable for another writer. */
  void openAsRead() {
    before =
        memory.protect(
            runs.stream()
                .map(run -> new Pages(run.begin, run.bytes.length, TargetMemory.EXECUTE_READ_WRITE))
                .toList());
  }

  /**
   * Writes all changes.
   *
   * @return false if something is not as it was read; then nothing is written
   */
  public boolean write() {
    if (writes == null || !writes.isStill()) {
      return false;
    }
    writes.write();
    return true;
  }

  /** Restores the protection of all pages. */
  public void close() {
    if (writes != null) {
      writes.close();
      writes = null;
    }
    if (!before.isEmpty()) {
      memory.restore(before);
      before = List.of();
    }
  }
}

package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.TargetMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * Pages of a target that are changed together: read in as few goes as possible, changed here, and
 * written back.
 */
final class PatchPages {
  private static final int PAGE = 0x1000;

  /** Pages in between that are read and written, too, because that is cheaper than another go. */
  private static final int NEAR = 8;

  private final TargetMemory memory;
  private final TreeSet<Long> touched = new TreeSet<>();
  private final List<Run> runs = new ArrayList<>();

  /** Pages side by side. */
  private record Run(long begin, byte[] bytes) {
    long end() {
      return begin + bytes.length;
    }
  }

  PatchPages(TargetMemory memory) {
    this.memory = memory;
  }

  /** Says that so many bytes at an address will be changed. */
  void touch(long address, int length) {
    touched.add(address & -PAGE);
    touched.add(address + length - 1 & -PAGE);
  }

  /** Reads all that was touched. */
  void read() {
    Long begin = null;
    long end = 0;
    for (long page : touched) {
      if (begin != null && page - end > (long) NEAR * PAGE) {
        add(begin, end);
        begin = null;
      }
      begin = begin == null ? page : begin;
      end = page + PAGE;
    }
    if (begin != null) {
      add(begin, end);
    }
  }

  private void add(long begin, long end) {
    int size = Math.toIntExact(end - begin);
    byte[] bytes = memory.readUpTo(begin, size);
    int whole = bytes.length & -PAGE;
    if (whole > 0) {
      runs.add(new Run(begin, bytes.length == whole ? bytes : Arrays.copyOf(bytes, whole)));
    }
    if (whole < size) {
      // The page behind the last one of a module may not be there; nothing of it is needed then.
      TreeSet<Long> rest = new TreeSet<>(touched.subSet(begin + whole + PAGE, end));
      for (long page : rest) {
        byte[] one = memory.readUpTo(page, PAGE);
        if (one.length == PAGE) {
          runs.add(new Run(page, one));
        }
      }
    }
  }

  /** Bytes as they will be. */
  byte[] get(long address, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      Run run = run(address + i);
      bytes[i] = run.bytes[(int) (address + i - run.begin)];
    }
    return bytes;
  }

  /** Changes bytes. */
  void put(long address, byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      Run run = run(address + i);
      run.bytes[(int) (address + i - run.begin)] = bytes[i];
    }
  }

  private Run run(long address) {
    int low = 0;
    int high = runs.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Run run = runs.get(middle);
      if (address < run.begin) {
        high = middle - 1;
      } else if (address >= run.end()) {
        low = middle + 1;
      } else {
        return run;
      }
    }
    throw new CannotGoOn("code of the target could not be read at 0x%x".formatted(address), "");
  }

  /**
   * Writes back what was touched. Pages whose protection is the same are made writable together;
   * others are never touched.
   */
  void write() {
    Long next = touched.isEmpty() ? null : touched.first();
    while (next != null) {
      long end = memory.regionEnd(next);
      TreeSet<Long> pages = new TreeSet<>(touched.subSet(next, end));
      long begin = next;
      int size = (int) (pages.last() + PAGE - begin);
      int old = memory.protect(begin, size, TargetMemory.EXECUTE_READ_WRITE);
      try {
        write(pages);
      } finally {
        memory.protect(begin, size, old);
      }
      memory.flush(begin, size);
      next = touched.higher(pages.last());
    }
  }

  private void write(TreeSet<Long> pages) {
    Long begin = null;
    long end = 0;
    for (long page : pages) {
      if (begin != null && page - end > (long) NEAR * PAGE) {
        write(begin, end);
        begin = null;
      }
      begin = begin == null ? page : begin;
      end = page + PAGE;
    }
    if (begin != null) {
      write(begin, end);
    }
  }

  private void write(long begin, long end) {
    for (long at = begin; at < end; ) {
      Run run = run(at);
      int length = (int) (Math.min(end, run.end()) - at);
      memory.write(at, run.bytes, (int) (at - run.begin), length);
      at += length;
    }
  }
}

package io.ntrail.live.patch;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.Search;
import io.ntrail.live.windows.TargetMemory.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/** Pages of code that are changed together: read with few calls, and changed here. */
final class CodePages {
  private static final int PAGE = 0x1000;

  /**
   * Largest gap between pages that are read and written together, because that is cheaper than
   * another call.
   */
  private static final int NEAR = 8;

  private final Function<List<Range>, List<byte[]>> reader;
  private final LongUnaryOperator regionEnd;
  private final TreeSet<Long> touched = new TreeSet<>();
  private final List<Run> runs = new ArrayList<>();

  /** Adjacent pages, as read and as they will be written. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Run(long begin, byte[] read, byte[] bytes) {
    Run(long begin, byte[] read) {
      this(begin, read, read.clone());
    }

    long end() {
      return begin + bytes.length;
    }
  }

  /**
   * Prepares to read pages.
   *
   * @param reader reads ranges, each up to the first page that is not there
   * @param regionEnd end of the pages around an address that have the same protection
   */
  CodePages(Function<List<Range>, List<byte[]>> reader, LongUnaryOperator regionEnd) {
    this.reader = reader;
    this.regionEnd = regionEnd;
  }

  /** Returns the pages that were read, by address. */
  List<Run> runs() {
    return Collections.unmodifiableList(runs);
  }

  /** Adds a range that will be changed. */
  void touch(long address, int length) {
    touched.add(address & -PAGE);
    touched.add(address + length - 1 & -PAGE);
  }

  /**
   * Reads all touched pages. Pages that are made writable together have the same protection: pages
   * of another section are never touched.
   */
  void read() {
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
        region = regionEnd.applyAsLong(page);
      }
      begin = begin == null ? page : begin;
      end = page + PAGE;
    }
    if (begin != null) {
      ranges.add(new Range(begin, Math.toIntExact(end - begin)));
    }
    List<byte[]> all = reader.apply(ranges);
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
        byte[] one = reader.apply(List.of(new Range(page, PAGE))).getFirst();
        if (one.length == PAGE) {
          runs.add(new Run(page, one));
        }
      }
    }
  }

  /** Returns bytes as they will be. */
  byte[] get(long address, int length) {
    byte[] bytes = new byte[length];
    copy(address, bytes, false);
    return bytes;
  }

  /** Changes bytes. */
  void put(long address, byte[] bytes) {
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
}

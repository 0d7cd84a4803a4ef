package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import java.util.Arrays;

/**
 * Stretches of time of about as many bytes that a recording is made of. A buffer that has records
 * of two stretches is read for both: the stretches are so long that this happens to few.
 */
public final class Stretches {
  /** Bytes of a stretch at least. */
  public static final long LEAST = 24 << 20;

  /** Memory of the heap for each thread that goes over stretches. */
  private static final long THREAD_BYTES = 96 << 20;

  private static final int MOST = 1 << 10;

  /** Bytes that may be read in stretches for each byte of the recording. */
  private static final double MOST_AGAIN = 1.5;

  private final long[] starts;

  private Stretches(long[] starts) {
    this.starts = starts;
  }

  /**
   * Returns the stretches of a recording that has been surveyed.
   *
   * @param least bytes of a stretch at least
   */
  public static Stretches of(EtwRecording recording, int cores, long least) {
    Survey survey = recording.survey(cores);
    int total = recording.files().stream().mapToInt(file -> file.buffers().count()).sum();
    long[] firsts = new long[total];
    long[] lasts = new long[total];
    long[] bytes = new long[total];
    long sum = 0;
    int count = 0;
    for (int file = 0; file < recording.files().size(); file++) {
      EtlFile its = recording.files().get(file);
      BufferIndex index = its.buffers();
      for (int buffer = 0; buffer < index.count(); buffer++) {
        if (survey.earliest(file, buffer) <= survey.latest(file, buffer)) {
          firsts[count] = recording.key(its, survey.earliest(file, buffer));
          lasts[count] = recording.key(its, survey.latest(file, buffer));
          bytes[count] =
              index.compressed(buffer) ? index.inflatedBytes(buffer) : index.fileBytes(buffer);
          sum += bytes[count];
          count++;
        }
      }
    }
    int[] order = RowSort.ascending(firsts, count);
    for (long size = Math.max(least, sum / MOST); ; size *= 2) {
      long[] starts = starts(firsts, bytes, order, size);
      long read = 0;
      for (int i = 0; i < count; i++) {
        long parts = (long) at(starts, lasts[i]) - at(starts, firsts[i]) + 1;
        read += parts * bytes[i];
      }
      if (starts.length == 1 || read <= MOST_AGAIN * sum) {
        return new Stretches(starts);
      }
    }
  }

  private static long[] starts(long[] firsts, long[] bytes, int[] order, long size) {
    LongList starts = new LongList();
    starts.add(Long.MIN_VALUE);
    long sum = 0;
    for (int buffer : order) {
      if (sum >= size && firsts[buffer] > starts.get(starts.size() - 1)) {
        starts.add(firsts[buffer]);
        sum = 0;
      }
      sum += bytes[buffer];
    }
    return starts.toArray();
  }

  private static int at(long[] starts, long key) {
    int place = Arrays.binarySearch(starts, key);
    return place < 0 ? -place - 2 : place;
  }

  /**
   * Returns the number of threads that go over the stretches, beside the one that takes what they
   * find; 0 if that one does all.
   *
   * @param cores number of threads that may be used
   */
  public int threads(int cores) {
    return threads(cores, THREAD_BYTES);
  }

  /**
   * Returns the number of threads that go over the stretches, beside the one that takes what they
   * find; 0 if that one does all.
   *
   * @param cores number of threads that may be used
   * @param threadBytes memory of the heap for each thread
   */
  public int threads(int cores, long threadBytes) {
    return cores == 1 || count() == 1
        ? 0
        : (int) Math.clamp(Runtime.getRuntime().maxMemory() / threadBytes, 1, (long) cores);
  }

  /**
   * Returns stretches that begin at some of the given times, if these are many enough.
   *
   * @param times keys of times at which they may begin, ascending, the least key first
   */
  public Stretches beginningAt(long[] times) {
    if (times.length < starts.length) {
      return this;
    }
    LongList moved = new LongList();
    for (long start : starts) {
      long time = times[at(times, start)];
      if (moved.size() == 0 || time > moved.get(moved.size() - 1)) {
        moved.add(time);
      }
    }
    return new Stretches(moved.toArray());
  }

  /** Returns the number of stretches. */
  public int count() {
    return starts.length;
  }

  /** Returns the stretch of a time. */
  public int at(long key) {
    return at(starts, key);
  }

  /** Returns true if a time is in a stretch. */
  public boolean contains(int stretch, long key) {
    return key >= starts[stretch] && (stretch + 1 == starts.length || key < starts[stretch + 1]);
  }

  /** Returns the key of the first time of a stretch. */
  public long from(int stretch) {
    return starts[stretch];
  }

  /** Returns the key before which a stretch ends. */
  public long to(int stretch) {
    return stretch + 1 < starts.length ? starts[stretch + 1] : Long.MAX_VALUE;
  }
}

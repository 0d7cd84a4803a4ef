package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.Survey;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.EtlFile;
import java.util.Arrays;
import java.util.List;

/**
 * The buffers with records of the kernel by CPU and time. One is clear if its records are in order
 * and no other one of its CPU has records of the same stretch of time: of the records of a time and
 * that CPU, the first one is in it.
 */
final class KernelBuffers {
  private final int[] firstBuffers;
  private final boolean[] clear;

  /** By buffer: its earliest and latest key; no time lies between them if it is none of these. */
  private final long[] earliest;

  private final long[] latest;

  /** Buffers by CPU, then by earliest key; those of CPU c begin at {@code starts[c]}. */
  private final int[] buffers;

  private final int[] starts;

  KernelBuffers(EtwRecording recording, Survey survey, List<NotedBuffers> files) {
    firstBuffers = new int[files.size() + 1];
    for (int f = 0; f < files.size(); f++) {
      firstBuffers[f + 1] = firstBuffers[f] + files.get(f).count();
    }
    int total = firstBuffers[files.size()];
    clear = new boolean[total];
    earliest = new long[total];
    latest = new long[total];
    Arrays.fill(earliest, Long.MAX_VALUE);
    Arrays.fill(latest, Long.MIN_VALUE);
    int[] chosen = new int[total];
    int[] cpus = new int[total];
    int n = 0;
    int most = 0;
    for (int f = 0; f < files.size(); f++) {
      EtlFile file = recording.files().get(f);
      for (int b = 0; b < files.get(f).count(); b++) {
        if (files.get(f).kernel[b] && survey.earliest(f, b) <= survey.latest(f, b)) {
          int buffer = firstBuffers[f] + b;
          earliest[buffer] = recording.key(file, survey.earliest(f, b));
          latest[buffer] = recording.key(file, survey.latest(f, b));
          clear[buffer] = survey.sorted(f, b);
          cpus[buffer] = file.buffers().cpu(b);
          most = Math.max(most, cpus[buffer]);
          chosen[n++] = buffer;
        }
      }
    }
    starts = new int[most + 2];
    buffers = byCpu(chosen, n, cpus);
    for (int c = 0; c <= most; c++) {
      markOverlaps(starts[c], starts[c + 1]);
    }
  }

  private int[] byCpu(int[] chosen, int n, int[] cpus) {
    long[] times = new long[n];
    for (int i = 0; i < n; i++) {
      times[i] = earliest[chosen[i]];
      starts[cpus[chosen[i]] + 1]++;
    }
    for (int c = 1; c < starts.length; c++) {
      starts[c] += starts[c - 1];
    }
    int[] next = Arrays.copyOf(starts, starts.length);
    int[] ordered = new int[n];
    for (int i : RowSort.ascending(times, n)) {
      ordered[next[cpus[chosen[i]]]++] = chosen[i];
    }
    return ordered;
  }

  private void markOverlaps(int from, int to) {
    int reaching = -1;
    for (int i = from; i < to; i++) {
      int buffer = buffers[i];
      if (reaching >= 0 && earliest[buffer] <= latest[reaching]) {
        clear[buffer] = false;
      }
      if (i + 1 < to && earliest[buffers[i + 1]] <= latest[buffer]) {
        clear[buffer] = false;
      }
      if (reaching < 0 || latest[buffer] > latest[reaching]) {
        reaching = buffer;
      }
    }
  }

  /** Number of a buffer of a file among those of all files. */
  int number(int file, int buffer) {
    return firstBuffers[file] + buffer;
  }

  /** Returns the number of the file that a buffer of all files is in. */
  int file(int number) {
    int file = 0;
    while (number >= firstBuffers[file + 1]) {
      file++;
    }
    return file;
  }

  /** Number of buffers of all files. */
  int count() {
    return clear.length;
  }

  /** Returns true if the buffer of a number is clear. */
  boolean isClear(int number) {
    return clear[number];
  }

  /**
   * Returns the number of the first buffer from {@code from} (inclusive) to {@code to} (exclusive)
   * that has records of the kernel before and after one of the ascending times, or at it; {@code
   * to} if there is none.
   */
  int holdsAny(int from, int to, long[] times) {
    long first = times[0];
    long last = times[times.length - 1];
    for (int number = from; number < to; number++) {
      if (earliest[number] <= last && latest[number] >= first && holdsAny(number, times)) {
        return number;
      }
    }
    return to;
  }

  private boolean holdsAny(int number, long[] times) {
    int i = Search.first(0, times.length, t -> times[t] >= earliest[number]);
    return i < times.length && times[i] <= latest[number];
  }

  /** The clear buffer that all records of a CPU and time are in; -1 if there is none. */
  int clear(int cpu, long time) {
    if (cpu >= starts.length - 1) {
      return -1;
    }
    int i = Search.last(starts[cpu], starts[cpu + 1], b -> earliest[buffers[b]] <= time);
    if (i < starts[cpu]) {
      return -1;
    }
    int number = buffers[i];
    return clear[number] && latest[number] >= time ? number : -1;
  }
}

package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import java.util.List;

/**
 * Order in which the buffers of a recording are copied: those of a file as they were handed out,
 * its header buffer first, and of several files the one that begins first.
 */
final class BufferOrder {
  private final int[] files;
  private final int[] buffers;

  private BufferOrder(int count) {
    files = new int[count];
    buffers = new int[count];
  }

  static BufferOrder of(EtwRecording recording) {
    List<EtlFile> files = recording.files();
    int[][] orders = files.stream().map(BufferOrder::order).toArray(int[][]::new);
    int[] next = new int[orders.length];
    BufferOrder all =
        new BufferOrder(files.stream().mapToInt(file -> file.buffers().count()).sum());
    for (int i = 0; i < all.files.length; i++) {
      int file = first(recording, orders, next);
      all.files[i] = file;
      all.buffers[i] = orders[file][next[file]++];
    }
    return all;
  }

  private static int[] order(EtlFile file) {
    BufferIndex index = file.buffers();
    long[] sequences = new long[index.count()];
    for (int buffer = 1; buffer < sequences.length; buffer++) {
      sequences[buffer] = index.sequence(buffer);
    }
    sequences[0] = Long.MIN_VALUE;
    return RowSort.ascending(sequences, sequences.length);
  }

  /** Returns the file whose next buffer begins first. */
  private static int first(EtwRecording recording, int[][] orders, int[] next) {
    int first = -1;
    long least = Long.MAX_VALUE;
    for (int file = 0; file < orders.length; file++) {
      if (next[file] < orders[file].length) {
        EtlFile its = recording.files().get(file);
        long key = recording.key(its, its.buffers().firstTicks(orders[file][next[file]]));
        if (first < 0 || key < least) {
          first = file;
          least = key;
        }
      }
    }
    return first;
  }

  /** Returns the number of buffers. */
  int count() {
    return files.length;
  }

  /** Returns the file of the i-th buffer. */
  int file(int i) {
    return files[i];
  }

  /** Returns the number in its file of the i-th buffer. */
  int buffer(int i) {
    return buffers[i];
  }
}

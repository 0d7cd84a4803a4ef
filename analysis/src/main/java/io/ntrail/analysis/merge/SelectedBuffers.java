package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.parallel.OrderedTasks;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Selects the records of buffers on several cores, ahead of who writes them. */
final class SelectedBuffers {
  /** Bytes of the buffers of a task. */
  private static final long TASK = 1 << 19;

  /** Tasks for each thread that may be ahead. */
  private static final int AHEAD = 4;

  /** Share of the heap that records which wait may take, as a divisor. */
  private static final int SHARE = 10;

  /**
   * Order in which the buffers of a recording are copied: those of a file as they were handed out,
   * its header buffer first, and of several files the one that begins first.
   */
  static final class Order {
    private final int[] files;
    private final int[] buffers;

    private Order(int count) {
      files = new int[count];
      buffers = new int[count];
    }

    static Order of(EtwRecording recording) {
      List<EtlFile> files = recording.files();
      int[][] orders = files.stream().map(Order::order).toArray(int[][]::new);
      int[] next = new int[orders.length];
      Order all = new Order(files.stream().mapToInt(file -> file.buffers().count()).sum());
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

  /** Takes the kept records of buffers. */
  @FunctionalInterface
  interface Taker {
    /** Takes the records of a buffer of a file; they are others afterwards. */
    void take(int file, int buffer, KeptRecords records) throws IOException;
  }

  /** Kept records of some buffers, the first of which has a number in the order. */
  private record Selected(int first, List<KeptRecords> buffers) {}

  private final EtwRecording recording;
  private final Order order;
  private final RecordSelection selection;
  private final RecordRewriter rewriter;

  /** Numbers in the order of the first buffer of each task, and the end. */
  private final List<Integer> starts = new ArrayList<>();

  private long largest;
  private final Queue<KeptRecords> spare = new ConcurrentLinkedQueue<>();

  private SelectedBuffers(
      EtwRecording recording, Order order, RecordSelection selection, RecordRewriter rewriter) {
    this.recording = recording;
    this.order = order;
    this.selection = selection;
    this.rewriter = rewriter;
    long bytes = 0;
    starts.add(0);
    for (int i = 0; i < order.count(); i++) {
      BufferIndex index = recording.files().get(order.file(i)).buffers();
      int buffer = order.buffer(i);
      int its = index.compressed(buffer) ? index.inflatedBytes(buffer) : index.fileBytes(buffer);
      bytes += its;
      largest = Math.max(largest, bytes);
      if (bytes >= TASK) {
        starts.add(i + 1);
        bytes = 0;
      }
    }
    starts.add(order.count());
  }

  /**
   * Hands out what is kept of each buffer, in order.
   *
   * @param cores number of threads that select
   */
  static void copy(
      EtwRecording recording,
      Order order,
      RecordSelection selection,
      RecordRewriter rewriter,
      int cores,
      Taker taker)
      throws IOException {
    new SelectedBuffers(recording, order, selection, rewriter).copy(cores, taker);
  }

  private void copy(int cores, Taker taker) throws IOException {
    // Names are replaced with what was replaced before in mind.
    int threads = rewriter.isNone() && cores > 1 ? cores : 0;
    long room = Runtime.getRuntime().maxMemory() / SHARE / Math.max(1, largest);
    int ahead = (int) Math.clamp(room, 1, AHEAD * Math.max(1L, threads));
    OrderedTasks.run(
        threads,
        starts.size() - 1,
        ahead,
        Selector::new,
        selected -> {
          int i = selected.first;
          for (KeptRecords records : selected.buffers) {
            taker.take(order.file(i), order.buffer(i), records);
            spare.add(records);
            i++;
          }
        });
  }

  /** Selects records with cursors of its own. */
  private final class Selector implements OrderedTasks.Worker<Selected> {
    private final @Nullable RecordCursor[] cursors = new RecordCursor[recording.files().size()];

    @Override
    public Selected result(int task) {
      List<KeptRecords> buffers = new ArrayList<>();
      for (int i = starts.get(task); i < starts.get(task + 1); i++) {
        KeptRecords records = spare.poll();
        if (records == null) {
          records = new KeptRecords();
        }
        RecordCursor cursor = cursor(order.file(i));
        cursor.open(order.buffer(i));
        if (order.buffer(i) > 0) {
          records.take(order.file(i), cursor, selection, rewriter);
        }
        recording.visited(cursor);
        buffers.add(records);
      }
      return new Selected(starts.get(task), buffers);
    }

    private RecordCursor cursor(int file) {
      RecordCursor known = cursors[file];
      if (known == null) {
        known = recording.cursor(recording.files().get(file));
        cursors[file] = known;
      }
      return known;
    }

    @Override
    public void close() {
      for (RecordCursor cursor : cursors) {
        if (cursor != null) {
          cursor.close();
        }
      }
    }
  }
}

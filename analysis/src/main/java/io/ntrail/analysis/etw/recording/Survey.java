package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Results of one pass over the record headers: the number of records, and for every buffer its
 * earliest and latest time and whether its records are in order (17 bytes a buffer).
 */
public final class Survey {
  /**
   * Rows of a buffer that a part visits at once: compilers count how often a method is called, and
   * a loop over a whole buffer would wait long to be compiled. With fewer, the loop here would be
   * compiled with all that it calls.
   */
  private static final int STRETCH = 256;

  private static final class Columns {
    final long[] earliest;
    final long[] latest;
    final boolean[] sorted;

    Columns(int count) {
      earliest = new long[count];
      latest = new long[count];
      sorted = new boolean[count];
      Arrays.fill(earliest, Long.MAX_VALUE);
      Arrays.fill(latest, Long.MIN_VALUE);
    }
  }

  /** Results of one thread beside the columns. */
  private static final class Found<P extends SurveyRows<P>> {
    long records;
    final P part;
    final RecordTable table = new RecordTable();

    Found(P part) {
      this.part = part;
    }

    Found<P> merge(Found<P> other) {
      records += other.records;
      part.merge(other.part);
      return this;
    }
  }

  /** A survey and what was learned with it. */
  record With<P>(Survey survey, P part) {}

  /** Learns nothing. */
  private static final class Nothing implements SurveyRows<Nothing> {
    @Override
    public void visitSome(
        int fileNumber, RecordCursor record, RecordTable table, int from, int to) {
      // Nothing is learned.
    }

    @Override
    public Nothing merge(Nothing other) {
      return this;
    }

    @Override
    public void settle() {
      // Nothing was learned.
    }
  }

  private final List<Columns> files;
  private final long records;

  private Survey(List<Columns> files, long records) {
    this.files = files;
    this.records = records;
  }

  static Survey of(EtwRecording recording, int cores) {
    return of(recording, cores, Nothing::new).survey;
  }

  static <P extends SurveyRows<P>> With<P> of(
      EtwRecording recording, int cores, Supplier<P> parts) {
    List<Columns> files =
        recording.files().stream().map(f -> new Columns(f.buffers().count())).toList();
    List<EtlFile> order = recording.files();
    Found<P> found =
        recording.scan(
            cores,
            () -> new Found<>(parts.get()),
            (collected, cursor) -> {
              int file = order.indexOf(cursor.file());
              visit(collected, file, files.get(file), cursor);
            },
            Found::merge);
    found.part.settle();
    return new With<>(new Survey(files, found.records), found.part);
  }

  private static <P extends SurveyRows<P>> void visit(
      Found<P> found, int file, Columns columns, RecordCursor cursor) {
    RecordTable table = found.table;
    cursor.index(table);
    int count = table.count();
    found.records += count;
    for (int from = 0; from < count; from += STRETCH) {
      found.part.visitSome(file, cursor, table, from, Math.min(count, from + STRETCH));
    }
    columns.earliest[cursor.buffer()] = table.earliest(0, count);
    columns.latest[cursor.buffer()] = table.latest(0, count);
    columns.sorted[cursor.buffer()] = table.sorted();
  }

  /** Number of records of all files. */
  public long records() {
    return records;
  }

  /** Earliest raw time in a buffer; {@link Long#MAX_VALUE} if it has no records. */
  public long earliest(int file, int buffer) {
    return files.get(file).earliest[buffer];
  }

  /** Latest raw time in a buffer; {@link Long#MIN_VALUE} if it has no records. */
  public long latest(int file, int buffer) {
    return files.get(file).latest[buffer];
  }

  /** Returns true if the records of a buffer never go back in time. */
  public boolean sorted(int file, int buffer) {
    return files.get(file).sorted[buffer];
  }
}

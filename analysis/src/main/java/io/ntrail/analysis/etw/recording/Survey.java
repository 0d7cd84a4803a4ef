package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Results of one pass over the record headers: the number of records, and for every buffer its
 * earliest and latest time and whether its records are in order (17 bytes a buffer).
 */
public final class Survey {
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
  private static final class Found<P extends SurveyPart<P>> {
    long records;
    final P part;

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
  private static final class Nothing implements SurveyPart<Nothing> {
    @Override
    public void visit(int fileNumber, RecordCursor record) {
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

  static <P extends SurveyPart<P>> With<P> of(
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

  private static <P extends SurveyPart<P>> void visit(
      Found<P> found, int file, Columns columns, RecordCursor cursor) {
    long earliest = Long.MAX_VALUE;
    long latest = Long.MIN_VALUE;
    boolean sorted = true;
    long records = 0;
    while (cursor.next()) {
      long ticks = cursor.ticks();
      sorted &= ticks >= latest;
      earliest = Math.min(earliest, ticks);
      latest = Math.max(latest, ticks);
      records++;
      found.part.visit(file, cursor);
    }
    found.records += records;
    columns.earliest[cursor.buffer()] = earliest;
    columns.latest[cursor.buffer()] = latest;
    columns.sorted[cursor.buffer()] = sorted;
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

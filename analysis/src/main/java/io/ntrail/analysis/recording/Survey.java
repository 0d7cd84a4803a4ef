package io.ntrail.analysis.recording;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Arrays;
import java.util.List;

/**
 * What one pass over the record headers learns: the number of records, the names of providers that
 * the file tells, and for every buffer its earliest and latest time and whether its records are in
 * order (17 bytes a buffer).
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

  /** What one thread collects beside the columns. */
  private static final class Found {
    long records;
    final ProviderNames names = new ProviderNames();

    Found merge(Found other) {
      records += other.records;
      names.merge(other.names);
      return this;
    }
  }

  private final List<Columns> files;
  private final Found found;

  private Survey(List<Columns> files, Found found) {
    this.files = files;
    this.found = found;
  }

  static Survey of(Recording recording, int cores) {
    List<Columns> files =
        recording.files().stream().map(f -> new Columns(f.buffers().count())).toList();
    List<EtlFile> order = recording.files();
    Found found =
        recording.scan(
            cores,
            Found::new,
            (collected, cursor) ->
                visit(collected, files.get(order.indexOf(cursor.file())), cursor),
            Found::merge);
    return new Survey(files, found);
  }

  private static void visit(Found found, Columns columns, RecordCursor cursor) {
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
      if (ProviderNames.isMetadata(cursor)) {
        found.names.learnFromMetadata(cursor);
      }
    }
    found.records += records;
    columns.earliest[cursor.buffer()] = earliest;
    columns.latest[cursor.buffer()] = latest;
    columns.sorted[cursor.buffer()] = sorted;
  }

  /** Number of records of all files. */
  public long records() {
    return found.records;
  }

  ProviderNames names() {
    return found.names;
  }

  /** Earliest raw time in a buffer; {@link Long#MAX_VALUE} if it has no records. */
  public long earliest(int file, int buffer) {
    return files.get(file).earliest[buffer];
  }

  /** Latest raw time in a buffer; {@link Long#MIN_VALUE} if it has no records. */
  public long latest(int file, int buffer) {
    return files.get(file).latest[buffer];
  }

  /** Whether its records never go back in time. */
  public boolean sorted(int file, int buffer) {
    return files.get(file).sorted[buffer];
  }
}

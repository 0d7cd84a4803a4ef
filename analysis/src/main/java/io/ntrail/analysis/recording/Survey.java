package io.ntrail.analysis.recording;

import io.ntrail.formats.etl.EtlFile;
import java.util.Arrays;
import java.util.List;

/**
 * What one pass over the record headers learns about every buffer: its earliest and latest time and
 * whether its records are in order. 17 bytes a buffer.
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

  private final List<Columns> files;

  private Survey(List<Columns> files) {
    this.files = files;
  }

  static Survey of(Recording recording, int cores) {
    List<Columns> files =
        recording.files().stream().map(f -> new Columns(f.buffers().count())).toList();
    Survey survey = new Survey(files);
    List<EtlFile> order = recording.files();
    recording.scan(
        cores,
        () -> survey,
        (collected, cursor) -> {
          long earliest = Long.MAX_VALUE;
          long latest = Long.MIN_VALUE;
          boolean sorted = true;
          while (cursor.next()) {
            long ticks = cursor.ticks();
            sorted &= ticks >= latest;
            earliest = Math.min(earliest, ticks);
            latest = Math.max(latest, ticks);
          }
          Columns columns = collected.files.get(order.indexOf(cursor.file()));
          columns.earliest[cursor.buffer()] = earliest;
          columns.latest[cursor.buffer()] = latest;
          columns.sorted[cursor.buffer()] = sorted;
        },
        (a, b) -> a);
    return survey;
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

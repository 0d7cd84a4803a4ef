package io.ntrail.analysis.etw.ipt;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.ReusedInput;
import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.pt.IptRecord;
import io.ntrail.formats.pt.PieceContent;
import io.ntrail.formats.pt.TraceTiming;
import java.util.Arrays;

/** Facts about each piece, without its bytes, collected by a survey: one thread's, then all. */
public final class PieceTable implements SurveyPart<PieceTable> {
  /** Pieces that are kept: the first ones by time. */
  static final int MOST = 1 << 19;

  private static final int WRAPPED = 4;
  private static final int SYNCHRONISED = 8;
  private static final int ODD = 16;
  private static final int TIMING = 3;

  private static final TraceTiming[] TIMINGS = TraceTiming.values();

  private final EtwRecording recording;
  private final int most;
  private final ReusedInput memory = new ReusedInput();

  private final Columns pieces;
  private final LongColumn keys;

  /** Key of the event that a piece names. */
  private final LongColumn named;

  /** Number of the buffer, and place in it. */
  private final LongColumn origins;

  private final LongColumn options;
  private final IntColumn files;
  private final IntColumn cpus;
  private final IntColumn processes;
  private final IntColumn threads;
  private final IntColumn sizes;
  private final ByteColumn flags;

  private long count;
  private long bytes;
  private long wrapped;
  private long unsynchronised;
  private long untimed;
  private long odd;

  /** Knows of no pieces yet. */
  public PieceTable(EtwRecording recording) {
    this(recording, MOST);
  }

  /**
   * Knows of no pieces yet.
   *
   * @param most pieces that are kept
   */
  PieceTable(EtwRecording recording, int most) {
    this.recording = recording;
    this.most = most;
    // Two tables are put together before the later half is dropped.
    this.pieces = new Columns(0, 4 * most);
    this.keys = pieces.longs();
    this.named = pieces.longs();
    this.origins = pieces.longs();
    this.options = pieces.longs();
    this.files = pieces.ints();
    this.cpus = pieces.ints();
    this.processes = pieces.ints();
    this.threads = pieces.ints();
    this.sizes = pieces.ints();
    this.flags = pieces.bytes();
  }

  @Override
  public void visit(int fileNumber, RecordCursor record) {
    if (!IptEvents.is(record)) {
      return;
    }
    IptRecord piece;
    try {
      piece = IptRecord.of(record.bytes(), record.payloadOffset(), record.payloadLength());
    } catch (DamagedInput e) {
      record.damagedPayload(e.what());
      return;
    }
    PieceContent content = PieceContent.of(piece.inOrder(memory));
    // Packets tell the truth, where they can be read.
    TraceTiming timing = content.isSynchronised() ? content.timing() : piece.options().timing();
    boolean isOdd =
        !piece.options().unknown().isEmpty()
            || piece.ring().length() > piece.options().bufferBytes();
    if (pieces.rows() == 2 * most) {
      trim();
    }
    int row = pieces.add();
    keys.set(row, recording.key(record.file(), record.ticks()));
    named.set(row, recording.key(record.file(), piece.eventTicks()));
    origins.set(row, (long) record.buffer() << 32 | record.offset());
    options.set(row, piece.options().word());
    files.set(row, fileNumber);
    cpus.set(row, record.cpu());
    processes.set(row, piece.processId());
    threads.set(row, piece.threadId());
    sizes.set(row, piece.ring().length());
    int flag = timing.ordinal() | (isOdd ? ODD : 0);
    flag |= (piece.isWrapped() ? WRAPPED : 0) | (content.isSynchronised() ? SYNCHRONISED : 0);
    flags.set(row, (byte) flag);
    count++;
    bytes += piece.ring().length();
    wrapped += piece.isWrapped() ? 1 : 0;
    unsynchronised += content.isSynchronised() ? 0 : 1;
    untimed += timing == TraceTiming.NONE ? 1 : 0;
    odd += isOdd ? 1 : 0;
  }

  /**
   * Asks for the records that it wants to visit.
   *
   * @param rows lists them as {@link RowsByUse#facts}
   */
  public static void ask(RowsByUse rows) {
    for (int group = 0; group <= 0xFF; group++) {
      int hook = KernelEvent.hookId(group, IptEvents.TYPE);
      if (IptEvents.mayBe(hook)) {
        rows.ask(rows.facts(), hook);
      }
    }
  }

  @Override
  public PieceTable merge(PieceTable other) {
    pieces.addAll(other.pieces);
    if (pieces.rows() > most) {
      trim();
    }
    count += other.count;
    bytes += other.bytes;
    wrapped += other.wrapped;
    unsynchronised += other.unsynchronised;
    untimed += other.untimed;
    odd += other.odd;
    return this;
  }

  @Override
  public void settle() {
    trim();
    pieces.trim();
  }

  /** Sorts by time and keeps the first ones. */
  private void trim() {
    int[] order = RowSort.sorted(pieces.rows(), this::compare);
    pieces.permute(order.length > most ? Arrays.copyOf(order, most) : order);
  }

  private int compare(int a, int b) {
    int byTime = Long.compare(keys.get(a), keys.get(b));
    if (byTime != 0) {
      return byTime;
    }
    int byCpu = Integer.compare(cpus.get(a), cpus.get(b));
    int byFile = byCpu != 0 ? byCpu : Integer.compare(files.get(a), files.get(b));
    return byFile != 0 ? byFile : Long.compare(origins.get(a), origins.get(b));
  }

  /** Number of all pieces, those that are not kept included. */
  long count() {
    return count;
  }

  /** Bytes of trace of all pieces. */
  long bytes() {
    return bytes;
  }

  long wrapped() {
    return wrapped;
  }

  long unsynchronised() {
    return unsynchronised;
  }

  long untimed() {
    return untimed;
  }

  /** Pieces whose options are not known, or name a smaller ring than theirs. */
  long odd() {
    return odd;
  }

  int rows() {
    return pieces.rows();
  }

  long key(int row) {
    return keys.get(row);
  }

  long named(int row) {
    return named.get(row);
  }

  int file(int row) {
    return files.get(row);
  }

  int cpu(int row) {
    return cpus.get(row);
  }

  /** Number of the buffer. */
  int buffer(int row) {
    return (int) (origins.get(row) >>> 32);
  }

  /** Place of the record in its buffer. */
  int offset(int row) {
    return (int) origins.get(row);
  }

  int process(int row) {
    return processes.get(row);
  }

  int thread(int row) {
    return threads.get(row);
  }

  long options(int row) {
    return options.get(row);
  }

  int size(int row) {
    return sizes.get(row);
  }

  boolean isWrapped(int row) {
    return (flags.get(row) & WRAPPED) != 0;
  }

  boolean isSynchronised(int row) {
    return (flags.get(row) & SYNCHRONISED) != 0;
  }

  TraceTiming timing(int row) {
    return TIMINGS[flags.get(row) & TIMING];
  }
}

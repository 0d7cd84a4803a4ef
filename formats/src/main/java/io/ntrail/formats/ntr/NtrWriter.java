package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * Writes a recording of function calls, as docs/ntr.md specifies.
 *
 * <p>It only ever appends, whole chunks with one write each: whatever ends it, the file can be read
 * up to the last of them. {@link #close} adds the index, which saves readers from going through the
 * file. Used by one thread. After an {@link IOException} the file may end in the middle of a chunk,
 * and nothing more is written.
 */
public final class NtrWriter implements AutoCloseable {
  /** Events in a chunk, unless the bytes are too many before. */
  public static final int CHUNK_EVENTS = 1 << 16;

  private static final int INDEX_ENTRIES = 4096;

  /** Compression of columns. */
  public enum Packing {
    /** None: fastest. */
    NONE,
    /** The columns that profit, at little cost. */
    FAST,
    /** Every column that becomes smaller. */
    SMALL
  }

  private OutputStream out;
  private final NtrHeader header;
  private final int recording;
  private final Packing packing;
  private final int chunkEvents;
  private final CRC32C crc = new CRC32C();
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
  private byte[] packed = new byte[1 << 10];
  private final ColumnWriter chunk = new ColumnWriter(1 << 16);
  private final DefinitionWriter definitions = new DefinitionWriter(this);
  private final ColumnWriter index = new ColumnWriter(1 << 10);
  private final Map<Long, ThreadEventWriter> threads = new LinkedHashMap<>();
  private int indexed;
  private long indexFrom;
  private long indexFromNumber;
  private long lastIndex;
  private long position;
  private long number;
  private EventTally written = EventTally.NONE;
  private boolean failed;
  private boolean closed;
  private @Nullable RecordingFollower follower;

  /**
   * Starts a recording: writes its first chunk.
   *
   * @param out receives whole chunks; closed with this writer. It should not buffer
   * @param recording any number; random ones keep recordings apart whose bytes got mixed
   * @throws IOException if it cannot be written
   */
  public NtrWriter(OutputStream out, NtrHeader header, int recording) throws IOException {
    this(out, header, recording, Packing.FAST, CHUNK_EVENTS);
  }

  /**
   * Starts a recording with a given compression and size of chunks.
   *
   * @param chunkEvents events in a chunk, 1 to 1,048,576
   * @throws IOException if it cannot be written
   */
  public NtrWriter(
      OutputStream out, NtrHeader header, int recording, Packing packing, int chunkEvents)
      throws IOException {
    NtrLayout.mustBeEvents(chunkEvents);
    this.out = out;
    this.header = header;
    this.recording = recording;
    this.packing = packing;
    this.chunkEvents = chunkEvents;
    recordingChunk();
  }

  /** Lets somebody follow what is written from now on. To be called before the first event. */
  public void follow(RecordingFollower by) {
    follower = by;
    definitions.follow(by);
    by.header(header);
  }

  /** Returns true if whoever follows should be given nothing more for a while. */
  public boolean isFollowerFull() {
    return follower != null && follower.isFull();
  }

  /** Takes the events of a thread; the same object for the same number. */
  public ThreadEventWriter events(long thread) {
    return threads.computeIfAbsent(
        thread, n -> new ThreadEventWriter(this, follower, n, chunkEvents));
  }

  /** Bytes written so far. */
  public long position() {
    return position;
  }

  /** Returns about how many bytes {@link #flush} will write at most. */
  long waiting() {
    long sum = 0;
    for (ThreadEventWriter thread : threads.values()) {
      sum += thread.bytes();
    }
    return sum;
  }

  /** Returns how many chunks have been written that no index lists yet. */
  int unindexed() {
    return indexed;
  }

  /** Events in the chunks written so far. */
  public EventTally written() {
    return written;
  }

  /** Returns true if a write failed, so that nothing more is written. */
  public boolean failed() {
    return failed;
  }

  /** Writes nothing more, as after a failed write: the file ends with its last chunk. */
  public void giveUp() {
    failed = true;
  }

  /** Defines a process, or completes what was defined of it. */
  public void process(TracedProcess process) throws IOException {
    definitions.process(process);
  }

  /** Defines a thread, or completes what was defined of it. */
  public void thread(TracedThread thread) throws IOException {
    definitions.thread(thread);
  }

  /** Defines a module, or completes what was defined of it. */
  public void module(TracedModule module) throws IOException {
    definitions.module(module);
  }

  /** Defines a function, or completes what was defined of it. */
  public void function(TracedFunction function) throws IOException {
    definitions.function(function);
  }

  /** Defines a time in which a module was not traced, or completes what was defined of it. */
  public void untraced(UntracedModule untraced) throws IOException {
    definitions.untraced(untraced);
  }

  /** Defines a time in which the tracer held a process, or completes what was defined of it. */
  public void hold(TracedProcess.Hold hold) throws IOException {
    definitions.hold(hold);
  }

  /** Defines the callers of an entry. */
  public void callers(TracedThread.Callers callers) throws IOException {
    definitions.callers(callers);
  }

  /** Writes calls that were added up; totals of the same number are replaced. */
  public void totals(CallTotals totals) throws IOException {
    definitions.totals(totals);
  }

  /** Tells of records that the file leaves out, as it is a part of another one. */
  public void omission(Omission omission) throws IOException {
    definitions.omission(omission);
  }

  /** Tells of a stretch of another file that could not be read when this one was made of it. */
  public void gap(Gap gap) throws IOException {
    definitions.gap(gap);
  }

  /** Tells of a thread as it is in the file that this one is a part of. */
  public void wholeThread(TracedThread.Whole whole) throws IOException {
    definitions.wholeThread(whole);
  }

  /** Tells how many records were lost of threads of that file that are not in this one. */
  public void lostElsewhere(long records) throws IOException {
    definitions.lostElsewhere(records);
  }

  /** Writes the readings of several clocks at one moment. */
  public void calibration(ClockCalibration calibration) throws IOException {
    definitions.calibration(calibration);
  }

  /** Writes a chunk of definitions, and empties their buffer. */
  void definitionsChunk(ColumnWriter content) throws IOException {
    beginChunk();
    chunk.put(content.bytes, 0, content.size);
    content.size = 0;
    endChunk(NtrLayout.DEFINITIONS, NtrLayout.ESSENTIAL);
  }

  /** Writes counters: totals since the beginning, which replace what was written before. */
  public void statistics(Map<RecorderCounter, Long> counters) throws IOException {
    TreeMap<Long, Long> sorted = new TreeMap<>();
    counters.forEach((counter, value) -> sorted.put((long) counter.number(), value));
    counters(sorted);
  }

  /** Writes counters by their numbers, those of later versions, too. */
  public void counters(SortedMap<Long, Long> counters) throws IOException {
    beginChunk();
    for (Map.Entry<Long, Long> counter : counters.entrySet()) {
      chunk.var(counter.getKey());
      chunk.var(counter.getValue());
    }
    endChunk(NtrLayout.STATISTICS, 0);
  }

  /**
   * Writes everything that waits, so that a reader of the growing file sees it.
   *
   * @throws IOException if it cannot be written
   */
  public void flush() throws IOException {
    definitions.flush();
    for (ThreadEventWriter thread : threads.values()) {
      thread.flush();
    }
  }

  /**
   * Writes what waits of a thread that ended, and forgets it.
   *
   * @throws IOException if it cannot be written
   */
  public void endThread(long thread) throws IOException {
    ThreadEventWriter ended = threads.remove(thread);
    if (ended != null) {
      ended.flush();
    }
  }

  /** Keeps a copy of all definitions from now on, for {@link #goOn}. */
  void remember() {
    definitions.remember();
  }

  /** Forgets the definition of a thread that no event refers to any more. */
  void forgetThread(long thread) {
    definitions.forgetThread(thread);
  }

  /**
   * Completes the file and continues in another one with the same threads; the definitions are
   * repeated there. The counts of what was written start again.
   *
   * @return the size of the other file then, in bytes
   */
  long goOn(OutputStream next) throws IOException {
    try {
      complete();
    } finally {
      out.close();
      out = next;
    }
    position = 0;
    number = 0;
    lastIndex = 0;
    indexFrom = 0;
    indexFromNumber = 0;
    written = EventTally.NONE;
    recordingChunk();
    definitions.repeat();
    definitions.flush();
    return position;
  }

  /** Appends a chunk of another file of the same recording. */
  void copy(int kind, int flags, byte[] payload, int length) throws IOException {
    definitions.flush();
    beginChunk();
    chunk.put(payload, 0, length);
    endChunk(kind, flags);
  }

  /** Appends a chunk of events of another file of the same recording. */
  void copy(EventChunk head, byte[] payload) throws IOException {
    definitions.flush();
    beginChunk();
    chunk.put(payload, 0, head.payload());
    written = written.plus(new EventTally(head.events(), head.calls(), 0, 0, 0));
    eventEntry(head);
    append(NtrLayout.EVENTS, NtrLayout.ESSENTIAL);
    indexIfLong();
  }

  void eventChunk(EventChunk head, int operations, ColumnWriter[] columns, EventTally tally)
      throws IOException {
    definitions.flush();
    beginChunk();
    chunk.u64(head.thread());
    chunk.u64(head.sequence());
    chunk.u64(head.firstEvent());
    chunk.u64(head.firstCall());
    chunk.u64(head.earliest());
    chunk.u64(head.latest());
    chunk.u64(head.lost());
    chunk.u32(head.events());
    chunk.u32(operations);
    chunk.u32(head.calls());
    chunk.u32(head.openBefore());
    chunk.u32(head.openAfter());
    chunk.u32(head.fewestOpen());
    chunk.u32(head.flags());
    chunk.zeros(NtrLayout.EVENT_HEAD - NtrLayout.HEAD_COLUMNS);
    int base = NtrLayout.CHUNK_HEADER;
    for (int i = 0; i < columns.length; i++) {
      ColumnWriter column = columns[i];
      int stored = pack(i, column);
      chunk.setU32(base + NtrLayout.HEAD_COLUMNS + 8 * i, stored);
      chunk.setU32(base + NtrLayout.HEAD_COLUMNS + 8 * i + 4, column.size);
      chunk.put(stored < column.size ? packed : column.bytes, 0, stored);
    }
    chunk.setU32(base + NtrLayout.HEAD_CHECKSUM, checksum(base, NtrLayout.HEAD_CHECKSUM));
    eventEntry(head);
    append(NtrLayout.EVENTS, NtrLayout.ESSENTIAL);
    written = written.plus(tally);
    indexIfLong();
  }

  private void indexIfLong() throws IOException {
    if (indexed >= INDEX_ENTRIES) {
      recordingChunk();
      indexChunk();
    }
  }

  private void eventEntry(EventChunk head) {
    indexEntry(NtrLayout.EVENTS, chunk.size - NtrLayout.CHUNK_HEADER);
    for (long value : head.indexed()) {
      index.var(value);
    }
  }

  /** Packs a column if that makes it smaller; the number of bytes it then takes. */
  private int pack(int which, ColumnWriter column) {
    boolean wanted =
        packing == Packing.SMALL || packing == Packing.FAST && which == NtrLayout.OPERATIONS;
    if (!wanted || column.size < 64) {
      return column.size;
    }
    if (packed.length < column.size) {
      packed = new byte[column.size];
    }
    deflater.reset();
    deflater.setInput(column.bytes, 0, column.size);
    deflater.finish();
    int stored = deflater.deflate(packed, 0, column.size - 1);
    return deflater.finished() ? stored : column.size;
  }

  private void recordingChunk() throws IOException {
    beginChunk();
    chunk.u16(NtrLayout.MAJOR);
    chunk.u16(0);
    chunk.u32(header.flags());
    chunk.u64(header.ticksPerSecond());
    chunk.u64(header.began());
    chunk.u64(header.beganUtc());
    chunk.u16(header.machine());
    chunk.u16(header.pointerBytes());
    chunk.u32(header.clock());
    chunk.text(header.writer());
    endChunk(NtrLayout.RECORDING, NtrLayout.ESSENTIAL);
  }

  private void indexChunk() throws IOException {
    beginChunk();
    chunk.u64(lastIndex);
    chunk.u64(indexFrom);
    chunk.u64(indexFromNumber);
    chunk.u32(indexed);
    chunk.u32(0);
    chunk.put(index.bytes, 0, index.size);
    index.size = 0;
    indexed = 0;
    lastIndex = position;
    indexFrom = position;
    indexFromNumber = number;
    endChunk(NtrLayout.INDEX, 0);
  }

  private void beginChunk() {
    chunk.size = 0;
    chunk.zeros(NtrLayout.CHUNK_HEADER);
  }

  private void indexEntry(int kind, int payload) {
    index.var(kind);
    index.var(payload);
    indexed++;
  }

  private void endChunk(int kind, int flags) throws IOException {
    indexEntry(kind, chunk.size - NtrLayout.CHUNK_HEADER);
    append(kind, flags);
  }

  private void append(int kind, int flags) throws IOException {
    if (failed) {
      throw new IOException("an earlier write failed");
    }
    int payload = chunk.size - NtrLayout.CHUNK_HEADER;
    if (payload > NtrLayout.MAX_PAYLOAD) {
      throw new IllegalArgumentException("a chunk of " + payload + " bytes");
    }
    int total = (int) NtrLayout.chunkSize(payload);
    chunk.zeros(total - chunk.size);
    chunk.setU32(0, NtrLayout.MARKER);
    chunk.setU32(4, kind | flags << 16);
    chunk.setU32(8, payload);
    chunk.setU32(12, checksum(NtrLayout.CHUNK_HEADER, total - NtrLayout.CHUNK_HEADER));
    chunk.setU32(16, (int) number);
    chunk.setU32(20, (int) (number >>> 32));
    chunk.setU32(24, recording);
    chunk.setU32(28, checksum(0, 28));
    failed = true;
    out.write(chunk.bytes, 0, total);
    failed = false;
    position += total;
    number++;
  }

  private int checksum(int from, int length) {
    crc.reset();
    crc.update(chunk.bytes, from, length);
    return (int) crc.getValue();
  }

  /**
   * Writes everything that waits, the index and the end, and closes the file; after a failed write
   * it only closes.
   *
   * @throws IOException if it cannot be written
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!failed) {
        complete();
      }
    } finally {
      deflater.end();
      out.close();
    }
  }

  private void complete() throws IOException {
    flush();
    recordingChunk();
    indexChunk();
    beginChunk();
    chunk.u64(lastIndex);
    chunk.u64(number);
    chunk.u64(written.events());
    chunk.u64(position + NtrLayout.chunkSize(NtrLayout.END_PAYLOAD));
    append(NtrLayout.END, NtrLayout.ESSENTIAL);
  }

  /** The numbers of the threads that events were taken of and that did not end, in that order. */
  public List<Long> threads() {
    return new ArrayList<>(threads.keySet());
  }
}

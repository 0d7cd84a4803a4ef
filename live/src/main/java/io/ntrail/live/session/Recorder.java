package io.ntrail.live.session;

import io.ntrail.formats.ntr.EventTally;
import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes records out of the chunks of a {@link SessionFile} and gives them to a writer of {@code
 * .ntr}: thread by thread in order, with losses marked where they happened.
 *
 * <p>{@link #poll} does a bit of work and returns; a {@link RecorderThread} calls it all the time.
 * What threads wrote is in the file after 100 ms at most, since chunks in use are read as far as
 * they are written. When the program or its tracing ended, {@link #finish} reads the remaining
 * records.
 *
 * <p>No writing fails for the caller: a file that cannot be written is counted and reported, and
 * the recorder keeps emptying chunks, so that the target never waits for it. Impossible content
 * that a target leaves is counted and reported, too.
 *
 * <p>Any thread may call it; reading {@link #statistics} never blocks.
 */
public final class Recorder implements AutoCloseable {
  /** Maximum number of chunks that one call of {@link #poll} reads. */
  private static final int CHUNKS_A_POLL = 64;

  /** Maximum number of chunks that are added at a time: clearing them takes some milliseconds. */
  private static final int MOST_GROWTH = 1024;

  static final long PROGRESS_NANOS = 60_000_000;

  /** Interval of looks for sampled stacks: there are few places for them. */
  private static final long SAMPLES_NANOS = 1_000_000;

  /** Interval in passes of checks of all chunks, which only a damaged session needs. */
  private static final int SEARCH_EVERY = 16;

  /** Writes definitions. */
  @FunctionalInterface
  public interface Definitions {
    /** Writes definitions, but no events. */
    void write(NtrWriter writer) throws IOException;
  }

  private final SessionFile session;
  private final RecorderSettings settings;
  private final boolean alone;
  private final RecorderDiagnostics remarks;
  private final RecorderOutput output;
  private final RecordSink sink;
  private final SessionChunkReader reader;
  private final CallTotalsRecorder totals;
  private final CallThrottle throttle;
  private final ReentrantLock lock;
  private final LongSupplier clock;

  private int progresses;
  private long lastProgress;
  private long threadsEnded;
  private long openEnded;
  private long now;
  private boolean finished;
  private volatile RecorderStatistics statistics;

  private Recorder(
      SessionFile session,
      NtrWriter writer,
      @Nullable NtrRing ring,
      RecorderSettings settings,
      LongSupplier clock) {
    this(session, settings, writer, ring, new RecorderDiagnostics(), null, clock);
  }

  private Recorder(
      SessionFile session,
      RecorderSettings settings,
      NtrWriter writer,
      @Nullable NtrRing ring,
      RecorderDiagnostics remarks,
      @Nullable RecorderOutput shared,
      LongSupplier clock) {
    this.session = session;
    this.settings = settings;
    this.remarks = remarks;
    this.clock = clock;
    lastProgress = clock.getAsLong();
    this.alone = shared == null;
    output =
        shared == null ? new RecorderOutput(writer, ring, settings.maxBytes(), remarks) : shared;
    lock = output.lock;
    throttle =
        new CallThrottle(session.cells(), output, settings.throttle(), settings.ticksPerSecond());
    int arguments = session.argumentPlaces(settings.arguments()).size();
    sink = new RecordSink(session, arguments, writer, remarks, throttle);
    reader = new SessionChunkReader(session, output, sink, remarks, settings.process());
    totals = new CallTotalsRecorder(session.tables(), output, remarks, settings.process());
    lock.lock();
    try {
      statistics = snapshot();
      output.join(this);
      output.count();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Records another process into the same file. It has to be closed before this one, which has the
   * file.
   *
   * @param process its number in the {@code .ntr}
   */
  public Recorder beside(SessionFile other, long process) {
    return new Recorder(
        other,
        settings.of(process),
        output.writer,
        output.ring,
        new RecorderDiagnostics(),
        output,
        clock);
  }

  /**
   * Records into a file that grows.
   *
   * @param writer closed with the recorder; not used by others
   */
  public static Recorder appending(
      SessionFile session, NtrWriter writer, RecorderSettings settings) {
    return appending(session, writer, settings, System::nanoTime);
  }

  /**
   * Records into a file that grows.
   *
   * @param clock nanoseconds: tells when chunks in use are looked at
   */
  static Recorder appending(
      SessionFile session, NtrWriter writer, RecorderSettings settings, LongSupplier clock) {
    return new Recorder(session, writer, null, settings, clock);
  }

  /**
   * Records into a file that keeps the last bytes.
   *
   * @param ring closed with the recorder; not used by others
   */
  public static Recorder keepingLast(SessionFile session, NtrRing ring, RecorderSettings settings) {
    return new Recorder(session, ring.writer(), ring, settings, System::nanoTime);
  }

  /** Returns the statistics of all processes in the file, up to the last 60 ms or so. */
  public RecorderStatistics statistics() {
    return output.total();
  }

  /**
   * Returns the statistics of this process alone; what the ring overwrote counts as captured here.
   */
  public RecorderStatistics own() {
    return statistics;
  }

  /** Stops recording: threads write no further records, and wait for no further chunks. */
  void stop() {
    session.enable(false);
    session.endGrowth();
  }

  /**
   * Defines the function of an address in records. To be called before the function is patched.
   *
   * @param address the low half of the address of its body thunk
   * @param row its place in tables of calls, if there are any
   * @param function its number is 1 to 2^31 - 1; the arguments become those that are recorded
   */
  public void function(int address, int row, TracedFunction function) {
    long number = function.number();
    if (number < 1 || number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("function number " + number);
    }
    lock.lock();
    try {
      sink.function(address, (int) number);
      totals.function(row, (int) number);
      throttle.function(row, (int) number);
      TracedFunction recorded = function.recording(session.argumentPlaces(settings.arguments()));
      define(to -> to.function(recorded));
    } finally {
      lock.unlock();
    }
  }

  /** Writes definitions between two passes. */
  public void define(Definitions definitions) {
    lock.lock();
    try {
      output.attempt(() -> definitions.write(output.writer));
    } finally {
      lock.unlock();
    }
  }

  /** Names a living thread; it may have no records yet. */
  public void name(int tid, String name) {
    lock.lock();
    try {
      reader.names().put(tid, name);
      totals.name(tid, name);
      for (RecordedThread thread : reader.threads().values()) {
        if (thread.key.tid() == tid) {
          thread.name = name;
          output.attempt(() -> output.writer.thread(reader.traced(thread, 0)));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads chunks that were handed over, some at a time; now and then also those in use.
   *
   * @return how many chunks were read: 0 means that there is nothing to do for the moment
   */
  public int poll() {
    lock.lock();
    try {
      if (!finished) {
        session.drains();
      }
      if (finished || output.writer.isFollowerFull()) {
        return 0;
      }
      grow();
      totals.poll(reader.names());
      session.samples().collect();
      long before = reader.chunksRead();
      long nanos = clock.getAsLong();
      if (reader.hasWork()) {
        reader.pass(CHUNKS_A_POLL);
      }
      if (nanos - lastProgress >= PROGRESS_NANOS) {
        progress(progresses++ % SEARCH_EVERY == 0);
        lastProgress = nanos;
      }
      return (int) (reader.chunksRead() - before);
    } finally {
      lock.unlock();
    }
  }

  /** Adds chunks when few are free, as long as there is memory for them. */
  private void grow() {
    int chunks = session.chunks();
    int free = session.chunksFree();
    if (!session.canGrow() || !output.isRecording() || free < 0 || free > chunks / 4) {
      return;
    }
    try {
      session.grow(Math.min(chunks, MOST_GROWTH));
    } catch (IOException e) {
      remarks.say("no more than %d buffers: %s", chunks, String.valueOf(e.getMessage()));
    }
    reader.pool().grown();
  }

  /** Returns how long nothing is to be done, in nanoseconds, if {@link #poll} found nothing. */
  long leisure() {
    // A thread fills a chunk in 40 microseconds at its fastest; the file may be 100 ms behind.
    long most = session.samples().layout().exist() ? SAMPLES_NANOS : 20_000_000;
    return Math.clamp(statistics.buffersFree() * 30_000L, 500_000, most);
  }

  /** Takes out all records that are in chunks now, also those in use, however many there are. */
  public void drain() {
    lock.lock();
    try {
      if (!finished) {
        reader.pool().search();
        passTwice();
        reader.readInUse();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes everything into the file now. */
  public void flush() {
    lock.lock();
    try {
      if (!finished) {
        progress(true);
      }
    } finally {
      lock.unlock();
    }
  }

  private void progress(boolean search) {
    if (search) {
      reader.pool().search();
    }
    reader.pass(CHUNKS_A_POLL);
    reader.readInUse();
    output.attempt(() -> {
      output.writer.flush();
      output.checkSize();
      output.writeStatistics(false);
    });
    count();
  }

  /** Counts what waited when a write failed as dropped. */
  void takeBack() {
    for (RecordedThread thread : reader.threads().values()) {
      if (thread.events != null) {
        sink.takeBack(thread.events.waiting());
      }
    }
  }

  /**
   * Ends the threads that are gone, with their chunks and their definitions.
   *
   * @param alive ids of the threads of the target
   * @param ticks a time before that list was made: threads that began later are not judged
   * @return the threads that ended
   */
  public List<ThreadKey> retain(Set<Integer> alive, long ticks) {
    lock.lock();
    try {
      if (finished) {
        return List.of();
      }
      now = ticks;
      passTwice();
      // An id is used again, by a thread of another name.
      reader.names().keySet().retainAll(alive);
      output.attempt(() -> throttle.write(output.writer, ticks));
      List<ThreadKey> ended = new ArrayList<>(totals.retain(alive, ticks, reader.names()));
      List<RecordedThread> gone = reader.gone(alive, ticks);
      gone.forEach(thread -> end(thread, ticks));
      gone.forEach(thread -> ended.add(thread.key));
      count();
      return ended;
    } finally {
      lock.unlock();
    }
  }

  /** Resolves chunks that seemed missing: at the second pass they are found or lost. */
  private void passTwice() {
    reader.pass(session.chunks());
    reader.pass(session.chunks());
  }

  private void end(RecordedThread thread, long ticks) {
    reader.readLeft(thread);
    tellDropped(thread);
    threadsEnded++;
    if (thread.events != null) {
      openEnded += thread.events.open();
    }
    // Removed after its last write: if that fails, what waited is taken back.
    output.attempt(() -> {
      output.writer.thread(reader.traced(thread, ticks));
      output.writer.endThread(thread.number);
      if (output.ring != null) {
        output.ring.ended(thread.number);
      }
    });
    reader.threads().remove(thread.key);
  }

  /** Reports at the end of a thread how many events came after recording had stopped. */
  private void tellDropped(RecordedThread thread) {
    ThreadEventWriter events = thread.events;
    if (events != null && thread.dropped > 0) {
      output.attempt(() -> events.lost(thread.dropped));
      thread.dropped = 0;
    }
  }

  /**
   * Takes out everything that is left, including chunks in use, and writes the final statistics.
   * The target has ended, or none of its threads writes records any more.
   *
   * @param ticks the time; 0 = that of the latest event
   */
  public void finish(long ticks) {
    lock.lock();
    try {
      if (finished) {
        return;
      }
      finished = true;
      now = ticks;
      reader.pool().search();
      passTwice();
      reader.readLeft();
      reader.threads().values().forEach(this::tellDropped);
      totals.finish(ticks, reader.names());
      output.attempt(() -> throttle.write(output.writer, ticks));
      output.attempt(output.writer::flush);
      if (alone) {
        output.finished();
      }
      statistics = snapshot();
      output.attempt(() -> output.writeStatistics(true));
      if (alone) {
        // The file has its size, and its place, when the statistics of the end are there.
        output.complete();
      }
      count();
      if (!alone) {
        output.leave(this);
      }
    } finally {
      lock.unlock();
    }
  }

  private void count() {
    statistics = snapshot();
    output.count();
  }

  private RecorderStatistics snapshot() {
    long open = openEnded + totals.open();
    for (RecordedThread thread : reader.threads().values()) {
      open += thread.events == null ? 0 : thread.events.open();
    }
    long latest = now != 0 ? now : sink.latest();
    return new RecorderStatistics(
        reader.threadsSeen() + totals.threadsSeen(),
        threadsEnded + totals.threadsEnded(),
        session.chunks(),
        reader.fullAtMost(),
        reader.chunksRead(),
        reader.pool().free(),
        sink.given(),
        totals.calls() + throttle.calls(),
        open,
        sink.dropped(),
        EventTally.NONE,
        Math.max(reader.lossTold(), session.lost()),
        reader.missingChunks(),
        reader.missingChunks() * session.recordsPerChunk(),
        sink.unreadable(),
        sink.unknownEvents(),
        remarks.damaged(),
        output.bytes(),
        Math.max(0, latest - settings.began()),
        output.failedWrites(),
        session.deepEntries(),
        session.entriesWithoutArea(),
        session.noTable(),
        session.slowPasses(),
        session.areasFree(),
        reader.chunksRefused(),
        session.waits(),
        output.state(),
        remarks.list());
  }

  /**
   * Finishes the recording if needed, and closes the file unless it is another's.
   *
   * @throws IOException if the file could not be completed; it can be read up to there
   */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      finish(0);
    } finally {
      try {
        if (alone) {
          output.close();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}

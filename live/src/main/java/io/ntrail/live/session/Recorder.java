package io.ntrail.live.session;

import io.ntrail.formats.ntr.Counter;
import io.ntrail.formats.ntr.EventTally;
import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEvents;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedThread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Takes records out of the chunks of a {@link SessionFile} and gives them to a writer of {@code
 * .ntr}: thread by thread in order, with what was lost told where it was lost.
 *
 * <p>{@link #poll} does a bit of work and returns; a {@link RecorderThread} calls it all the time.
 * What threads wrote is in the file after 100 ms at most, since chunks in use are read as far as
 * they are written. When the program or its tracing ended, {@link #finish} takes out what is left.
 *
 * <p>No writing fails for the caller: a file that cannot be written is counted and said, and the
 * recorder goes on with emptying chunks, so that the target never waits for it. What a target
 * leaves that cannot be is counted and said, too.
 *
 * <p>Any thread may call it; who reads {@link #statistics} waits for nobody.
 */
public final class Recorder implements AutoCloseable {
  /** Chunks that one call of {@link #poll} reads at most. */
  private static final int CHUNKS_A_POLL = 64;

  private static final long PROGRESS_NANOS = 40_000_000;

  /** All chunks are looked at every so many times: only a damaged session needs it. */
  private static final int SEARCH_EVERY = 8;

  private static final long STATISTICS_NANOS = 1_000_000_000;

  /** Threads at once: each has an area, at least. */
  private static final int MOST_THREADS = SessionLayout.AREAS;

  /** Writes definitions. */
  @FunctionalInterface
  public interface Definitions {
    /** Defines something; no events. */
    void write(NtrWriter writer) throws IOException;
  }

  private final SessionFile session;
  private final NtrWriter writer;
  private final @Nullable NtrRing ring;
  private final RecorderSettings settings;
  private final Remarks remarks = new Remarks();
  private final ChunkPool pool;
  private final RecordSink sink;
  private final ReentrantLock lock = new ReentrantLock(true);

  private final Map<ThreadKey, RecordedThread> threads = new LinkedHashMap<>();
  private final List<RecordedThread> waiting = new ArrayList<>();
  private final List<RecordedThread> crowded = new ArrayList<>();
  private long passes;
  private int progresses;
  private long fullSeen;
  private int readyChunks;
  private long lastProgress = System.nanoTime();
  private long lastStatistics = System.nanoTime();
  private Map<Counter, Long> statisticsWritten = Map.of();

  private RecorderState state = RecorderState.RECORDING;
  private long threadsSeen;
  private long threadsEnded;
  private long chunksRefused;
  private boolean finished;
  private int fullAtMost;
  private long buffersWritten;
  private long openEnded;
  private long lossTold;
  private long missingChunks;
  private long failedWrites;
  private long now;
  private volatile RecorderStatistics statistics;

  private Recorder(
      SessionFile session, NtrWriter writer, @Nullable NtrRing ring, RecorderSettings settings) {
    this.session = session;
    this.writer = writer;
    this.ring = ring;
    this.settings = settings;
    pool = new ChunkPool(session, remarks);
    sink = new RecordSink(session, writer, remarks);
    statistics = snapshot();
  }

  /**
   * Records into a file that grows.
   *
   * @param writer closed with the recorder; used by nobody else
   */
  public static Recorder appending(
      SessionFile session, NtrWriter writer, RecorderSettings settings) {
    return new Recorder(session, writer, null, settings);
  }

  /**
   * Records into a file that keeps the last bytes.
   *
   * @param ring closed with the recorder; used by nobody else
   */
  public static Recorder keepingLast(SessionFile session, NtrRing ring, RecorderSettings settings) {
    return new Recorder(session, ring.writer(), ring, settings);
  }

  /** What was counted up to the last 40 ms or so. */
  public RecorderStatistics statistics() {
    return statistics;
  }

  /**
   * Tells which function records name by an address. To be told before the function is patched.
   *
   * @param address the low half of the address of its body thunk
   * @param function its number is 1 to 2^31 - 1; the arguments become those that the session has
   */
  public void function(int address, TracedFunction function) {
    long number = function.number();
    if (number < 1 || number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("function number " + number);
    }
    lock.lock();
    try {
      sink.function(address, (int) number);
      define(to ->
          to.function(
              new TracedFunction(
                  number,
                  function.module(),
                  function.rva(),
                  function.name(),
                  session.argumentPlaces())));
    } finally {
      lock.unlock();
    }
  }

  /** Writes definitions between two bits of work. */
  public void define(Definitions definitions) {
    lock.lock();
    try {
      if (!writer.failed()) {
        definitions.write(writer);
      }
    } catch (IOException e) {
      fail(e);
    } finally {
      lock.unlock();
    }
  }

  /** Names the threads with an id that did not end. */
  public void name(int tid, String name) {
    lock.lock();
    try {
      for (RecordedThread thread : threads.values()) {
        if (thread.key.tid() == tid) {
          thread.name = name;
          define(to -> to.thread(traced(thread, 0)));
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
      if (finished) {
        return 0;
      }
      long before = buffersWritten;
      long nanos = System.nanoTime();
      if (!waiting.isEmpty() || session.full() != fullSeen) {
        pass(CHUNKS_A_POLL);
      }
      if (nanos - lastProgress >= PROGRESS_NANOS) {
        progress(progresses++ % SEARCH_EVERY == 0);
        lastProgress = nanos;
      }
      return (int) (buffersWritten - before);
    } finally {
      lock.unlock();
    }
  }

  /** How long nothing is to be done for certain, in nanoseconds, if {@link #poll} found nothing. */
  long leisure() {
    // Two threads fill a chunk in 20 microseconds at their fastest; the file is 100 ms behind at
    // most.
    return Math.clamp(statistics.buffersFree() * 20_000L, 500_000, 10_000_000);
  }

  /** Brings all that is written into the file now. */
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
      pool.search();
    }
    pass(CHUNKS_A_POLL);
    // Taken chunks change places when one is given back, which those in use are not here.
    for (int i = 0; i < pool.takenCount(); i++) {
      ChunkState chunk = pool.taken(i);
      RecordedThread owner = chunk.owner;
      if (owner != null && !chunk.ready && owner.ready.isEmpty() && chunk.number == owner.next) {
        read(chunk, owner);
      }
    }
    try {
      if (!writer.failed()) {
        writer.flush();
        if (ring != null) {
          ring.turn();
        }
        checkSize();
        writeStatistics(false);
      }
    } catch (IOException e) {
      fail(e);
    }
    statistics = snapshot();
  }

  private void writeStatistics(boolean last) throws IOException {
    long nanos = System.nanoTime();
    if (last || nanos - lastStatistics >= STATISTICS_NANOS) {
      lastStatistics = nanos;
      Map<Counter, Long> counters = snapshot().counters();
      if (last || !counters.equals(statisticsWritten)) {
        writer.statistics(counters);
        // Its own bytes are among those written: they alone are no news.
        statisticsWritten = snapshot().counters();
      }
    }
  }

  /** Finds chunks that are to be read, and reads at most so many of them. */
  private void pass(int most) {
    passes++;
    fullSeen = session.full();
    pool.follow();
    for (int i = 0; i < pool.takenCount(); i++) {
      look(pool.taken(i));
    }
    for (RecordedThread thread : crowded) {
      lookAgain(thread);
    }
    crowded.clear();
    fullAtMost = Math.max(fullAtMost, readyChunks);
    int left = most;
    for (int i = 0; i < waiting.size() && left > 0; i++) {
      left -= readReady(waiting.get(i), left);
    }
    waiting.removeIf(thread -> thread.ready.isEmpty());
  }

  private void look(ChunkState chunk) {
    if (chunk.ready) {
      return;
    }
    int is = session.state(chunk.index);
    switch (is) {
      case SessionLayout.FREE -> {
        if (chunk.owner != null) {
          strange(chunk, "lost its head while it was in use");
        }
      }
      case SessionLayout.IN_USE -> owner(chunk);
      case SessionLayout.FULL -> {
        RecordedThread owner = owner(chunk);
        boolean same =
            session.thread(chunk.index) == owner.key.tid()
                && session.began(chunk.index) == owner.key.began()
                && session.number(chunk.index) == chunk.number;
        if (!same) {
          strange(chunk, "became another thread's while it was in use");
        }
        ready(chunk, owner);
      }
      default -> strange(chunk, "is in state " + Integer.toUnsignedLong(is));
    }
  }

  private void strange(ChunkState chunk, String what) {
    if (!chunk.said) {
      chunk.said = true;
      remarks.damaged("chunk %d %s", chunk.index, what);
    }
  }

  private void ready(ChunkState chunk, RecordedThread owner) {
    chunk.ready = true;
    chunk.readyPass = passes;
    owner.inUse.remove(chunk);
    owner.ready.add(chunk);
    readyChunks++;
    if (owner.ready.size() == 1) {
      waiting.add(owner);
    }
  }

  /** A thread has one chunk in use; whatever else it seems to have, it left behind. */
  private void lookAgain(RecordedThread thread) {
    for (ChunkState chunk : List.copyOf(thread.inUse)) {
      // Read behind the head of the later chunk: by now it must be handed over.
      look(chunk);
    }
    thread.inUse.sort(Comparator.comparingLong(chunk -> chunk.number));
    while (thread.inUse.size() > 1) {
      ChunkState chunk = thread.inUse.getFirst();
      strange(chunk, "was left by its thread without being handed over");
      chunk.partial = true;
      ready(chunk, thread);
    }
  }

  private RecordedThread owner(ChunkState chunk) {
    RecordedThread known = chunk.owner;
    if (known != null) {
      return known;
    }
    ThreadKey key = new ThreadKey(session.thread(chunk.index), session.began(chunk.index));
    chunk.number = session.number(chunk.index);
    chunk.lost = session.lost(chunk.index);
    RecordedThread owner = threads.get(key);
    if (owner == null) {
      owner = begin(key, chunk);
    }
    chunk.owner = owner;
    owner.inUse.add(chunk);
    if (owner.inUse.size() == 2) {
      crowded.add(owner);
    }
    return owner;
  }

  private RecordedThread begin(ThreadKey key, ChunkState chunk) {
    if (threads.size() >= MOST_THREADS) {
      chunksRefused++;
      remarks.say("thread %d is one too many at once: its records are dropped", key.tid());
      RecordedThread nobody = new RecordedThread(key, 0, null);
      nobody.next = chunk.number;
      return nobody;
    }
    threadsSeen++;
    ThreadEvents events = writer.events(threadsSeen);
    RecordedThread thread = new RecordedThread(key, threadsSeen, events);
    threads.put(key, thread);
    define(to -> to.thread(traced(thread, 0)));
    return thread;
  }

  private TracedThread traced(RecordedThread thread, long ended) {
    long tid = Integer.toUnsignedLong(thread.key.tid());
    return new TracedThread(
        thread.number, settings.process(), tid, thread.key.began(), ended, thread.name);
  }

  /** Reads the ready chunks of a thread in the order of their numbers; how many. */
  private int readReady(RecordedThread thread, int most) {
    if (thread.ready.size() > 1) {
      thread.ready.sort((a, b) -> Long.compareUnsigned(a.number, b.number));
    }
    int count = 0;
    while (count < most && count < thread.ready.size()) {
      ChunkState chunk = thread.ready.get(count);
      int order = Long.compareUnsigned(chunk.number, thread.next);
      if (order > 0 && chunk.readyPass == passes) {
        // The one before it was handed over earlier: a look at all chunks from now on finds it.
        break;
      }
      if (order > 0) {
        missing(thread, chunk);
      } else if (order < 0) {
        strange(chunk, "has a number that its thread had before: " + chunk.number);
      }
      read(chunk, thread);
      if (order >= 0) {
        thread.next = chunk.number + 1;
      }
      count++;
      recycle(chunk);
    }
    thread.ready.subList(0, count).clear();
    readyChunks -= count;
    return count;
  }

  private void recycle(ChunkState chunk) {
    buffersWritten++;
    pool.recycle(chunk);
  }

  private void missing(RecordedThread thread, ChunkState chunk) {
    long chunks = chunk.number - thread.next;
    if (Long.compareUnsigned(chunks, pool.offered()) > 0) {
      strange(
          chunk, "has a number that no thread can have: " + Long.toUnsignedString(chunk.number));
      return;
    }
    missingChunks += chunks;
    remarks.damaged(
        "thread %d: %d chunks are missing before its chunk %d",
        thread.key.tid(), chunks, chunk.number);
    tellLost(thread, chunks * session.recordsPerChunk());
  }

  /** Takes out the records of a chunk that are there and were not taken out yet. */
  private void read(ChunkState chunk, RecordedThread owner) {
    if (!chunk.lossTold) {
      chunk.lossTold = true;
      tellLoss(chunk, owner);
    }
    boolean full = chunk.ready && !chunk.partial;
    int count =
        full ? session.recordsPerChunk() - chunk.done : session.whole(chunk.index, chunk.done);
    if (count == 0) {
      return;
    }
    session.copyRecords(chunk.index, chunk.done, count, sink.words());
    chunk.done += count;
    ThreadEvents events = owner.events;
    if (state != RecorderState.RECORDING || events == null) {
      sink.drop(0, count);
      owner.dropped += count;
      return;
    }
    try {
      sink.give(count, owner, events);
      checkSize();
    } catch (IOException e) {
      fail(e);
    }
  }

  private void tellLoss(ChunkState chunk, RecordedThread owner) {
    if (chunk.lost == 0) {
      return;
    }
    long most = session.lost() - lossTold;
    long lost = chunk.lost;
    if (Long.compareUnsigned(lost, most) > 0) {
      strange(chunk, "tells of more lost records than were counted: " + lost);
      lost = Math.max(0, most);
    }
    lossTold += lost;
    tellLost(owner, lost);
  }

  private void tellLost(RecordedThread thread, long records) {
    ThreadEvents events = thread.events;
    if (state != RecorderState.RECORDING || events == null) {
      thread.dropped += records;
      return;
    }
    try {
      events.lost(records);
    } catch (IOException e) {
      fail(e);
    }
  }

  private void checkSize() throws IOException {
    if (state == RecorderState.RECORDING
        && settings.maxBytes() > 0
        && writer.position() >= settings.maxBytes()) {
      state = RecorderState.SIZE_REACHED;
      session.enable(false);
      remarks.say("recording stopped when the file had %d bytes", writer.position());
      writer.flush();
    }
  }

  private void fail(IOException e) {
    if (state == RecorderState.FAILED) {
      return;
    }
    state = RecorderState.FAILED;
    writer.giveUp();
    failedWrites++;
    remarks.say("the file could not be written: %s", String.valueOf(e.getMessage()));
    session.enable(false);
    for (RecordedThread thread : threads.values()) {
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
      now = ticks;
      pass(session.chunks());
      pass(session.chunks());
      Map<Integer, Long> newest = new HashMap<>();
      List<RecordedThread> judged = new ArrayList<>();
      for (RecordedThread thread : threads.values()) {
        if (Long.compareUnsigned(thread.key.began(), ticks) <= 0) {
          judged.add(thread);
          newest.merge(
              thread.key.tid(),
              thread.key.began(),
              (a, b) -> Long.compareUnsigned(a, b) >= 0 ? a : b);
        }
      }
      List<ThreadKey> ended = new ArrayList<>();
      for (RecordedThread thread : judged) {
        Long last = newest.get(thread.key.tid());
        boolean replaced = last != null && last != thread.key.began();
        if (replaced || !alive.contains(thread.key.tid())) {
          end(thread, ticks);
          ended.add(thread.key);
        }
      }
      statistics = snapshot();
      return ended;
    } finally {
      lock.unlock();
    }
  }

  private void end(RecordedThread thread, long ticks) {
    emptied(thread);
    threads.remove(thread.key);
    threadsEnded++;
    ThreadEvents events = thread.events;
    if (events == null) {
      return;
    }
    tellDropped(thread);
    openEnded += events.open();
    if (!writer.failed()) {
      try {
        writer.thread(traced(thread, ticks));
        writer.endThread(thread.number);
        if (ring != null) {
          ring.ended(thread.number);
        }
      } catch (IOException e) {
        threads.put(thread.key, thread);
        fail(e);
        threads.remove(thread.key);
      }
    }
  }

  /** Reads all that a thread left, which writes no more. */
  private void emptied(RecordedThread thread) {
    for (ChunkState chunk : List.copyOf(thread.inUse)) {
      chunk.partial = true;
      ready(chunk, thread);
    }
    for (ChunkState chunk : thread.ready) {
      chunk.readyPass = -1;
    }
    while (!thread.ready.isEmpty()) {
      readReady(thread, Integer.MAX_VALUE);
    }
    waiting.remove(thread);
  }

  private void tellDropped(RecordedThread thread) {
    ThreadEvents events = thread.events;
    if (events != null && thread.dropped > 0 && !writer.failed()) {
      try {
        events.lost(thread.dropped);
        thread.dropped = 0;
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  /**
   * Takes out all that is left, also what chunks in use hold, and writes the last statistics. The
   * target has ended, or none of its threads writes records any more.
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
      pool.search();
      pass(session.chunks());
      pass(session.chunks());
      Set<RecordedThread> left = new HashSet<>(threads.values());
      List<ChunkState> headless = new ArrayList<>();
      for (int i = 0; i < pool.takenCount(); i++) {
        RecordedThread owner = pool.taken(i).owner;
        if (owner != null) {
          left.add(owner);
        } else {
          headless.add(pool.taken(i));
        }
      }
      left.forEach(this::emptied);
      headless.forEach(this::readHeadless);
      threads.values().forEach(this::tellDropped);
      if (!writer.failed()) {
        writer.flush();
        RecorderState before = state;
        state = before == RecorderState.RECORDING ? RecorderState.FINISHED : before;
        writeStatistics(true);
      }
    } catch (IOException e) {
      fail(e);
    } finally {
      statistics = snapshot();
      lock.unlock();
    }
  }

  /** A chunk whose head says nothing: its records, if there are any, are nobody's. */
  private void readHeadless(ChunkState chunk) {
    int whole = session.whole(chunk.index, 0);
    if (whole > 0) {
      strange(chunk, "has records and no thread");
      session.copyRecords(chunk.index, 0, whole, sink.words());
      sink.drop(0, whole);
    } else if (session.state(chunk.index) == SessionLayout.FREE) {
      remarks.say("chunk %d was taken by a thread that ended before it used it", chunk.index);
    }
    pool.recycle(chunk);
  }

  private RecorderStatistics snapshot() {
    long open = openEnded;
    for (RecordedThread thread : threads.values()) {
      open += thread.events == null ? 0 : thread.events.open();
    }
    EventTally gone = ring == null ? EventTally.NONE : ring.dropped();
    long latest = now != 0 ? now : sink.latest();
    return new RecorderStatistics(
        threadsSeen,
        threadsEnded,
        session.chunks(),
        fullAtMost,
        buffersWritten,
        pool.free(),
        sink.given().minus(gone),
        open,
        sink.dropped().plus(gone),
        Math.max(lossTold, session.lost()),
        missingChunks,
        missingChunks * session.recordsPerChunk(),
        sink.unreadable(),
        sink.unknownEvents(),
        remarks.damaged(),
        ring == null ? writer.position() : ring.bytes(),
        Math.max(0, latest - settings.began()),
        failedWrites,
        session.overflows(),
        session.noArea(),
        session.slowPasses(),
        session.areasFree(),
        chunksRefused,
        state,
        remarks.list());
  }

  /**
   * Finishes if that was not done, and completes and closes the file.
   *
   * @throws IOException if the file could not be completed; it can be read up to there
   */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      finish(0);
      if (ring != null) {
        ring.close();
      } else {
        writer.close();
      }
    } finally {
      lock.unlock();
    }
  }
}

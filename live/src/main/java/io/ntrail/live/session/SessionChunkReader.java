package io.ntrail.live.session;

import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.live.code.SessionLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds chunks to be read, assigns them to threads, and reads those of each thread in order. The
 * rules are those of docs/live.md section 2.
 */
final class SessionChunkReader {
  /** Thread limit: each thread has at least one area. */
  private static final int MAX_THREADS = SessionLayout.AREAS;

  private final SessionFile session;
  private final RecorderOutput output;
  private final RecordSink sink;
  private final RecorderDiagnostics remarks;
  private final long process;
  private final ChunkPool pool;
  private final Map<ThreadKey, RecordedThread> threads = new LinkedHashMap<>();
  private final Map<Integer, String> names = new HashMap<>();
  private final List<RecordedThread> waiting = new ArrayList<>();
  private final List<RecordedThread> crowded = new ArrayList<>();
  private long passes;
  private long fullSeen;
  private int readyChunks;
  private long threadsSeen;
  private long chunksRefused;
  private int fullAtMost;
  private long chunksRead;
  private long lossTold;
  private long missingChunks;

  SessionChunkReader(
      SessionFile session,
      RecorderOutput output,
      RecordSink sink,
      RecorderDiagnostics remarks,
      long process) {
    this.session = session;
    this.output = output;
    this.sink = sink;
    this.remarks = remarks;
    this.process = process;
    pool = new ChunkPool(session, remarks);
  }

  ChunkPool pool() {
    return pool;
  }

  /** Returns the names of threads by id, including threads without records. */
  Map<Integer, String> names() {
    return names;
  }

  /** Returns the threads that have not ended. */
  Map<ThreadKey, RecordedThread> threads() {
    return threads;
  }

  long threadsSeen() {
    return threadsSeen;
  }

  long chunksRefused() {
    return chunksRefused;
  }

  int fullAtMost() {
    return fullAtMost;
  }

  /** Returns the number of chunks that were read to their end. */
  long chunksRead() {
    return chunksRead;
  }

  /** Returns the number of lost records that chunk headers report. */
  long lossTold() {
    return lossTold;
  }

  long missingChunks() {
    return missingChunks;
  }

  /** Returns whether a chunk became full since the last pass, or waits. */
  boolean hasWork() {
    return !waiting.isEmpty() || session.full() != fullSeen;
  }

  /** Finds chunks to be read, and reads at most so many of them. */
  void pass(int most) {
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
    if (waiting.isEmpty()) {
      session.fullRead(fullSeen);
    }
  }

  private void look(ChunkState chunk) {
    if (chunk.ready) {
      return;
    }
    int is = session.state(chunk.index);
    switch (is) {
      case SessionLayout.FREE -> {
        if (chunk.owner != null) {
          strange(chunk, "header was cleared while in use");
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
          strange(chunk, "changed its owner thread while in use");
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

  /** Treats all chunks in use of a thread but one as abandoned. */
  private void lookAgain(RecordedThread thread) {
    for (ChunkState chunk : List.copyOf(thread.inUse)) {
      // Read after the head of the later chunk: by now it must be handed over.
      look(chunk);
    }
    thread.inUse.sort(Comparator.comparingLong(chunk -> chunk.number));
    while (thread.inUse.size() > 1) {
      left(thread.inUse.getFirst(), thread);
    }
  }

  private void left(ChunkState chunk, RecordedThread thread) {
    strange(chunk, "was abandoned by its thread");
    chunk.partial = true;
    ready(chunk, thread);
  }

  /** Returns whether a thread that handed over a chunk has one in use that it had before. */
  private boolean leave(RecordedThread thread, long number) {
    for (ChunkState chunk : List.copyOf(thread.inUse)) {
      if (Long.compareUnsigned(chunk.number, number) < 0) {
        left(chunk, thread);
        return true;
      }
    }
    return false;
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
    if (threads.size() >= MAX_THREADS) {
      chunksRefused++;
      remarks.say("thread %d exceeds the thread limit: its records are dropped", key.tid());
      RecordedThread nobody = new RecordedThread(key, 0, null);
      nobody.next = chunk.number;
      return nobody;
    }
    threadsSeen++;
    long number = output.nextThread();
    RecordedThread thread = new RecordedThread(key, number, output.writer.events(number));
    threads.put(key, thread);
    thread.name = names.getOrDefault(key.tid(), "");
    output.attempt(() -> output.writer.thread(traced(thread, 0)));
    return thread;
  }

  /** Returns the thread as a thread of the {@code .ntr}. */
  TracedThread traced(RecordedThread thread, long ended) {
    long tid = Integer.toUnsignedLong(thread.key.tid());
    return new TracedThread(thread.number, process, tid, thread.key.began(), ended, thread.name);
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
      if (order > 0 && leave(thread, chunk.number)) {
        // The next pass reads it first.
        break;
      }
      if (order > 0) {
        missing(thread, chunk);
      } else if (order < 0) {
        strange(chunk, "has a duplicate sequence number: " + chunk.number);
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
    chunksRead++;
    pool.recycle(chunk);
  }

  private void missing(RecordedThread thread, ChunkState chunk) {
    long chunks = chunk.number - thread.next;
    if (Long.compareUnsigned(chunks, pool.offered()) > 0) {
      strange(chunk, "has an invalid sequence number: " + Long.toUnsignedString(chunk.number));
      return;
    }
    missingChunks += chunks;
    remarks.damaged(
        "thread %d: %d chunks are missing before its chunk %d",
        thread.key.tid(), chunks, chunk.number);
    tellLost(thread, chunks * session.recordsPerChunk());
  }

  /** Takes out the new whole records of a chunk. */
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
    ThreadEventWriter events = owner.events;
    if (!output.isRecording() || events == null) {
      sink.drop(0, count);
      owner.dropped += count;
      return;
    }
    output.attempt(() -> {
      sink.give(count, owner, events);
      output.checkSize();
    });
  }

  private void tellLoss(ChunkState chunk, RecordedThread owner) {
    if (chunk.lost == 0) {
      return;
    }
    long most = session.lost() - lossTold;
    long lost = chunk.lost;
    if (Long.compareUnsigned(lost, most) > 0) {
      strange(chunk, "reports more lost records than were counted: " + lost);
      lost = Math.max(0, most);
    }
    lossTold += lost;
    tellLost(owner, lost);
  }

  private void tellLost(RecordedThread thread, long records) {
    ThreadEventWriter events = thread.events;
    if (!output.isRecording() || events == null) {
      thread.dropped += records;
    } else {
      output.attempt(() -> events.lost(records));
    }
  }

  /** Reads the chunks in use as far as they are written. */
  void readInUse() {
    // Taken chunks change places when one is given back, which those in use are not here.
    for (int i = 0; i < pool.takenCount(); i++) {
      ChunkState chunk = pool.taken(i);
      RecordedThread owner = chunk.owner;
      if (owner != null && !chunk.ready && owner.ready.isEmpty() && chunk.number == owner.next) {
        read(chunk, owner);
      }
    }
  }

  /** Reads all that threads left, also ones that are not known by their heads: nobody writes. */
  void readLeft() {
    Set<RecordedThread> left = new LinkedHashSet<>(threads.values());
    List<ChunkState> headless = new ArrayList<>();
    for (int i = 0; i < pool.takenCount(); i++) {
      RecordedThread owner = pool.taken(i).owner;
      if (owner != null) {
        left.add(owner);
      } else {
        headless.add(pool.taken(i));
      }
    }
    left.forEach(this::readLeft);
    headless.forEach(this::readHeadless);
  }

  /** Reads all that a thread left, which writes no more. */
  void readLeft(RecordedThread thread) {
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

  /** Drops the records of a chunk without a header, which belong to no thread. */
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

  /**
   * Returns the threads that have ended.
   *
   * @param alive ids of the threads of the target
   * @param ticks a time before that list was made: threads that began later are not judged
   */
  List<RecordedThread> gone(Set<Integer> alive, long ticks) {
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
    judged.removeIf(thread -> {
      Long last = newest.get(thread.key.tid());
      boolean replaced = last != null && last != thread.key.began();
      return !replaced && alive.contains(thread.key.tid());
    });
    return judged;
  }
}

package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.StoppableWork;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The calls of several threads that were entered in a stretch of time: by their entries where the
 * clock is shared by all threads, else thread after thread.
 */
public final class CallStream implements AutoCloseable {
  /** Calls that are told to the progress together. */
  private static final int TOLD = 1024;

  private final CallRecording recording;
  private final long from;
  private final long to;
  private final Deque<Integer> waiting = new ArrayDeque<>();
  private final PriorityQueue<CallWalk> merged = new PriorityQueue<>(CallStream::byEntry);
  private @Nullable CallWalk current;
  private final StoppableWork<CallRecording.Pass> work;
  private boolean isStopped;

  /** Calls that were given and are not told yet. */
  private int given;

  private static int byEntry(CallWalk a, CallWalk b) {
    int byEntry = Long.compare(a.entry(), b.entry());
    return byEntry != 0 ? byEntry : Integer.compare(a.thread(), b.thread());
  }

  /**
   * Creates a stream before the first call.
   *
   * @param threads by their place in the source
   * @param from the first time of an entry; {@link Long#MIN_VALUE} for the start
   * @param to the time before which entries have to be; {@link Long#MAX_VALUE} for the end
   */
  public CallStream(CallRecording recording, List<Integer> threads, long from, long to) {
    this.recording = recording;
    this.from = from;
    this.to = to;
    this.work = recording.work();
    work.begin(
        CallRecording.Pass.CALLS,
        threads.stream().mapToLong(i -> recording.index(i).callsBetween(from, to)).sum());
    if (recording.source().clock().shared()) {
      for (int thread : threads) {
        add(open(thread));
      }
    } else {
      waiting.addAll(threads);
    }
  }

  private CallWalk open(int thread) {
    CallWalk walk = recording.walk(thread);
    if (from != Long.MIN_VALUE) {
      walk.seekTime(from);
    }
    return walk;
  }

  private void add(CallWalk walk) {
    if (advance(walk)) {
      merged.add(walk);
    } else {
      walk.close();
    }
  }

  private boolean advance(CallWalk walk) {
    return walk.next() && walk.entry() < to;
  }

  /** The next call; null if there is none. It stays what it is until the next one is requested. */
  public @Nullable CallWalk next() {
    CallWalk next = isStopped ? null : following();
    if (next == null) {
      tell();
    } else if (work.isStopping()) {
      tell();
      isStopped = true;
      work.stopped();
      return null;
    } else if (++given == TOLD) {
      tell();
    }
    return next;
  }

  private void tell() {
    work.done(given);
    given = 0;
  }

  /**
   * Returns the first call that was left out because reading was stopped: all that were entered
   * before it were given, of its thread at least. Null if none was left out.
   */
  @Nullable CallWalk leftOut() {
    return isStopped ? current : null;
  }

  private @Nullable CallWalk following() {
    CallWalk last = current;
    if (last != null) {
      current = null;
      if (advance(last)) {
        CallWalk other = merged.peek();
        if (other == null || byEntry(last, other) < 0) {
          // A thread mostly goes on while others do not.
          current = last;
          return last;
        }
        merged.add(last);
      } else {
        last.close();
      }
    }
    CallWalk first = merged.poll();
    while (first == null && !waiting.isEmpty()) {
      add(open(waiting.removeFirst()));
      first = merged.poll();
    }
    current = first;
    return first;
  }

  @Override
  public void close() {
    CallWalk last = current;
    if (last != null) {
      last.close();
    }
    merged.forEach(CallWalk::close);
  }
}

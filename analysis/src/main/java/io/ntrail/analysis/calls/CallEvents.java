package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.ArgumentMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Entries and ends of the calls of several threads, in time order where the clock is shared by all
 * threads, else thread after thread. Of calls without a record of their end there is no end, but of
 * those that an unwinder was about to leave, at the time when that shows.
 */
public final class CallEvents implements AutoCloseable {
  /** Kinds of events. */
  public enum Kind {
    /** A function was entered. */
    ENTRY,
    /** A function returned. */
    RETURN,
    /** An exception left a function. */
    UNWIND
  }

  /**
   * An entry or an end.
   *
   * @param thread by its place in the source
   * @param function as {@link CallSource#function} knows it
   * @param time in the unit of the source's clock
   * @param entry time of the call's entry; -1 if it was not recorded
   * @param value what was returned, or the exception's code
   * @param arguments of an entry, as many as were recorded
   * @param memory that they pointed to, as far as it was recorded
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Event(
      Kind kind,
      int thread,
      long function,
      long time,
      long entry,
      long value,
      long[] arguments,
      ArgumentMemory memory) {}

  private static final long[] NOTHING = {};

  private final CallSource source;
  private final Deque<Integer> waiting = new ArrayDeque<>();
  private final PriorityQueue<Reader> merged =
      new PriorityQueue<>(
          Comparator.comparingLong(Reader::time)
              .thenComparingLong(reader -> reader.firstTime)
              .thenComparingInt(reader -> reader.thread));

  /** Threads of a growing source that have no further records for the moment. */
  private final List<Reader> dry = new ArrayList<>();

  private boolean isGrowing;
  private int opened;

  /** Records of one thread. */
  private final class Reader implements CallBuilder.Sink {
    final int thread;
    final long firstTime;
    final CallCursor cursor;
    final OpenCalls open = new OpenCalls();
    final CallBuilder builder;
    final Deque<Event> found = new ArrayDeque<>();
    boolean isOver;

    /** Time of the last record. */
    long latest;

    Reader(int thread) {
      this.thread = thread;
      this.firstTime = source.threads().get(thread).firstTime();
      this.cursor = source.cursor(thread);
      this.builder = CallBuilder.of(source.matching(), open, this);
    }

    long time() {
      return found.element().time;
    }

    /** Reads up to the next event; false if there is none. */
    boolean advance() {
      while (found.isEmpty() && !isOver) {
        if (cursor.next()) {
          latest = cursor.time();
          builder.accept(cursor);
        } else if (isGrowing) {
          return false;
        } else {
          isOver = true;
          builder.finish();
          cursor.close();
        }
      }
      return !found.isEmpty();
    }

    @Override
    public void opened(OpenCalls.Call frame, CallCursor entry) {
      entered(entry);
    }

    @Override
    public void openedBeyond(CallCursor entry) {
      entered(entry);
    }

    @Override
    public void endedBeyond(CallCursor record, CallEnd end) {
      end(record.function(), record.time(), -1, end, record.value());
    }

    private void entered(CallCursor entry) {
      int count = entry.argumentCount();
      long[] arguments = count == 0 ? NOTHING : new long[count];
      for (int i = 0; i < count; i++) {
        arguments[i] = entry.argument(i);
      }
      found.add(
          new Event(
              Kind.ENTRY,
              thread,
              entry.function(),
              entry.time(),
              entry.time(),
              0,
              arguments,
              entry.memory()));
    }

    @Override
    public void left(OpenCalls.Call frame, CallCursor unwind) {
      end(frame.function, unwind.time(), frame.entry, CallEnd.UNWIND, unwind.value());
    }

    @Override
    public void closed(OpenCalls.Call frame, long time, CallEnd end, long value) {
      if (frame.unwound && end == CallEnd.UNWIND) {
        // Told when it was left.
        return;
      }
      // Of calls that an unwinder was about to leave, that it did is known only now.
      long known = frame.marked && end == CallEnd.UNWIND ? Math.max(time, latest) : time;
      end(frame.function, known, frame.entry, end, value);
    }

    @Override
    public void ended(long function, long time, CallEnd end, long value) {
      end(function, time, -1, end, value);
    }

    private void end(long function, long time, long entry, CallEnd end, long value) {
      @Nullable Kind kind =
          switch (end) {
            case RETURN -> Kind.RETURN;
            case UNWIND -> Kind.UNWIND;
            default -> null;
          };
      if (kind != null) {
        found.add(
            new Event(kind, thread, function, time, entry, value, NOTHING, ArgumentMemory.NONE));
      }
    }
  }

  /**
   * Events of some threads.
   *
   * @param threads by their place in the source
   */
  public CallEvents(CallSource source, List<Integer> threads) {
    this.source = source;
    if (source.clock().shared()) {
      threads.forEach(this::open);
    } else {
      waiting.addAll(threads);
    }
  }

  private CallEvents(CallSource source) {
    this.source = source;
    this.isGrowing = true;
  }

  /**
   * Events of all threads of a source that grows: its cursors end where nothing more is known for
   * the moment, and go on after that. Of all threads it knows the records up to the same time.
   */
  public static CallEvents growing(CallSource source) {
    return new CallEvents(source);
  }

  /**
   * Looks for threads and records that a growing source has more.
   *
   * @param isLast true if it does not grow any more
   */
  public void more(boolean isLast) {
    isGrowing = !isLast;
    List<Reader> again = List.copyOf(dry);
    dry.clear();
    again.forEach(this::add);
    int count = source.threads().size();
    while (opened < count) {
      open(opened++);
    }
  }

  private void open(int thread) {
    add(new Reader(thread));
  }

  private void add(Reader reader) {
    if (reader.advance()) {
      merged.add(reader);
    } else if (isGrowing) {
      dry.add(reader);
    }
  }

  /** Returns the next event; null after the last one, of a growing source for the moment. */
  public @Nullable Event next() {
    Reader first = merged.poll();
    while (first == null && !waiting.isEmpty()) {
      open(waiting.removeFirst());
      first = merged.poll();
    }
    if (first == null) {
      return null;
    }
    Event event = first.found.remove();
    add(first);
    return event;
  }

  @Override
  public void close() {
    merged.forEach(reader -> reader.cursor.close());
    dry.forEach(reader -> reader.cursor.close());
  }
}

package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;

/**
 * Notes for a {@link StackJoin} the stack records that one thread of a survey comes by, each with
 * its event where that is one of the last records before it: nearly always, as the kernel writes
 * the stack of an event behind it.
 */
public final class StackNotes {
  /** Share of the memory for what stack records name, so that they are not read again. */
  private static final long MOST_KEPT = Runtime.getRuntime().maxMemory() / 12 / Long.BYTES;

  /** Records of the kernel that are remembered: a power of two. */
  private static final int RECENT = 32;

  private static final int AMOUNT_BITS = 8;
  private static final int VERSION_BITS = 16;

  private final EtwRecording recording;
  private final StackMatchRules targets;
  private final List<NotedBuffers> files;
  private final ToIntFunction<RecordCursor> amount;
  private final AtomicLong kept;
  private final boolean rawTimes;

  /** The last records of the kernel, number i in row i modulo {@value #RECENT}; and the current. */
  private final RecordTable recent = new RecordTable();

  private int recents;

  private int file = -1;
  private int buffer = -1;
  private int stacks;
  private long firstNamed;
  private long lastNamed;
  private boolean again;
  private int words;
  private long[] named = new long[1 << 10];
  private long laterBefore;

  StackNotes(
      EtwRecording recording,
      StackMatchRules targets,
      List<NotedBuffers> files,
      ToIntFunction<RecordCursor> amount,
      AtomicLong kept) {
    this.recording = recording;
    this.targets = targets;
    this.files = files;
    this.amount = amount;
    this.kept = kept;
    this.rawTimes = recording.oneClock();
  }

  /** Notes a record; those of a buffer come one after the other. */
  public void visit(int fileNumber, RecordCursor record) {
    if (record.kind().isEvent()) {
      return;
    }
    if (record.buffer() != buffer || fileNumber != file) {
      finish();
      begin(fileNumber, record);
    }
    if (!StackMatchRules.isReference(record)) {
      record.copyTo(recent, recents++ & RECENT - 1);
    } else {
      long time = named(recording, record);
      stacks++;
      firstNamed = Math.min(firstNamed, time);
      lastNamed = Math.max(lastNamed, time);
      if (isWhole(record) && !again) {
        note(record, time);
      }
    }
  }

  private void begin(int fileNumber, RecordCursor record) {
    file = fileNumber;
    buffer = record.buffer();
    recents = 0;
    stacks = 0;
    firstNamed = Long.MAX_VALUE;
    lastNamed = Long.MIN_VALUE;
    again = false;
    words = 0;
  }

  /** Notes the rest, when the last record was visited. */
  public void finish() {
    if (buffer < 0) {
      return;
    }
    NotedBuffers noted = files.get(file);
    noted.kernel[buffer] = recents > 0;
    noted.tails[buffer] = recents > RECENT ? recent.offset(recents & RECENT - 1) : 0;
    noted.stacks[buffer] = stacks;
    noted.firstNamed[buffer] = firstNamed;
    noted.lastNamed[buffer] = lastNamed;
    if (words > 0 && kept.addAndGet(words) > MOST_KEPT) {
      kept.addAndGet(-words);
      again = true;
    }
    noted.again[buffer] = again;
    if (words > 0 && !again) {
      noted.named[buffer] = Arrays.copyOf(named, words);
    }
    buffer = -1;
  }

  private void note(RecordCursor reference, long time) {
    long base = words == 0 ? time : named[0];
    long place = time - base;
    long later = written(recording, reference) - time;
    if (place != (int) place || later != (int) later) {
      again = true;
      return;
    }
    long which = place << 32 | thread(reference) & 0xFFFF_FFFFL;
    if (words > 0 && named[words - 2] == which && laterBefore <= later) {
      return;
    }
    if (words + NotedBuffers.WORDS >= named.length) {
      named = Arrays.copyOf(named, 2 * named.length);
    }
    if (words == 0) {
      named[0] = time;
      words = NotedBuffers.BASE;
    }
    laterBefore = later;
    named[words] = which;
    named[words + 1] = rawTimes ? event(reference, time, (int) which, later) : unknown(later);
    words += NotedBuffers.WORDS;
  }

  /** The word of a stack record whose event is not known. */
  private static long unknown(long later) {
    return Long.MIN_VALUE | later & 0xFFFF_FFFFL;
  }

  /** Looks for the first record of a time and thread among the last ones. */
  private long event(RecordCursor reference, long time, int thread, long later) {
    int last = recents - 1;
    int first = Math.max(0, recents - RECENT);
    while (last >= first && recent.ticks(last & RECENT - 1) > time) {
      last--;
    }
    if (last < first || recent.ticks(last & RECENT - 1) < time) {
      return unknown(later);
    }
    reference.copyTo(recent, RECENT);
    long found = unknown(later);
    int i = last;
    for (; i >= first && recent.ticks(i & RECENT - 1) == time; i--) {
      reference.moveTo(recent, i & RECENT - 1);
      if (targets.mayHaveStack(reference)
          && targets.isOf(reference, thread) == StackMatchRules.YES) {
        found = word(reference, later);
      }
    }
    reference.moveTo(recent, RECENT);
    // Otherwise the first record of the time may not be remembered any more.
    return i >= first || first == 0 ? found : unknown(later);
  }

  private long word(RecordCursor event, long later) {
    return NotedEvent.fits(later, event.offset(), event.version())
        ? NotedEvent.of(
            later, event.offset(), targets.hook(event), event.version(), amount.applyAsInt(event))
        : unknown(later);
  }

  /** Returns what is to be known of an event that may have a stack, in one word. */
  static long subject(
      StackMatchRules targets, RecordCursor event, ToIntFunction<RecordCursor> amount) {
    return subject(targets.hook(event), event.version(), amount.applyAsInt(event));
  }

  static long subject(int hook, int version, int amount) {
    return (long) hook << VERSION_BITS + AMOUNT_BITS | (long) version << AMOUNT_BITS | amount;
  }

  static int hook(long subject) {
    return (int) (subject >>> VERSION_BITS + AMOUNT_BITS);
  }

  static int version(long subject) {
    return (int) (subject >>> AMOUNT_BITS) & (1 << VERSION_BITS) - 1;
  }

  static int amount(long subject) {
    return (int) subject & (1 << AMOUNT_BITS) - 1;
  }

  static long written(EtwRecording recording, RecordCursor reference) {
    return recording.key(reference.file(), reference.ticks());
  }

  static int thread(RecordCursor reference) {
    return reference.bytes().i32(reference.payloadOffset() + Stack.THREAD_ID);
  }

  static long named(EtwRecording recording, RecordCursor reference) {
    long ticks = reference.bytes().i64(reference.payloadOffset() + Stack.EVENT_TIME_STAMP);
    return recording.key(reference.file(), ticks);
  }

  static boolean isWhole(RecordCursor reference) {
    return StackMatchRules.stackHook(reference) == KernelEvent.STACKWALK_STACK
        || reference.payloadLength() >= Stack.FRAMES + reference.pointerBytes();
  }
}

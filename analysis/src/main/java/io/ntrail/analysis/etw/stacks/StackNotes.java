package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.RowsByUse;
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

  /** Records of the kernel that an event is looked for among. */
  private static final int RECENT = 32;

  /** Rows that are gone over to find them: a hostile file may have nothing else between. */
  private static final int MOST_ROWS = 128;

  private static final int AMOUNT_BITS = 8;
  private static final int VERSION_BITS = 16;

  private final EtwRecording recording;
  private final StackMatchRules targets;
  private final List<NotedBuffers> files;
  private final ToIntFunction<RecordCursor> amount;
  private final AtomicLong kept;
  private final boolean rawTimes;

  private boolean kernel;
  private int tail;

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

  /**
   * Asks for the records that it wants to visit.
   *
   * @param rows lists them as {@link RowsByUse#stacks}
   */
  public static void ask(RowsByUse rows) {
    rows.ask(rows.stacks(), KernelEvent.STACKWALK_STACK);
    rows.ask(rows.stacks(), KernelEvent.STACKWALK_STACKKEYKERNEL);
    rows.ask(rows.stacks(), KernelEvent.STACKWALK_STACKKEYUSER);
  }

  /**
   * Notes some records; those of a buffer come one after the other.
   *
   * @param rows those that were asked for
   * @param to the row before which the records end that were listed
   * @see io.ntrail.analysis.etw.recording.SurveyRows#visitSome
   */
  public void visitSome(
      int fileNumber, RecordCursor record, RecordTable table, RowsByUse.Rows rows, int to) {
    if (record.buffer() != buffer || fileNumber != file) {
      finish();
      begin(fileNumber, record);
    }
    for (int i = 0; i < rows.count(); i++) {
      int row = rows.get(i);
      if (rawTimes && table.isPlain(row)) {
        plainStack(record, table, row);
      } else {
        record.moveTo(table, row);
        StackMatchRules.tellShort(record);
        if (StackMatchRules.isReference(record)) {
          stack(record, table, row);
        }
      }
    }
    if (to == table.count()) {
      end(table, to);
    }
  }

  /** Notes what is at the end of a buffer. */
  private void end(RecordTable table, int to) {
    int last = before(table, to);
    kernel = last >= 0;
    for (int i = 0; i < RECENT && last >= 0; i++) {
      tail = last;
      last = before(table, last);
    }
    tail = last < 0 ? 0 : table.offset(tail);
  }

  /** Returns the row of the last record of the kernel before a row, but for stacks; -1 if none. */
  private static int before(RecordTable table, int row) {
    for (int back = 1; back < row + 1; back++) {
      if (!isOther(table, row - back)) {
        return row - back;
      }
    }
    return -1;
  }

  /** Returns true for records that have no stack record of the kernel or are one. */
  private static boolean isOther(RecordTable table, int row) {
    return table.isEvent(row)
        || table.isHook(row) && StackMatchRules.isReference(table.hookId(row));
  }

  private void stack(RecordCursor reference, RecordTable table, int row) {
    long time = named(recording, reference);
    count(time);
    if (isWhole(reference) && !again) {
      note(reference, table, row, time, thread(reference), written(recording, reference));
    }
  }

  /** Does what {@link #stack} does for a record that nothing has to be looked up for. */
  private void plainStack(RecordCursor record, RecordTable table, int row) {
    int hook = table.hookId(row);
    int length = table.size(row) - RecordTable.PLAIN_HEADER;
    if (!StackMatchRules.isReference(hook)) {
      return;
    }
    boolean isWhole = length >= StackMatchRules.leastBytes(hook, Long.BYTES);
    if (!isWhole) {
      record.moveTo(table, row);
      StackMatchRules.tellShort(record);
    }
    if (length < Stack.FRAMES) {
      return;
    }
    int at = table.offset(row) + RecordTable.PLAIN_HEADER;
    long time = record.bytes().i64(at + Stack.EVENT_TIME_STAMP);
    count(time);
    if (isWhole && !again) {
      int thread = record.bytes().i32(at + Stack.THREAD_ID);
      note(record, table, row, time, thread, table.ticks(row));
    }
  }

  private void count(long time) {
    stacks++;
    firstNamed = Math.min(firstNamed, time);
    lastNamed = Math.max(lastNamed, time);
  }

  private void begin(int fileNumber, RecordCursor record) {
    file = fileNumber;
    buffer = record.buffer();
    kernel = false;
    tail = 0;
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
    noted.kernel[buffer] = kernel;
    noted.tails[buffer] = tail;
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

  private void note(
      RecordCursor record, RecordTable table, int row, long time, int thread, long written) {
    long base = words == 0 ? time : named[0];
    long place = time - base;
    long later = written - time;
    if (place != (int) place || later != (int) later) {
      again = true;
      return;
    }
    long which = place << 32 | thread & 0xFFFF_FFFFL;
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
    named[words + 1] =
        rawTimes ? event(record, table, row, time, thread, later) : NotedEvent.unknown(later);
    words += NotedBuffers.WORDS;
  }

  /** Looks for the first record of a time and thread among the last ones, and goes there. */
  private long event(
      RecordCursor record, RecordTable table, int row, long time, int thread, long later) {
    long found = NotedEvent.unknown(later);
    int most = Math.min(row, MOST_ROWS);
    int looked = 0;
    for (int back = 1; back < most + 1 && looked < RECENT; back++) {
      int i = row - back;
      if (isOther(table, i)) {
        continue;
      }
      looked++;
      long ticks = table.ticks(i);
      if (ticks < time) {
        return found;
      }
      if (ticks == time && targets.isCertain(record, table, i, thread)) {
        record.moveTo(table, i);
        found = word(record, later);
      }
    }
    // Otherwise the first record of the time may not be among them.
    return most == row && looked < RECENT ? found : NotedEvent.unknown(later);
  }

  private long word(RecordCursor event, long later) {
    return NotedEvent.of(
        later, event.offset(), targets.hook(event), event.version(), amount.applyAsInt(event));
  }

  /** Returns what is to be known of an event that may have a stack, in one word. */
  static long subject(
      StackMatchRules targets, RecordCursor event, ToIntFunction<RecordCursor> amount) {
    return subject(targets.hook(event), event.version(), amount.applyAsInt(event));
  }

  /** Returns the same of a {@link NotedEvent}. */
  static long subject(long event) {
    return subject(NotedEvent.hook(event), NotedEvent.version(event), NotedEvent.amount(event));
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

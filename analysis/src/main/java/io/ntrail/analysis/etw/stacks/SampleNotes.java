package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.RecordTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Notes the samples, and the records of their stacks, that one thread of a survey comes by. */
public final class SampleNotes {
  /** Words of an array: those of some hundred buffers. */
  private static final int CHUNK = 1 << 17;

  /** Rows that an event is looked for among. */
  private static final int MOST_ROWS = 128;

  /** Result of a search that did not come to an end. */
  private static final int UNKNOWN = -1;

  private final NotedSamples notes;
  private final List<SampleBlock> blocks = new ArrayList<>();
  private long idle;
  private long references;
  private long leftOut;

  private int file = -1;
  private int buffer = -1;
  private int cpu;
  private int part;
  private long base;
  private long[] words = {};
  private int from;
  private int size;

  /** The rows of the entries of the block. */
  private int[] rows = new int[1 << 10];

  // Of the record that is noted: where its payload is and how long, its pointers, its version.
  private int at;
  private int length;
  private int pointer;
  private int version;

  SampleNotes(NotedSamples notes) {
    this.notes = notes;
  }

  /**
   * Asks for the records that it wants to visit.
   *
   * @param rows lists them as {@link RowsByUse#samples}
   */
  public static void ask(RowsByUse rows) {
    rows.ask(rows.samples(), KernelEvent.PERFINFO_SAMPLEPROF);
    rows.ask(rows.samples(), KernelEvent.PERFINFO_SAMPLEDPROFILECACHE);
    rows.ask(rows.samples(), KernelEvent.STACKWALK_STACK);
    rows.ask(rows.samples(), KernelEvent.STACKWALK_STACKKEYKERNEL);
    rows.ask(rows.samples(), KernelEvent.STACKWALK_STACKKEYUSER);
  }

  /** Begins with some more records of a buffer, from a row (inclusive) to another (exclusive). */
  public void begin(int fileNumber, RecordCursor record, RecordTable table, int from, int to) {
    if (notes.isGivenUp()) {
      blocks.clear();
      words = new long[0];
      size = 0;
      this.from = 0;
      return;
    }
    if (record.buffer() != buffer || fileNumber != file) {
      finish();
      file = fileNumber;
      buffer = record.buffer();
      cpu = record.cpu();
      part = 0;
      if (!table.sorted()) {
        notes.giveUp();
      }
    }
    boolean[] kernel = notes.kernel[file];
    for (int row = from; !kernel[buffer] && row < to; row++) {
      kernel[buffer] =
          table.isHook(row) && KernelEvent.group(table.hookId(row)) != KernelEvent.Group.STACKWALK;
    }
  }

  /** Looks at a record without a hook id. */
  public void other(RecordCursor record) {
    if (!record.kind().isClassic() || notes.isGivenUp()) {
      return;
    }
    int hook = notes.targets.hook(record);
    if (hook >= 0) {
      notes.kernel[file][buffer] = true;
    }
    if (hook == KernelEvent.PERFINFO_SAMPLEPROF
        || hook == KernelEvent.PERFINFO_SAMPLEDPROFILECACHE
        || StackMatchRules.isReference(record)) {
      notes.giveUp();
    }
  }

  /** Notes a record that was asked for. */
  public void visit(RecordCursor record, RecordTable table, int row) {
    if (notes.isGivenUp()) {
      return;
    }
    open(record, table, row);
    switch (table.hookId(row)) {
      case KernelEvent.PERFINFO_SAMPLEPROF -> sample(record, table, row);
      case KernelEvent.STACKWALK_STACKKEYKERNEL, KernelEvent.STACKWALK_STACKKEYUSER ->
          reference(record, table, row);
      // Samples of a batch, and frames without a key.
      default -> notes.giveUp();
    }
  }

  /** Finds the payload of a record: nearly always without the cursor's help. */
  private void open(RecordCursor record, RecordTable table, int row) {
    if (table.isPlain(row)) {
      at = table.offset(row) + RecordTable.PLAIN_HEADER;
      length = table.size(row) - RecordTable.PLAIN_HEADER;
      pointer = Long.BYTES;
      version = table.version(row);
    } else {
      record.moveTo(table, row);
      at = record.payloadOffset();
      length = record.payloadLength();
      pointer = record.pointerBytes();
      version = record.version();
    }
  }

  private void sample(RecordCursor record, RecordTable table, int row) {
    if (!table.isPlain(row)
        && record.kind() != RecordKind.PERFINFO64
        && record.kind() != RecordKind.PERFINFO32) {
      notes.giveUp();
      return;
    }
    if (length < Sample.flags(pointer)) {
      // Those who look at each event count it.
      notes.giveUp();
      return;
    }
    int thread = record.bytes().i32(at + Sample.threadId(pointer));
    int count = Math.max(1, record.bytes().u16(at + Sample.count(pointer)));
    boolean flagged =
        version >= 2
            && length > Sample.flags(pointer)
            && (record.bytes().u8(at + Sample.flags(pointer)) & 3) != 0;
    if (thread == 0 && !flagged && notes.areIdleCounted()) {
      idle += count;
      return;
    }
    int flags = thread != 0 || flagged ? SampleBlock.BUSY : 0;
    if (row > 0 && table.ticks(row - 1) == table.ticks(row)) {
      flags |= SampleBlock.NOT_FIRST;
    }
    int entry = add(size, table, row, thread, (long) count << SampleBlock.COUNT_SHIFT | flags);
    if (entry >= 0) {
      words[from + SampleBlock.ENTRY * entry + SampleBlock.ADDRESS] =
          record.bytes().pointer(at + Sample.INSTRUCTION_POINTER, pointer);
    }
  }

  /** Adds an entry before another one; -1 if that cannot be. */
  private int add(int place, RecordTable table, int row, int thread, long about) {
    long time = table.ticks(row);
    if (size > 0 && (time < base || time - base >>> 32 != 0)) {
      if (place < size) {
        return -1;
      }
      endBlock();
      place = 0;
    }
    if (size == 0) {
      base = time;
    }
    if (from + SampleBlock.ENTRY * (size + 1) > words.length && !makeRoom()) {
      return -1;
    }
    if (size == rows.length) {
      rows = Arrays.copyOf(rows, Growth.length(size, size + 1));
    }
    int at = from + SampleBlock.ENTRY * place;
    if (place < size) {
      int end = from + SampleBlock.ENTRY * size;
      System.arraycopy(words, at, words, at + SampleBlock.ENTRY, end - at);
      System.arraycopy(rows, place, rows, place + 1, size - place);
    }
    rows[place] = row;
    words[at] = time - base << 32 | thread & 0xFFFF_FFFFL;
    words[at + SampleBlock.ADDRESS] = 0;
    words[at + SampleBlock.ABOUT] = about;
    words[at + SampleBlock.FIRST_KEY] = 0;
    words[at + SampleBlock.FIRST_KEY + 1] = 0;
    size++;
    return place;
  }

  private boolean makeRoom() {
    int used = SampleBlock.ENTRY * size;
    int length = Math.max(CHUNK, Growth.length(used, used + SampleBlock.ENTRY));
    if (!notes.reserve(length)) {
      notes.giveUp();
      return false;
    }
    long[] more = new long[length];
    System.arraycopy(words, from, more, 0, used);
    words = more;
    from = 0;
    return true;
  }

  private void endBlock() {
    if (size > 0) {
      blocks.add(
          new SampleBlock(
              file,
              buffer,
              notes.recording.files().get(file).buffers(),
              part,
              base,
              words,
              from,
              size));
      from += SampleBlock.ENTRY * size;
      size = 0;
      part++;
    }
  }

  private void reference(RecordCursor record, RecordTable table, int row) {
    if (length < Stack.FRAMES + pointer) {
      // Told as damaged by who surveys stack records.
      return;
    }
    references++;
    long time = record.bytes().i64(at + Stack.EVENT_TIME_STAMP);
    int thread = record.bytes().i32(at + Stack.THREAD_ID);
    long key = record.bytes().pointer(at + Stack.FRAMES, pointer);
    long written = table.ticks(row);
    long origin = (long) (notes.firstBuffers[file] + buffer) << 32 | table.offset(row);
    long later = written - time;
    int entry =
        later < 0 || later > SampleBlock.LATEST ? UNKNOWN : find(record, table, row, time, thread);
    if (entry >= 0) {
      int about = from + SampleBlock.ENTRY * entry + SampleBlock.ABOUT;
      int keys = SampleBlock.keys(words[about]);
      if (keys < SampleBlock.MOST_KEYS) {
        words[about] |= later << SampleBlock.LATER_SHIFT + SampleBlock.LATER_BITS * keys;
        words[about] += 1 << SampleBlock.KEYS_SHIFT;
        words[about - SampleBlock.ABOUT + SampleBlock.FIRST_KEY + keys] = key;
        return;
      }
    }
    notes.addApart(time, thread, cpu, key, written, origin);
  }

  /** Returns the entry of the first event of a time that a stack of a thread may be about. */
  private int find(RecordCursor record, RecordTable table, int row, long time, int thread) {
    int found = UNKNOWN;
    int foundRow = UNKNOWN;
    int i = row - 1;
    int last = Math.max(0, row - MOST_ROWS);
    while (i >= last && table.ticks(i) >= time) {
      if (table.ticks(i) == time && isEvent(record, table, i, thread)) {
        foundRow = i;
      }
      i--;
    }
    if (foundRow < 0 || i >= 0 && i < last) {
      return UNKNOWN;
    }
    int place = size;
    while (place > 0 && rows[place - 1] >= foundRow) {
      place--;
      int at = from + SampleBlock.ENTRY * place;
      if (rows[place] == foundRow && (int) words[at] == thread) {
        found = place;
      }
    }
    return found >= 0 ? found : add(place, table, foundRow, thread, SampleBlock.OTHER);
  }

  private boolean isEvent(RecordCursor record, RecordTable table, int row, int thread) {
    if (table.isEvent(row) || table.isHook(row) && StackMatchRules.isReference(table.hookId(row))) {
      return false;
    }
    return notes.targets.isCertain(record, table, row, thread);
  }

  /** Ends with the last record. */
  public void finish() {
    if (!notes.isGivenUp()) {
      endBlock();
    }
  }

  /** Adds what was noted to what all threads did. */
  public void settle() {
    finish();
    notes.add(blocks, idle, references, leftOut);
    blocks.clear();
  }
}

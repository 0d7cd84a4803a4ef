package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The stack records of a recording. All records are visited first, which collects the definitions
 * of stack keys and in which buffers stack records are; {@link #walk} then goes along with a walk
 * in time order and hands out the stack of each event.
 *
 * <p>A stack record comes after its event, up to seconds later and in any buffer. So the time of
 * the recording is cut into slices with a bounded number of stack records each, and for each slice
 * only those buffers are read that hold some of them, once if what they hold for later slices is
 * little enough to be kept: about one more pass over the file in all, with a few megabytes at a
 * time.
 */
public final class StackRecords {
  /** Stack records of a slice, or as many words of frames as eight of them take. */
  public static final int SLICE = 1 << 17;

  private final EtwRecording recording;
  private final int cores;
  private final StackMatchRules targets;
  private final List<NamedSpans> files;
  private final StackKeys keys;
  private final LongAdder clrStacks = new LongAdder();
  private final LongAdder halves = new LongAdder();
  private final int sliceCost;

  /** First named time of each slice. */
  private long[] starts = {};

  /**
   * Knows no stack records yet: all records must be visited first.
   *
   * @param cores threads to use where that is over
   */
  public StackRecords(EtwRecording recording, KernelEvents kernel, int cores) {
    this(recording, kernel, cores, SLICE);
  }

  /**
   * Knows no stack records yet: all records must be visited first.
   *
   * @param cores threads to use where that is over
   * @param sliceCost stack records of a slice, usually {@value #SLICE}
   */
  public StackRecords(EtwRecording recording, KernelEvents kernel, int cores, int sliceCost) {
    this.recording = recording;
    this.cores = cores;
    this.sliceCost = sliceCost;
    this.targets = new StackMatchRules(kernel);
    this.keys = new StackKeys(recording.files(), recording::isKernel);
    this.files =
        recording.files().stream().map(file -> new NamedSpans(file.buffers().count())).toList();
  }

  /** Returns true if a record names the time of an event, and a stack for it. */
  public static boolean isReference(RecordCursor record) {
    return StackMatchRules.isReference(record);
  }

  /** Returns true if a record defines the stack that a key stands for. */
  public static boolean isDefinition(RecordCursor record) {
    int hook = StackMatchRules.stackHook(record);
    return hook >= KernelEvent.STACKWALK_KEYCREATE && hook <= KernelEvent.STACKWALK_KEYRUNDOWN;
  }

  /**
   * Asks for the definitions of keys, which it wants to {@link #visit}.
   *
   * @param rows lists them as {@link RowsByUse#stacks}
   */
  public static void ask(RowsByUse rows) {
    for (int hook = KernelEvent.STACKWALK_KEYCREATE;
        hook <= KernelEvent.STACKWALK_KEYRUNDOWN;
        hook++) {
      rows.ask(rows.stacks(), hook);
    }
  }

  /** Notes a record of a table, as {@link #visit(int, RecordCursor)} does. */
  public void visit(int file, RecordCursor record, RecordTable table, int row) {
    boolean isPlain = table.isPlain(row) && recording.oneClock();
    if (!isPlain || !StackMatchRules.isReference(table.hookId(row))) {
      record.moveTo(table, row);
      visit(file, record);
      return;
    }
    int length = table.size(row) - RecordTable.PLAIN_HEADER;
    if (length < StackMatchRules.leastBytes(table.hookId(row), Long.BYTES)) {
      record.moveTo(table, row);
      StackMatchRules.tellShort(record);
    } else {
      int at = table.offset(row) + RecordTable.PLAIN_HEADER + Stack.EVENT_TIME_STAMP;
      files.get(file).add(record.buffer(), record.bytes().i64(at), length);
    }
  }

  /** Notes a record. Safe for several threads, each of which visits buffers of its own. */
  public void visit(int file, RecordCursor record) {
    int hook = StackMatchRules.stackHook(record);
    if (hook < 0) {
      if (record.kind().isEvent()) {
        visitEvent(record);
      }
      return;
    }
    StackMatchRules.tellShort(record);
    if (StackMatchRules.isReference(record)) {
      files.get(file).add(record.buffer(), named(record), record.payloadLength());
    } else if (hook >= KernelEvent.STACKWALK_KEYCREATE
        && hook <= KernelEvent.STACKWALK_KEYRUNDOWN) {
      keys.note(file, record, recording.key(record.file(), record.ticks()));
    }
  }

  private void visitEvent(RecordCursor record) {
    if (ProviderStacks.isClrStack(record)) {
      clrStacks.increment();
    }
    if (record.hasExtendedItems() && ProviderStacks.matchIdOf(record) != 0) {
      halves.increment();
    }
  }

  private long named(RecordCursor record) {
    return recording.key(
        record.file(), record.bytes().i64(record.payloadOffset() + Stack.EVENT_TIME_STAMP));
  }

  /** All records have been visited. */
  public void settle() {
    keys.settle(cores);
    starts = slices();
  }

  /** Number of definitions of stack keys. */
  public int definitions() {
    return keys.count();
  }

  /** Appends the frames of a definition of a stack key, innermost first. */
  public void copyDefinition(int definition, StackAddresses into) {
    keys.copy(definition, into);
  }

  /** A number that is close to that of other definitions with outer frames in common. */
  public int place(int definition) {
    return keys.place(definition);
  }

  /** Definitions of stack keys that were skipped at the memory limit. */
  public long leftOut() {
    return keys.leftOut();
  }

  DeferredStacks.Carriers carriers() {
    return new DeferredStacks.Carriers(clrStacks.sum(), halves.sum());
  }

  boolean isKernel(long address) {
    return recording.isKernel(address);
  }

  StackKeys keys() {
    return keys;
  }

  /** Cuts the named times so that about as many stack records as a slice has begin each. */
  private long[] slices() {
    int total = files.stream().mapToInt(buffers -> buffers.cost.length).sum();
    long[] firsts = new long[total];
    int[] costs = new int[total];
    int n = 0;
    for (NamedSpans buffers : files) {
      for (int b = 0; b < buffers.cost.length; b++) {
        if (buffers.cost[b] > 0) {
          firsts[n] = buffers.firstNamed[b];
          costs[n++] = buffers.cost[b];
        }
      }
    }
    int[] order = RowSort.ascending(firsts, n);
    long[] starts = new long[n];
    int slices = 0;
    long cost = 0;
    for (int position : order) {
      if (slices == 0) {
        starts[slices++] = Long.MIN_VALUE;
      } else if (cost >= sliceCost && firsts[position] > starts[slices - 1]) {
        starts[slices++] = firsts[position];
        cost = 0;
      }
      cost += costs[position];
    }
    return Arrays.copyOf(starts, slices);
  }

  /**
   * Returns where stretches of time begin that several threads can walk over at once, each with
   * {@link #walk(int)}: the first key of each, the least one for the first.
   */
  public long[] stretches() {
    // What is left out at the limits would depend on where a walk began.
    return starts.length > 0 && isBounded() ? starts.clone() : new long[] {Long.MIN_VALUE};
  }

  /** Returns true if a walk finds the stack of each event wherever it begins. */
  public boolean isFoundAnywhere() {
    return isBounded() && !carriers().any();
  }

  /** Returns true if no stack records are left out, wherever a walk begins. */
  boolean isBounded() {
    return most() <= StackRecordWindow.MOST_IN_ANY_ORDER;
  }

  /** Returns the most that all buffers hold together whose stack records may fall into a slice. */
  private long most() {
    long[] changes = new long[starts.length + 1];
    for (NamedSpans buffers : files) {
      for (int b = 0; b < buffers.cost.length; b++) {
        if (buffers.cost[b] > 0) {
          changes[sliceOf(buffers.firstNamed[b])] += buffers.cost[b];
          changes[sliceOf(buffers.lastNamed[b]) + 1] -= buffers.cost[b];
        }
      }
    }
    long most = 0;
    long now = 0;
    for (long change : changes) {
      now += change;
      most = Math.max(most, now);
    }
    return most;
  }

  private int sliceOf(long time) {
    return Search.floor(starts, starts.length, time);
  }

  /** Goes along with a walk in time order. */
  public Walk walk() {
    return new Walk(0, starts.length);
  }

  /** Goes along with a walk over one of the {@link #stretches}. */
  public Walk walk(int stretch) {
    return new Walk(Math.min(stretch, starts.length), Math.min(stretch + 1, starts.length));
  }

  /** The stacks of events that come in time order. */
  public final class Walk {
    /** The first slice, and the one after the last. */
    private final int firstSlice;

    private final int endSlice;
    private final StackRecordWindow references = new StackRecordWindow();
    private final StackAssignment group = new StackAssignment(references, targets);

    /** Buffers that need not be read again, by file. */
    private final List<BitSet> done = files.stream().map(_ -> new BitSet()).toList();

    private int slice;
    private long sliceEnd = Long.MIN_VALUE;
    private int position;
    private long nextTime = Long.MIN_VALUE;
    private long count;
    private long unmatched;
    private boolean found;

    private Walk(int firstSlice, int endSlice) {
      this.firstSlice = firstSlice;
      this.endSlice = endSlice;
      this.slice = firstSlice - 1;
      if (starts.length == 0) {
        nextTime = Long.MAX_VALUE;
        sliceEnd = Long.MAX_VALUE;
      }
    }

    /**
     * Goes to the cursor's record.
     *
     * @return whether stack records belong to it
     */
    public boolean moveTo(OrderedCursor cursor) {
      long key = cursor.key();
      if (key < nextTime) {
        found = false;
        return false;
      }
      return search(cursor, key);
    }

    private boolean search(OrderedCursor cursor, long key) {
      found = false;
      if (group.isOf(key)) {
        found = group.next();
        return found;
      }
      if (key >= sliceEnd) {
        load(key, cursor.isOfAll());
      }
      position = Math.max(position, group.end());
      while (position < references.count() && references.time(position) < key) {
        position++;
        unmatched++;
      }
      if (position < references.count() && references.time(position) == key) {
        int end = position;
        while (end < references.count() && references.time(end) == key) {
          end++;
        }
        unmatched += group.form(cursor, key, position, end);
        position = end;
        nextTime = key;
        found = group.next();
        return found;
      }
      nextTime = position < references.count() ? references.time(position) : sliceEnd;
      return false;
    }

    private void load(long key, boolean isOfAll) {
      int wanted = slice;
      while (wanted + 1 < endSlice && starts[wanted + 1] <= key) {
        wanted++;
      }
      // A walk may begin anywhere; from there on no slice is left out, if only for the count.
      boolean isAnywhere = slice < firstSlice && !isOfAll;
      for (int next = isAnywhere ? wanted : slice + 1; next <= wanted; next++) {
        unmatched += references.count() - position;
        fill(next);
      }
    }

    private void fill(int wanted) {
      slice = wanted;
      long from = starts[slice];
      sliceEnd = slice + 1 < starts.length ? starts[slice + 1] : Long.MAX_VALUE;
      references.begin(from);
      boolean last = slice + 1 == starts.length;
      int firstBuffer = 0;
      for (int f = 0; f < files.size(); f++) {
        collect(f, firstBuffer, from, last);
        firstBuffer += files.get(f).cost.length;
      }
      references.define(keys);
      references.settle(sliceEnd, last);
      count += references.count();
      position = 0;
      group.clear();
    }

    private void collect(int f, int firstBuffer, long from, boolean last) {
      NamedSpans buffers = files.get(f);
      try (RecordCursor record = recording.cursor(recording.files().get(f))) {
        for (int b = 0; b < buffers.cost.length; b++) {
          if (buffers.cost[b] > 0
              && buffers.lastNamed[b] >= from
              && (last || buffers.firstNamed[b] < sliceEnd)
              && !done.get(f).get(b)) {
            boolean all =
                last
                    || slice + 1 < endSlice
                        && references.hasRoomAhead(buffers.cost[b], 16L * buffers.cost[b]);
            record.open(b);
            collect(record, firstBuffer + b, from, all);
            if (all || buffers.lastNamed[b] < sliceEnd) {
              done.get(f).set(b);
            }
          }
        }
      }
    }

    private void collect(RecordCursor record, int buffer, long from, boolean all) {
      while (record.next()) {
        if (StackMatchRules.isReference(record)) {
          long named = named(record);
          if (named >= from && (all || named < sliceEnd)) {
            long written = recording.key(record.file(), record.ticks());
            references.add(record, named, written, buffer);
          }
        }
      }
    }

    /** Returns true if the record that it last moved to has a stack of any thread. */
    public boolean found() {
      return found;
    }

    /**
     * Appends the frames of the current record's stack if it is one of a thread.
     *
     * @return whether there is one
     */
    public boolean copyOf(int thread, StackAddresses into) {
      boolean any = false;
      for (int i = 0; found && i < group.runs(); i++) {
        if (group.thread(i) == thread) {
          group.copy(i, keys, into);
          any = true;
        }
      }
      return any;
    }

    /**
     * The definitions of the stack keys that the current record's stack of a thread is made of, if
     * it is made of one with frames of the kernel only, one with none of it, or both in that order.
     *
     * @param definitions receives them
     * @return how many there are; 0 if the stack is not like that
     */
    public int keyedOf(int thread, int[] definitions) {
      int only = -1;
      for (int i = 0; found && i < group.runs(); i++) {
        if (group.thread(i) == thread) {
          if (only >= 0) {
            return 0;
          }
          only = i;
        }
      }
      return only < 0 ? 0 : group.keyed(only, definitions);
    }

    /** Returns where the stack begins of which {@link #keyedOf} found definitions last. */
    public long innermost() {
      return keys.address(group.innermost());
    }

    /** Returns the number of threads that the current record has stacks of. */
    public int threads() {
      return found ? group.runs() : 0;
    }

    /** The thread of one of the current record's stacks. */
    public int thread(int stack) {
      return group.thread(stack);
    }

    /** Appends the frames of one of the current record's stacks. */
    public void copy(int stack, StackAddresses into) {
      group.copy(stack, keys, into);
    }

    /** Stack records whose event was passed, or is the current one. */
    public long references() {
      return count;
    }

    /** Stack records whose event was not there. Complete when the last slice has been passed. */
    public long unmatched() {
      return unmatched;
    }

    /** References to stack keys that nothing in the recording defines. */
    public long undefined() {
      return references.undefined();
    }

    /** Stack records that were skipped at the memory limit. */
    public long leftOut() {
      return references.leftOut();
    }

    /** The walk has come to the end of the recording: the rest was not found. */
    public void finish() {
      while (slice + 1 < endSlice) {
        unmatched += references.count() - position;
        fill(slice + 1);
      }
      unmatched += references.count() - position;
      position = references.count();
    }
  }
}

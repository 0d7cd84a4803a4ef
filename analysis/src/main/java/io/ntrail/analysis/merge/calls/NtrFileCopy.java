package io.ntrail.analysis.merge.calls;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallSelection;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.analysis.calls.NtrClock;
import io.ntrail.formats.ntr.CallTotals;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.EventChunk;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.formats.ntr.UntracedModule;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A {@code .ntr} on its way into a smaller one. All definitions travel but those of other threads
 * and callers of entries that do not; so do all counters of the recorder and all losses.
 */
final class NtrFileCopy implements FileCopy {
  /** Pieces of memory in front of an entry, and of all entries that wait: as readers take them. */
  private static final int MOST_PIECES = 1 << 8;

  private static final int MOST_WAITING_PIECES = 1 << 16;

  private static final long[] NOTHING = {};

  private final NtrCalls source;
  private final NtrFile file;
  private final NtrWriter writer;
  private final NtrClock clock;
  private final CutTally tally;
  private boolean hasCallers;

  /** Begins a file with everything but the records. */
  NtrFileCopy(
      OutputStream out,
      NtrCalls source,
      CallRecording recording,
      List<Integer> threads,
      int id,
      CutTally tally)
      throws IOException {
    this.source = source;
    this.file = source.file();
    this.tally = tally;
    NtrHeader header = file.header().orElse(new NtrHeader(0, 0, 0, 0, 0, 0, 0, ""));
    this.clock = NtrClock.of(file.header().orElse(null), file.calibrations());
    this.writer = new NtrWriter(out, header(header), id);
    Set<Long> numbers = new HashSet<>();
    for (int thread : threads) {
      long number = source.number(thread);
      numbers.add(number);
      writer.wholeThread(
          new TracedThread.Whole(number, source.firstTicks(thread), recording.hasStacks(thread)));
    }
    long elsewhere = source.lostElsewhere();
    for (int thread = 0; thread < source.threads().size(); thread++) {
      elsewhere += numbers.contains(source.number(thread)) ? 0 : source.lost(thread);
    }
    if (elsewhere != 0) {
      writer.lostElsewhere(elsewhere);
    }
    define(numbers);
  }

  private NtrHeader header(NtrHeader of) {
    return new NtrHeader(
        of.flags() | (source.neverFinalised() ? NtrHeader.NEVER_FINALISED : 0),
        of.ticksPerSecond(),
        of.began(),
        of.beganUtc(),
        of.machine(),
        of.pointerBytes(),
        of.clock(),
        of.writer());
  }

  private void define(Set<Long> threads) throws IOException {
    for (TracedProcess process : file.processes().values()) {
      writer.process(process);
    }
    for (TracedThread thread : file.threads().values()) {
      if (threads.contains(thread.number())) {
        writer.thread(thread);
      }
    }
    for (TracedModule module : file.modules().values()) {
      writer.module(module);
    }
    for (TracedFunction function : file.functions().values()) {
      writer.function(function);
    }
    for (ClockCalibration calibration : file.calibrations()) {
      writer.calibration(calibration);
    }
    for (UntracedModule untraced : file.untraced().values()) {
      writer.untraced(untraced);
    }
    for (TracedProcess.Hold hold : file.holds().values()) {
      writer.hold(hold);
    }
    for (CallTotals totals : file.totals().values()) {
      // Sums of several threads, among which may be those that are chosen.
      if (totals.thread() == 0 || threads.contains(totals.thread())) {
        writer.totals(totals);
      }
    }
    if (!file.statistics().isEmpty()) {
      writer.counters(new TreeMap<>(file.statistics()));
    }
  }

  @Override
  public NtrWriter writer() {
    return writer;
  }

  @Override
  public ThreadCopy<?> thread(int thread) {
    return new Events(thread);
  }

  @Override
  public void end() throws IOException {
    if (!hasCallers && !file.callers().isEmpty()) {
      // So that the file tells that callers were recorded.
      writer.callers(file.callers().values().iterator().next());
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  /** An event as it is, or several losses. */
  private static final class Copy {
    final boolean isLoss;
    final int kind;
    final long ticks;
    final long function;
    final int area;
    final int slot;
    final long key;
    final long[] values;
    long value;

    /** Pieces of memory in front of it. */
    List<Copy> memory = List.of();

    /**
     * Missing events, and those that the recorder counted as lost without an event of their own.
     */
    long missing;

    long lost;

    /** Events that tell losses; their numbers are summed up in {@link #value}. */
    long events;

    Copy(ThreadEventCursor event, boolean isLoss) {
      this.isLoss = isLoss;
      kind = event.kind();
      ticks = event.ticks();
      function = event.function();
      area = event.area();
      slot = event.slot();
      key = event.key();
      value = event.value();
      values = event.valueCount() == 0 ? NOTHING : new long[event.valueCount()];
      for (int i = 0; i < values.length; i++) {
        values[i] = event.value(i);
      }
    }
  }

  /** Events of a thread. */
  private final class Events implements ThreadCopy<Copy> {
    private final CallCursor records;
    private final ThreadEventCursor events;
    private final ThreadEventWriter out;
    private final List<EventChunk> chunks;
    private final NtrClock.Reader times = clock.reader();
    private final Map<Long, TracedThread.Callers> callers = new HashMap<>();
    private @Nullable CallSelection<Copy> selection;

    /** Memory in front of the record at hand. */
    private List<Copy> memory = new ArrayList<>();

    private int waitingPieces;

    /** Losses that the heads of chunks tell and that are not written yet. */
    private long lostLeft;

    /** Losses that were written before their place. */
    private long lostEarly;

    private final long[] values = new long[32];

    Events(int thread) {
      NtrCalls.Copied copied = source.copied(thread, this::pass);
      records = copied.records();
      events = copied.events();
      long number = source.number(thread);
      chunks = file.chunks(number);
      out = writer.events(number);
      lostLeft = chunks.stream().mapToLong(EventChunk::lost).sum();
      TracedThread its = file.threads().get(number);
      for (TracedThread.Callers one : file.callers().values()) {
        if (its != null && one.process() == its.process() && one.tid() == its.tid()) {
          callers.put(one.ticks(), one);
        }
      }
    }

    @Override
    public CallCursor records() {
      return records;
    }

    @Override
    public void begin(@Nullable CallSelection<Copy> by) throws IOException {
      selection = by;
      if (source.discarded() > 0 && !chunks.isEmpty()) {
        // What the first chunk of a ring lost was discarded, not lost: it has to stay the first.
        lostEarly = chunks.getFirst().lost();
        lost(lostEarly);
        out.chunk();
      }
    }

    /** Takes an event that is no record. */
    private void pass(ThreadEventCursor event) {
      if (event.kind() == EventKind.MEMORY) {
        if (memory.size() < MOST_PIECES && waitingPieces < MOST_WAITING_PIECES) {
          memory.add(new Copy(event, false));
        } else {
          tally.leaveOut(times.time(event.ticks()), 1);
        }
        return;
      }
      CallSelection<Copy> by = selection;
      try {
        if (by == null || by.selects(times.time(event.ticks()))) {
          if (by != null) {
            by.before();
          }
          other(new Copy(event, false));
        } else {
          tally.leaveOut(times.time(event.ticks()), 1);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void other(Copy event) throws IOException {
      tally.written++;
      out.other(
          event.kind,
          event.ticks,
          event.function,
          event.area,
          event.slot,
          event.key,
          event.value,
          event.values,
          event.values.length);
    }

    private List<Copy> takeMemory() {
      List<Copy> taken = memory;
      if (taken.isEmpty()) {
        return List.of();
      }
      memory = new ArrayList<>();
      return taken;
    }

    @Override
    public Copy copy() {
      // An odd position is that of what is missing before the event.
      boolean isMissing = records.position() % 2 != 0;
      boolean isLoss = isMissing || events.kind() == EventKind.LOST;
      Copy copy = new Copy(events, isLoss);
      if (isMissing) {
        copy.missing = events.missingBefore();
        copy.lost = events.lostBefore() + events.lostAtEnd();
        long early = Math.min(lostEarly, copy.lost);
        copy.lost -= early;
        lostEarly -= early;
      } else {
        copy.events = isLoss ? 1 : 0;
        copy.memory = takeMemory();
        waitingPieces += copy.memory.size();
      }
      return copy;
    }

    @Override
    public Copy join(Copy loss) {
      return join(loss, copy());
    }

    @Override
    public Copy join(Copy loss, Copy next) {
      Copy told = loss.events > 0 ? loss : next;
      Copy other = loss.events > 0 ? next : loss;
      told.missing += other.missing;
      told.lost += other.lost;
      told.value += other.events > 0 ? other.value : 0;
      told.events += other.events;
      return told;
    }

    @Override
    public void write(Copy copy) throws IOException {
      waitingPieces -= copy.memory.size();
      if (!copy.isLoss) {
        for (Copy piece : copy.memory) {
          other(piece);
        }
        write(
            copy.kind,
            copy.ticks,
            copy.function,
            copy.area,
            copy.slot,
            copy.key,
            copy.value,
            copy.values,
            copy.values.length);
        return;
      }
      if (copy.missing > 0) {
        out.missing(copy.missing);
      }
      lost(copy.lost);
      if (copy.events > 0) {
        other(copy);
        tally.written += copy.events - 1;
      }
    }

    private void lost(long number) throws IOException {
      out.lost(number);
      lostLeft -= number;
    }

    @Override
    public void write() throws IOException {
      for (Copy piece : takeMemory()) {
        other(piece);
      }
      int count = events.valueCount();
      for (int i = 0; i < count; i++) {
        values[i] = events.value(i);
      }
      write(
          events.kind(),
          events.ticks(),
          events.function(),
          events.area(),
          events.slot(),
          events.key(),
          events.value(),
          values,
          count);
    }

    private void write(
        int kind,
        long ticks,
        long function,
        int area,
        int slot,
        long key,
        long value,
        long[] more,
        int count)
        throws IOException {
      tally.written += kind == EventKind.LEFT_OUT ? 0 : 1;
      switch (kind) {
        case EventKind.ENTRY -> {
          define(ticks);
          out.entry(ticks, function, area, slot, key, value, more, count);
        }
        case EventKind.ENTRY_ONLY -> {
          define(ticks);
          out.entryOnly(ticks, function, area, slot, key, value, more, count);
        }
        case EventKind.EXIT -> out.exit(ticks, function, area, slot, key, value, more, count);
        default -> {
          if (kind == EventKind.UNWIND && count == 0) {
            out.unwind(ticks, function, area, slot, key, value);
          } else {
            out.other(kind, ticks, function, area, slot, key, value, more, count);
          }
        }
      }
    }

    /** Defines the callers of an entry. */
    private void define(long ticks) throws IOException {
      TracedThread.Callers its = callers.remove(ticks);
      if (its != null) {
        writer.callers(its);
        hasCallers = true;
      }
    }

    @Override
    public void drop(Copy copy) {
      waitingPieces -= copy.memory.size();
      tally.leaveOut(times.time(copy.ticks), 1L + copy.memory.size());
    }

    @Override
    public void drop() {
      tally.leaveOut(records.time(), 1L + takeMemory().size());
    }

    @Override
    public long ticks() {
      return events.ticks();
    }

    @Override
    public void leftOut(long ticks, int area, int slot, long key, long calls) throws IOException {
      out.other(EventKind.LEFT_OUT, ticks, 0, area, slot, key, calls, NOTHING, 0);
    }

    @Override
    public void end() throws IOException {
      tally.leaveOut(records.time(), takeMemory().size());
      // Those of chunks that cannot be read.
      lost(lostLeft);
      writer.endThread(out.thread());
    }

    @Override
    public void close() {
      records.close();
    }
  }
}

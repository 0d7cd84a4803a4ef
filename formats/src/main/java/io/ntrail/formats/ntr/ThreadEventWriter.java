package io.ntrail.formats.ntr;

import java.io.IOException;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes the events of one thread of a recording in their order and puts them into chunks
 * (docs/ntr.md section 6). Made by {@link NtrWriter#events}; used by that writer's thread.
 *
 * <p>Slots show the writer which frames have left; a source that has none should give each event
 * the number of traced frames below it.
 */
public final class ThreadEventWriter {
  private static final int MAX_BYTES = 1 << 20;

  private static final long[] NO_VALUES = {};

  private final NtrWriter writer;
  private final @Nullable RecordingFollower follower;
  private final long thread;
  private final int chunkEvents;
  private final ColumnWriter[] columns = new ColumnWriter[NtrLayout.COLUMNS];
  private final ColumnWriter operations;
  private final ColumnWriter times;
  private final ColumnWriter references;
  private final ColumnWriter siteColumn;
  private final ColumnWriter values;
  private final ColumnWriter others;
  private final SiteTable sites = new SiteTable();
  private final SiteIndex index = new SiteIndex(sites);
  private long lastReturnAddress;
  private int context;

  private final TreeMap<Integer, AreaFrames> areas = new TreeMap<>();
  private AreaFrames frames;
  private int open;
  private int fewestOpen;
  private int openBefore;
  private int openFlags;
  private boolean incomplete;

  private long sequence;
  private long eventsBefore;
  private long callsBefore;
  private long lost;
  private int events;
  private int calls;
  private int exits;
  private int unwinds;
  private int besides;
  private int operationCount;
  private long firstTicks;
  private long lastTicks;
  private long earliest;
  private long latest;
  private long lastCode;

  ThreadEventWriter(
      NtrWriter writer, @Nullable RecordingFollower follower, long thread, int chunkEvents) {
    this.writer = writer;
    this.follower = follower;
    this.thread = thread;
    this.chunkEvents = chunkEvents;
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new ColumnWriter(1 << 10);
    }
    operations = columns[NtrLayout.OPERATIONS];
    times = columns[NtrLayout.TIMES];
    references = columns[NtrLayout.REFERENCES];
    siteColumn = columns[NtrLayout.SITES];
    values = columns[NtrLayout.VALUES];
    others = columns[NtrLayout.OTHERS];
    frames = new AreaFrames(0);
    areas.put(0, frames);
  }

  /** The number of the thread. */
  public long thread() {
    return thread;
  }

  /** An entry without arguments. */
  public void entry(long ticks, long function, int area, int slot, long key, long returnAddress)
      throws IOException {
    enter(ticks, function, area, slot, key, returnAddress, 0, NO_VALUES, 0);
  }

  /**
   * An entry.
   *
   * @param count how many of {@code arguments} there are, at most 32
   */
  public void entry(
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long returnAddress,
      long[] arguments,
      int count)
      throws IOException {
    enter(
        ticks, function, area, slot, key, returnAddress, NtrLayout.values(count), arguments, count);
  }

  /** An entry of a function whose exits are not recorded. */
  public void entryOnly(
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long returnAddress,
      long[] arguments,
      int count)
      throws IOException {
    int shape = NtrLayout.values(count) | NtrLayout.SHAPE_ENTRY_ONLY;
    enter(ticks, function, area, slot, key, returnAddress, shape, arguments, count);
  }

  private void enter(
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long returnAddress,
      int shape,
      long[] arguments,
      int count)
      throws IOException {
    boolean pushed = (shape & NtrLayout.SHAPE_ENTRY_ONLY) == 0;
    int kind = pushed ? EventKind.ENTRY : EventKind.ENTRY_ONLY;
    begin(kind, ticks, function, area, slot, key, returnAddress, arguments, count);
    if (pushed) {
      leave(frames.gone(slot, key));
      if (open == NtrLayout.MAX_FRAMES) {
        incomplete = true;
        otherEvent(EventKind.ENTRY, function, slot, key, returnAddress, arguments, count);
        calls++;
        end();
        return;
      }
    }
    AreaFrames in = frames;
    AreaFrames.Frame top = in.top();
    long keyStep = (top == null ? 0 : top.key) - key;
    int slotStep = slot - (top == null ? -1 : top.slot);
    int site = sites.following[context];
    if (site != 0 && index.isSite(site, function, returnAddress, slotStep, shape)) {
      if (sites.at(site).keyStep == keyStep) {
        operation(NtrLayout.ENTRY_FOLLOWING);
      } else {
        known(site, keyStep);
      }
    } else {
      site = index.find(function, returnAddress, slotStep, shape);
      if (site != 0) {
        known(site, keyStep);
      } else {
        site = define(function, returnAddress, keyStep, slotStep, shape);
      }
    }
    if (count > 0) {
      long[] last = sites.at(site).arguments(count);
      for (int i = 0; i < count; i++) {
        values.zig(arguments[i] - last[i]);
        last[i] = arguments[i];
      }
    }
    sites.following[context] = site;
    context = 2 * site;
    if (pushed) {
      in.push(site, function, slot, key).entered(returnAddress, ticks, callsBefore + calls);
      open++;
      calls++;
    }
    end();
  }

  private void known(int site, long keyStep) {
    SiteTable.Site at = sites.at(site);
    if (at.keyStep == keyStep) {
      operation(NtrLayout.ENTRY_KNOWN);
      references.var(site);
    } else {
      operation(NtrLayout.ENTRY_OTHER_KEY);
      references.var(site);
      references.zig(keyStep - at.keyStep);
      at.keyStep = keyStep;
    }
  }

  private int define(long function, long returnAddress, long keyStep, int slotStep, int shape) {
    operation(NtrLayout.ENTRY_NEW);
    siteColumn.site(function, returnAddress - lastReturnAddress, keyStep, slotStep, shape);
    lastReturnAddress = returnAddress;
    int site = sites.define(function, returnAddress, keyStep, slotStep, shape);
    index.add(site);
    return site;
  }

  private void leave(int count) {
    if (count > 0) {
      operation(NtrLayout.LEAVE);
      others.var(count);
      frames.size -= count;
      open -= count;
      fewestOpen = Math.min(fewestOpen, open);
    }
  }

  /** An exit without further values. */
  public void exit(long ticks, long function, int area, int slot, long key, long value)
      throws IOException {
    exit(ticks, function, area, slot, key, value, NO_VALUES, 0);
  }

  /**
   * An exit.
   *
   * @param count how many of {@code more} there are, at most 32
   */
  public void exit(
      long ticks, long function, int area, int slot, long key, long value, long[] more, int count)
      throws IOException {
    int n = NtrLayout.values(count);
    begin(EventKind.EXIT, ticks, function, area, slot, key, value, more, count);
    exits++;
    if (!uncover(function, slot, key)) {
      otherEvent(EventKind.EXIT, function, slot, key, value, more, n);
      end();
      return;
    }
    SiteTable.Site site = sites.at(pop());
    long last = site.last;
    if (n > 0) {
      operation(NtrLayout.EXIT_VALUES);
      values.zig(value - last);
      values.var(n);
      long[] before = site.exitValues(n);
      for (int i = 0; i < n; i++) {
        values.zig(more[i] - before[i]);
        before[i] = more[i];
      }
    } else if (value == last) {
      operation(NtrLayout.EXIT_LAST);
    } else if (value == site.second) {
      operation(NtrLayout.EXIT_SECOND);
    } else if (ColumnWriter.zigLength(value) <= ColumnWriter.zigLength(value - last)) {
      operation(NtrLayout.EXIT_PLAIN);
      values.zig(value);
    } else {
      operation(NtrLayout.EXIT_DELTA);
      values.zig(value - last);
    }
    site.returned(value);
    end();
  }

  /** An exception left a frame. */
  public void unwind(long ticks, long function, int area, int slot, long key, long code)
      throws IOException {
    begin(EventKind.UNWIND, ticks, function, area, slot, key, code, NO_VALUES, 0);
    unwinds++;
    if (uncover(function, slot, key)) {
      pop();
      operation(NtrLayout.UNWIND);
      values.zig(code - lastCode);
      lastCode = code;
    } else {
      otherEvent(EventKind.UNWIND, function, slot, key, code, NO_VALUES, 0);
    }
    end();
  }

  /**
   * An event of any kind, as it is: it opens and closes nothing. For entries, exits and unwinds
   * there are better methods.
   *
   * @param kind one of {@link EventKind}, or another number above 0
   * @param count how many of {@code more} there are, at most 32
   */
  public void other(
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
    int n = NtrLayout.values(count);
    begin(kind, ticks, function, area, slot, key, value, more, count);
    otherEvent(kind, function, slot, key, value, more, n);
    switch (kind) {
      case EventKind.ENTRY -> calls++;
      case EventKind.EXIT -> exits++;
      case EventKind.UNWIND -> unwinds++;
      case EventKind.ENTRY_ONLY -> {}
      default -> besides++;
    }
    end();
  }

  private void otherEvent(
      int kind, long function, int slot, long key, long value, long[] more, int count) {
    operation(NtrLayout.OTHER);
    others.event(kind, function, slot, key, value, more, count);
  }

  /** The recorder lost records between the event before and the next one. */
  public void lost(long records) throws IOException {
    if (records != 0) {
      if (follower != null) {
        follower.lost(thread, records);
      }
      flush();
      lost += records;
    }
  }

  /** Events that are missing in the file come before the next one, as after damage. */
  public void missing(long records) throws IOException {
    flush();
    eventsBefore += records;
  }

  /** Returns true if the frame is open; drops the frames above it. */
  private boolean uncover(long function, int slot, long key) {
    int above = frames.above(function, slot, key);
    leave(above);
    return above >= 0;
  }

  private int pop() {
    int site = frames.pop().site;
    open--;
    fewestOpen = Math.min(fewestOpen, open);
    context = 2 * site + 1;
    return site;
  }

  private void operation(int number) {
    int n = operationCount++;
    if ((n & 1) == 0) {
      operations.room(1);
      operations.bytes[operations.size++] = (byte) number;
    } else {
      operations.bytes[operations.size - 1] |= (byte) (number << 4);
    }
  }

  private void begin(
      int kind,
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long value,
      long[] more,
      int count) {
    if (follower != null) {
      follower.event(thread, kind, ticks, function, area, slot, key, value, more, count);
    }
    if (events == 0) {
      beginChunk();
      firstTicks = ticks;
      earliest = ticks;
      latest = ticks;
    } else {
      times.var(ticks - lastTicks);
      if (Long.compareUnsigned(ticks, earliest) < 0) {
        earliest = ticks;
      }
      if (Long.compareUnsigned(ticks, latest) > 0) {
        latest = ticks;
      }
    }
    lastTicks = ticks;
    if (area != frames.area) {
      operation(NtrLayout.AREA);
      others.var(area & 0xFFFF_FFFFL);
      if (frames.size == 0) {
        areas.remove(frames.area);
      }
      frames = areas.computeIfAbsent(area, AreaFrames::new);
    }
  }

  private void beginChunk() {
    openBefore = open;
    fewestOpen = open;
    if (open == 0) {
      incomplete = false;
    }
    openFlags = incomplete ? NtrLayout.OPEN_INCOMPLETE : 0;
    areas.values().removeIf(area -> area.size == 0);
    ColumnWriter out = columns[NtrLayout.OPEN];
    for (AreaFrames in : areas.values()) {
      in.write(out);
    }
    frames = areas.computeIfAbsent(0, AreaFrames::new);
  }

  private void end() throws IOException {
    events++;
    if (events == chunkEvents
        || sites.count > NtrLayout.MAX_SITES
        || (events & 0xFF) == 0 && bytes() > MAX_BYTES) {
      flush();
    }
  }

  /** Returns how many bytes wait, before any of them is packed. */
  int bytes() {
    int sum = 0;
    for (int i = NtrLayout.OPERATIONS; i < columns.length; i++) {
      sum += columns[i].size;
    }
    return sum;
  }

  /**
   * Writes what there is as a chunk, so that a reader of the growing file sees it.
   *
   * @throws IOException if the file cannot be written
   */
  public void flush() throws IOException {
    if (events > 0 || lost != 0) {
      chunk();
    }
  }

  /** Writes a chunk, of no events if none wait. */
  public void chunk() throws IOException {
    if (events == 0) {
      beginChunk();
      earliest = lastTicks;
      latest = lastTicks;
    } else {
      // The first time counts from the earliest one, which is known only now.
      times.prepend(firstTicks - earliest);
    }
    EventChunk head =
        new EventChunk(
            0,
            0,
            0,
            thread,
            sequence,
            eventsBefore,
            callsBefore,
            earliest,
            latest,
            lost,
            events,
            calls,
            openBefore,
            open,
            fewestOpen,
            openFlags);
    writer.eventChunk(head, operationCount, columns, waiting());
    sequence++;
    eventsBefore += events;
    callsBefore += calls;
    lost = 0;
    events = 0;
    calls = 0;
    exits = 0;
    unwinds = 0;
    besides = 0;
    operationCount = 0;
    lastCode = 0;
    lastReturnAddress = 0;
    context = 0;
    sites.clear();
    index.clear();
    for (ColumnWriter column : columns) {
      column.size = 0;
    }
  }

  /**
   * Events that are in no chunk yet; after a failed write those that did not come into the file.
   */
  public EventTally waiting() {
    return new EventTally(events, calls, exits, unwinds, besides);
  }

  /** Open frames now, over all areas, as the writer's model has them. */
  public int open() {
    return open;
  }
}

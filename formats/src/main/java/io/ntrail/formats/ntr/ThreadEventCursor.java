package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Walks the events of one thread as a flyweight: it is the event it is on. Events come as they were
 * recorded, including exits without an entry. Holds one chunk in memory.
 *
 * <p>A chunk that cannot be read is a gap; at the next event, {@link #missingBefore} is the number
 * of missing ones. Used by one thread; {@link #close} frees the memory of the inflater.
 */
public final class ThreadEventCursor implements AutoCloseable {
  private final List<EventChunk> chunks;
  private final Gaps gaps;
  private final EventColumns columns;
  private final ColumnReader operationColumn;
  private final ColumnReader times;
  private final ColumnReader references;
  private final ColumnReader siteColumn;
  private final ColumnReader valueColumn;
  private final ColumnReader others;

  private final SiteTable sites = new SiteTable();
  private final Map<Integer, AreaFrames> areas = new HashMap<>();
  private final List<EventChunk.OpenFrame> openFrames = new ArrayList<>();
  private AreaFrames frames = new AreaFrames(0);
  private int open;
  private int fewestOpen;
  private int context;
  private long lastReturnAddress;
  private long lastCode;

  private int nextChunk;
  private @Nullable EventChunk chunk;
  private byte[] operations = {};
  private int operation;
  private int operationsFrom;
  private int operationCount;

  /** Events of the chunk that were given, and the number of its first one. */
  private int decoded;

  private long firstEvent;
  private int calls;

  /** The event after the last one that was given. */
  private long expected;

  /** Records lost since that event, by the heads of chunks. */
  private long lost;

  private int kind;
  private long ticks;
  private long function;
  private int slot;
  private long key;
  private long value;
  private int moreCount;
  private final long[] more = new long[NtrLayout.MAX_VALUES];

  ThreadEventCursor(InputFile input, int recording, List<EventChunk> chunks, Gaps gaps) {
    this.chunks = chunks;
    this.gaps = gaps;
    columns = new EventColumns(input, recording);
    operationColumn = columns.get(NtrLayout.OPERATIONS);
    times = columns.get(NtrLayout.TIMES);
    references = columns.get(NtrLayout.REFERENCES);
    siteColumn = columns.get(NtrLayout.SITES);
    valueColumn = columns.get(NtrLayout.VALUES);
    others = columns.get(NtrLayout.OTHERS);
  }

  /**
   * Goes to the beginning of a chunk, so that {@link #next} gives its first event. Nothing is
   * missing before that.
   *
   * @param index in {@link NtrFile#chunks}
   */
  public void seek(int index) {
    chunk = null;
    nextChunk = index;
    expected = index < chunks.size() ? chunks.get(index).firstEvent() : 0;
    lost = 0;
  }

  /** Steps to the next event; returns false after the last one. */
  public boolean next() {
    while (true) {
      EventChunk in = chunk;
      if (in == null) {
        if (nextChunk >= chunks.size()) {
          return false;
        }
        in = chunks.get(nextChunk++);
        if (!load(in)) {
          continue;
        }
      }
      try {
        if (step()) {
          if (decoded == in.events()) {
            throw others.damaged("hold more events than the head says");
          }
          decoded++;
          return true;
        }
        checkEnd(in);
      } catch (DamagedInput e) {
        gap(in, e);
      }
      leave(in);
    }
  }

  /** Begins to count anew what is missing, unless no event of the chunk could be given. */
  private void leave(EventChunk in) {
    chunk = null;
    if (decoded > 0) {
      expected = in.firstEvent() + decoded;
      lost = 0;
    }
  }

  private void gap(EventChunk in, DamagedInput why) {
    gaps.add(columns.gap(in, why));
  }

  private boolean load(EventChunk in) {
    try {
      byte[] payload = columns.payload(in);
      lost += in.lost();
      start(in, payload);
      chunk = in;
      return true;
    } catch (DamagedInput e) {
      gap(in, e);
      return false;
    }
  }

  private void start(EventChunk in, byte[] payload) {
    columns.open(in, payload);
    operations = columns.operations;
    operationsFrom = columns.operationsFrom;
    operationCount = columns.operationCount;
    sites.clear();
    areas.clear();
    openFrames.clear();
    context = 0;
    lastReturnAddress = 0;
    lastCode = 0;
    operation = 0;
    decoded = 0;
    calls = 0;
    ticks = in.earliest();
    firstEvent = in.firstEvent();
    readOpen(columns.get(NtrLayout.OPEN));
    if (open != in.openBefore()) {
      throw columns.get(NtrLayout.OPEN).damaged("are not as many as the head says");
    }
    fewestOpen = open;
    frames = areas.computeIfAbsent(0, AreaFrames::new);
  }

  private void readOpen(ColumnReader in) {
    open = 0;
    while (!in.atEnd()) {
      int area = in.var32("area");
      AreaFrames to = new AreaFrames(area);
      if (areas.put(area, to) != null) {
        throw in.damaged("name an area twice");
      }
      int count = in.bounded(NtrLayout.MAX_FRAMES - open, "frames");
      if (count == 0) {
        throw in.damaged("name an area without frames");
      }
      open += count;
      long frameKey = 0;
      int frameSlot = -1;
      long returnAddress = 0;
      long entered = 0;
      long call = 0;
      for (int i = 0; i < count; i++) {
        long of = in.var();
        frameKey += in.zig();
        frameSlot += (int) in.zig();
        returnAddress += in.zig();
        entered += in.zig();
        call += in.zig();
        AreaFrames.Frame frame = to.push(0, of, frameSlot, frameKey);
        frame.entered(returnAddress, entered, call);
        openFrames.add(to.open(frame));
      }
    }
  }

  /** Carries operations out up to the next event; false if there is none. */
  private boolean step() {
    while (operation < operationCount) {
      int n = operation++;
      int two = operations[operationsFrom + (n >> 1)];
      int number = (n & 1) == 0 ? two & 15 : two >> 4 & 15;
      // Nothing predicts which of the frequent ones comes: masks instead of branches tell those of
      // entries apart, and those of exits.
      if (number <= NtrLayout.ENTRY_OTHER_KEY) {
        return enter(known(number));
      }
      if (number >= NtrLayout.EXIT_LAST && number <= NtrLayout.EXIT_PLAIN) {
        SiteTable.Site site = pop();
        return exit(site, returned(site, number), 0);
      }
      switch (number) {
        case NtrLayout.ENTRY_NEW -> {
          return enter(define());
        }
        case NtrLayout.EXIT_VALUES -> {
          return exitValues(pop());
        }
        case NtrLayout.UNWIND -> {
          pop();
          lastCode += valueColumn.zig();
          return event(EventKind.UNWIND, lastCode, 0);
        }
        case NtrLayout.OTHER -> {
          return other();
        }
        case NtrLayout.LEAVE -> {
          int count = others.bounded(frames.size, "frames that leave");
          if (count == 0) {
            throw others.damaged("leave no frame");
          }
          frames.size -= count;
          open -= count;
          fewestOpen = Math.min(fewestOpen, open);
        }
        case NtrLayout.AREA -> {
          if (frames.size == 0) {
            areas.remove(frames.area);
          }
          frames = areas.computeIfAbsent(others.var32("area"), AreaFrames::new);
        }
        default -> throw operationColumn.damaged("have the unknown code " + number);
      }
    }
    return false;
  }

  /** Returns the site of an entry at one that is defined: operations 0, 1 and 2. */
  private int known(int number) {
    long isNamed = -number >> 31;
    long site = sites.following[context] & ~isNamed | references.variedIf(isNamed);
    if (site <= 0 || site >= sites.count) {
      throw number == NtrLayout.ENTRY_FOLLOWING
          ? operationColumn.damaged("refer to a successor that is not defined")
          : references.damaged(
              site == 0 ? "refer to site 0" : "has " + Long.toUnsignedString(site) + " as a site");
    }
    int known = (int) site;
    if (number == NtrLayout.ENTRY_OTHER_KEY) {
      sites.at(known).keyStep += references.zig();
    }
    return known;
  }

  /**
   * Returns the value of an exit: of operation 4 the last one, 5 the one before, 6 a difference to
   * the last one, 7 one by itself.
   */
  private long returned(SiteTable.Site site, int number) {
    long last = site.last;
    long isRead = -(number >> 1 & 1);
    long isOdd = -(number & 1);
    long base = last & ~isOdd | site.second & isOdd & ~isRead;
    return base + valueColumn.zigIf(isRead);
  }

  private int define() {
    if (sites.count > NtrLayout.MAX_SITES) {
      throw siteColumn.damaged("are too many");
    }
    long newFunction = siteColumn.var();
    lastReturnAddress += siteColumn.zig();
    long keyStep = siteColumn.zig();
    int slotStep = (int) siteColumn.zig();
    int shape = siteColumn.bounded(127, "as a shape");
    if ((shape & 63) > NtrLayout.MAX_VALUES) {
      throw siteColumn.damaged("have " + (shape & 63) + " arguments");
    }
    return sites.define(newFunction, lastReturnAddress, keyStep, slotStep, shape);
  }

  private boolean enter(int number) {
    SiteTable.Site site = sites.at(number);
    AreaFrames in = frames;
    AreaFrames.Frame top = in.top();
    function = site.function;
    value = site.returnAddress;
    slot = (top == null ? -1 : top.slot) + site.slotStep;
    key = (top == null ? 0 : top.key) - site.keyStep;
    int shape = site.shape;
    moreCount = shape & 63;
    if (moreCount > 0) {
      long[] last = site.arguments(moreCount);
      for (int i = 0; i < moreCount; i++) {
        last[i] += valueColumn.zig();
        more[i] = last[i];
      }
    }
    sites.following[context] = number;
    context = 2 * number;
    ticks += times.varied();
    if ((shape & NtrLayout.SHAPE_ENTRY_ONLY) != 0) {
      kind = EventKind.ENTRY_ONLY;
      return true;
    }
    kind = EventKind.ENTRY;
    calls++;
    if (open == NtrLayout.MAX_FRAMES) {
      throw operationColumn.damaged("open too many frames");
    }
    open++;
    in.push(number, function, slot, key);
    return true;
  }

  private SiteTable.Site pop() {
    AreaFrames in = frames;
    if (in.size == 0) {
      throw operationColumn.damaged("close a frame where none is open");
    }
    AreaFrames.Frame frame = in.pop();
    function = frame.function;
    slot = frame.slot;
    key = frame.key;
    if (--open < fewestOpen) {
      fewestOpen = open;
    }
    context = 2 * frame.site + 1;
    return sites.at(frame.site);
  }

  private boolean exit(SiteTable.Site site, long returned, int count) {
    site.returned(returned);
    return event(EventKind.EXIT, returned, count);
  }

  private boolean exitValues(SiteTable.Site site) {
    long returned = site.last + valueColumn.zig();
    int count = valueColumn.bounded(NtrLayout.MAX_VALUES, "values of an exit");
    if (count == 0) {
      throw valueColumn.damaged("have an exit with values that has none");
    }
    long[] last = site.exitValues(count);
    for (int i = 0; i < count; i++) {
      last[i] += valueColumn.zig();
      more[i] = last[i];
    }
    return exit(site, returned, count);
  }

  private boolean other() {
    int otherKind = others.var32("kind");
    function = others.var();
    slot = others.var32("slot");
    key = others.var();
    long otherValue = others.var();
    int count = others.bounded(NtrLayout.MAX_VALUES, "values of an event");
    for (int i = 0; i < count; i++) {
      more[i] = others.var();
    }
    if (otherKind == EventKind.ENTRY) {
      calls++;
    }
    return event(otherKind, otherValue, count);
  }

  private boolean event(int newKind, long newValue, int count) {
    kind = newKind;
    value = newValue;
    moreCount = count;
    ticks += times.varied();
    return true;
  }

  private void checkEnd(EventChunk in) {
    if (decoded != in.events() || calls != in.calls()) {
      throw operationColumn.damaged("are not as many as the head says");
    }
    if (open != in.openAfter() || fewestOpen != in.fewestOpen()) {
      throw operationColumn.damaged("leave other frames open than the head says");
    }
    for (int i = NtrLayout.TIMES; i < NtrLayout.COLUMNS; i++) {
      if (!columns.get(i).atEnd()) {
        throw columns.get(i).damaged("are more than the events need");
      }
    }
    if ((operationCount & 1) != 0 && operations[operationsFrom + (operationCount >> 1)] >> 4 != 0) {
      throw operationColumn.damaged("have a half byte after the last one");
    }
  }

  /** The kind of the event: one of {@link EventKind}, or another of a later version. */
  public int kind() {
    return kind;
  }

  /** When it was, in ticks of the recording's clock. */
  public long ticks() {
    return ticks;
  }

  /** The number of its function; 0 if it has none. */
  public long function() {
    return function;
  }

  /** Returns the number of its stack. */
  public int area() {
    return frames.area;
  }

  /** The place of its frame among the traced ones of the stack, unsigned. */
  public int slot() {
    return slot;
  }

  /** The address above its return address. */
  public long key() {
    return key;
  }

  /** Return address, returned value or exception code: see {@link EventKind}. */
  public long value() {
    return value;
  }

  /** Returns the number of further values. */
  public int valueCount() {
    return moreCount;
  }

  /** A further value: an argument of an entry, for example. */
  public long value(int index) {
    return more[Objects.checkIndex(index, moreCount)];
  }

  /** The number of the event among those of its thread, from 0. */
  public long event() {
    return firstEvent + decoded - 1;
  }

  /** Returns the number of events that are missing before this one because chunks are damaged. */
  public long missingBefore() {
    return firstOfChunk() ? Math.max(0, firstEvent - expected) : 0;
  }

  /** Returns the number of records that the recorder lost before this event. */
  public long lostBefore() {
    return firstOfChunk() ? lost : 0;
  }

  /** Returns, after the last event, the number of records that the recorder lost there. */
  public long lostAtEnd() {
    return chunk == null ? lost : 0;
  }

  /** Returns true if the event is the first of its chunk. */
  public boolean firstOfChunk() {
    return decoded == 1 && chunk != null;
  }

  /** Returns the chunk that the event is in; null before the first event and after the last. */
  public @Nullable EventChunk chunk() {
    return chunk;
  }

  /**
   * The frames that were open before the first event of the chunk, area by area, outermost first.
   */
  public List<EventChunk.OpenFrame> openFrames() {
    return List.copyOf(openFrames);
  }

  @Override
  public void close() {
    columns.close();
  }
}

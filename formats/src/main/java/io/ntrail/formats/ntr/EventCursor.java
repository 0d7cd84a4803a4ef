package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Walks the events of one thread as a flyweight: it is the event it stands on. Events come as they
 * were recorded, also exits without an entry. Holds one chunk in memory.
 *
 * <p>A chunk that cannot be read is a gap; {@link #missingBefore} tells at the next event how many
 * are missing. Used by one thread; {@link #close} gives back the memory of the inflater.
 */
public final class EventCursor implements AutoCloseable {
  private final InputFile input;
  private final int recording;
  private final List<EventChunk> chunks;
  private final Gaps gaps;
  private final ChunkReader reader;
  private final byte[][] inflated = new byte[NtrLayout.COLUMNS][0];
  private final ColumnIn[] columns = new ColumnIn[NtrLayout.COLUMNS];
  private final ColumnIn times;
  private final ColumnIn references;
  private final ColumnIn siteColumn;
  private final ColumnIn valueColumn;
  private final ColumnIn others;
  private @Nullable Inflater inflater;

  private final Sites sites = new Sites();
  private final Map<Integer, AreaFrames> areas = new HashMap<>();
  private final List<OpenFrame> openFrames = new ArrayList<>();
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
  private int decoded;
  private int calls;
  private long nextEvent;
  private long expected;
  private long missing;
  private long lostBefore;
  private long pendingLost;

  private int kind;
  private long ticks;
  private long function;
  private int slot;
  private long key;
  private long value;
  private int moreCount;
  private final long[] more = new long[NtrLayout.MAX_VALUES];

  EventCursor(InputFile input, int recording, List<EventChunk> chunks, Gaps gaps) {
    this.input = input;
    this.recording = recording;
    this.chunks = chunks;
    this.gaps = gaps;
    this.reader = new ChunkReader(input);
    String[] names = {
      "the open frames",
      "the operations",
      "the times",
      "the references",
      "the sites",
      "the values",
      "the other events"
    };
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new ColumnIn(names[i]);
    }
    times = columns[NtrLayout.TIMES];
    references = columns[NtrLayout.REFERENCES];
    siteColumn = columns[NtrLayout.SITES];
    valueColumn = columns[NtrLayout.VALUES];
    others = columns[NtrLayout.OTHERS];
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
    pendingLost = 0;
  }

  /** Steps to the next event; false behind the last one. */
  public boolean next() {
    missing = 0;
    lostBefore = 0;
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
          if (decoded > in.events()) {
            throw others.damaged("hold more events than the head says");
          }
          if (nextEvent != expected) {
            missing = Math.max(0, nextEvent - expected);
          }
          lostBefore = pendingLost;
          pendingLost = 0;
          nextEvent++;
          expected = nextEvent;
          return true;
        }
        checkEnd(in);
        chunk = null;
      } catch (DamagedInput e) {
        gap(in, e);
        chunk = null;
      }
    }
  }

  private void gap(EventChunk in, DamagedInput why) {
    gaps.add(new Gap(input.name(), in.offset(), in.size(), "chunk of events", why.what()));
  }

  private boolean load(EventChunk in) {
    try {
      ChunkReader.Header header = reader.header(in.offset());
      if (header == null
          || header.recording() != recording
          || header.number() != in.number()
          || header.payload() != in.payload()
          || header.kind() != NtrLayout.EVENTS) {
        throw new DamagedInput(input.name(), in.offset(), "its header is damaged");
      }
      if (header.flags() != NtrLayout.ESSENTIAL && header.flags() != 0) {
        throw new DamagedInput(input.name(), in.offset(), "its flags are " + header.flags());
      }
      byte[] payload = reader.payload(header);
      if (!reader.eventHead(header).equals(in)) {
        throw new DamagedInput(input.name(), in.offset(), "the index says otherwise");
      }
      pendingLost += in.lost();
      start(in, payload);
      chunk = in;
      return true;
    } catch (DamagedInput e) {
      gap(in, e);
      return false;
    }
  }

  private void start(EventChunk in, byte[] payload) {
    ColumnIn head =
        new ColumnIn("the head").on(payload, 60, NtrLayout.EVENT_HEAD - 60, name(), in.offset());
    operationCount = head.u32();
    head.skipTo(NtrLayout.HEAD_COLUMNS);
    long at = NtrLayout.EVENT_HEAD;
    int all = 0;
    for (int i = 0; i < columns.length; i++) {
      int stored = head.u32();
      int plain = head.u32();
      if (stored < 0
          || stored > plain
          || plain > NtrLayout.MAX_PLAIN - all
          || at + stored > in.payload()) {
        throw head.damaged("has a column of %d and %d bytes".formatted(stored, plain));
      }
      byte[] bytes = payload;
      int from = (int) at;
      if (stored < plain) {
        bytes = inflate(i, payload, from, stored, plain);
        from = 0;
      }
      columns[i].on(bytes, from, plain, name(), in.offset());
      if (i == NtrLayout.OPERATIONS) {
        operations = bytes;
        operationsFrom = from;
        if (operationCount < 0 || (operationCount + 1L) / 2 != plain) {
          throw head.damaged("says " + Integer.toUnsignedString(operationCount) + " operations");
        }
      }
      at += stored;
      all += plain;
    }
    if (at != in.payload()) {
      throw head.damaged("has columns of other sizes than the chunk");
    }
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
    nextEvent = in.firstEvent();
    readOpen(columns[NtrLayout.OPEN]);
    if (open != in.openBefore()) {
      throw columns[NtrLayout.OPEN].damaged("are not as many as the head says");
    }
    fewestOpen = open;
    frames = areas.computeIfAbsent(0, AreaFrames::new);
  }

  private byte[] inflate(int column, byte[] payload, int from, int stored, int plain) {
    if (inflater == null) {
      inflater = new Inflater(true);
    }
    if (inflated[column].length < plain) {
      inflated[column] = new byte[plain];
    }
    Inflater unpack = inflater;
    unpack.reset();
    unpack.setInput(payload, from, stored);
    try {
      int got = unpack.inflate(inflated[column], 0, plain);
      // The end of the stream shows only when more is asked for.
      if (got == plain && !unpack.finished() && unpack.inflate(new byte[1]) != 0) {
        got++;
      }
      if (got != plain || !unpack.finished() || unpack.getRemaining() != 0) {
        throw columns[column].damaged("do not unpack to the size they should have");
      }
    } catch (DataFormatException e) {
      throw columns[column].damaged("cannot be unpacked: " + e.getMessage());
    }
    return inflated[column];
  }

  private void readOpen(ColumnIn in) {
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
        to.push(0, of, returnAddress, frameSlot, frameKey, entered, call);
        openFrames.add(to.frame(i));
      }
    }
  }

  /** Carries operations out up to the next event; false if there is none. */
  private boolean step() {
    while (operation < operationCount) {
      int n = operation++;
      int two = operations[operationsFrom + (n >> 1)];
      int number = (n & 1) == 0 ? two & 15 : two >> 4 & 15;
      switch (number) {
        case NtrLayout.ENTRY_FOLLOWING -> {
          int site = sites.following.get(context);
          if (site == 0) {
            throw columns[NtrLayout.OPERATIONS].damaged("name a site that follows nothing");
          }
          return enter(site);
        }
        case NtrLayout.ENTRY_KNOWN -> {
          return enter(site());
        }
        case NtrLayout.ENTRY_OTHER_KEY -> {
          int site = site();
          sites.keyStep.add(site, references.zig());
          return enter(site);
        }
        case NtrLayout.ENTRY_NEW -> {
          return enter(define());
        }
        case NtrLayout.EXIT_LAST -> {
          int site = pop();
          return exit(site, sites.last.get(site), 0);
        }
        case NtrLayout.EXIT_SECOND -> {
          int site = pop();
          return exit(site, sites.second.get(site), 0);
        }
        case NtrLayout.EXIT_DELTA -> {
          int site = pop();
          return exit(site, sites.last.get(site) + valueColumn.zig(), 0);
        }
        case NtrLayout.EXIT_PLAIN -> {
          return exit(pop(), valueColumn.zig(), 0);
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
          int count = others.bounded(frames.size(), "frames that leave");
          if (count == 0) {
            throw others.damaged("let no frame leave");
          }
          frames.pop(count);
          open -= count;
          fewestOpen = Math.min(fewestOpen, open);
        }
        case NtrLayout.AREA -> {
          if (frames.size() == 0) {
            areas.remove(frames.area);
          }
          frames = areas.computeIfAbsent(others.var32("area"), AreaFrames::new);
        }
        default -> throw columns[NtrLayout.OPERATIONS].damaged("have the number " + number);
      }
    }
    return false;
  }

  private int site() {
    int site = references.bounded(sites.count() - 1, "as a site");
    if (site == 0) {
      throw references.damaged("name no site");
    }
    return site;
  }

  private int define() {
    if (sites.count() > NtrLayout.MAX_SITES) {
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

  private boolean enter(int site) {
    AreaFrames in = frames;
    int top = in.size() - 1;
    function = sites.function.get(site);
    value = sites.returnAddress.get(site);
    slot = (top < 0 ? -1 : in.slot.get(top)) + sites.slotStep.get(site);
    key = (top < 0 ? 0 : in.key.get(top)) - sites.keyStep.get(site);
    int shape = sites.shape.get(site);
    moreCount = shape & 63;
    if (moreCount > 0) {
      long[] last = sites.arguments(site, moreCount);
      for (int i = 0; i < moreCount; i++) {
        last[i] += valueColumn.zig();
        more[i] = last[i];
      }
    }
    sites.following.set(context, site);
    context = 2 * site;
    ticks += times.var();
    decoded++;
    if ((shape & NtrLayout.SHAPE_ENTRY_ONLY) != 0) {
      kind = EventKind.ENTRY_ONLY;
      return true;
    }
    kind = EventKind.ENTRY;
    calls++;
    if (open == NtrLayout.MAX_FRAMES) {
      throw columns[NtrLayout.OPERATIONS].damaged("open too many frames");
    }
    open++;
    in.push(site, function, value, slot, key, 0, 0);
    return true;
  }

  private int pop() {
    AreaFrames in = frames;
    if (in.size() == 0) {
      throw columns[NtrLayout.OPERATIONS].damaged("close a frame where none is open");
    }
    int top = in.size() - 1;
    function = in.function.get(top);
    slot = in.slot.get(top);
    key = in.key.get(top);
    if (--open < fewestOpen) {
      fewestOpen = open;
    }
    int site = in.site.get(top);
    in.pop(1);
    context = 2 * site + 1;
    return site;
  }

  private boolean exit(int site, long returned, int count) {
    sites.returned(site, returned);
    return event(EventKind.EXIT, returned, count);
  }

  private boolean exitValues(int site) {
    long returned = sites.last.get(site) + valueColumn.zig();
    int count = valueColumn.bounded(NtrLayout.MAX_VALUES, "values of an exit");
    if (count == 0) {
      throw valueColumn.damaged("have an exit with no more values");
    }
    long[] last = sites.exitValues(site, count);
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
    ticks += times.var();
    decoded++;
    return true;
  }

  private void checkEnd(EventChunk in) {
    if (decoded != in.events() || calls != in.calls()) {
      throw columns[NtrLayout.OPERATIONS].damaged("are not as many as the head says");
    }
    if (open != in.openAfter() || fewestOpen != in.fewestOpen()) {
      throw columns[NtrLayout.OPERATIONS].damaged("leave other frames open than the head says");
    }
    for (int i = NtrLayout.TIMES; i < columns.length; i++) {
      if (!columns[i].atEnd()) {
        throw columns[i].damaged("are more than the events need");
      }
    }
    if ((operationCount & 1) != 0 && operations[operationsFrom + (operationCount >> 1)] >> 4 != 0) {
      throw columns[NtrLayout.OPERATIONS].damaged("have a half behind the last one");
    }
  }

  private String name() {
    return input.name();
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

  /** Which stack it was on. */
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

  /** How many further values it has. */
  public int valueCount() {
    return moreCount;
  }

  /** A further value: an argument of an entry, for example. */
  public long value(int index) {
    return more[Objects.checkIndex(index, moreCount)];
  }

  /** The number of the event among those of its thread, from 0. */
  public long event() {
    return nextEvent - 1;
  }

  /** How many events are missing before this one because chunks are damaged. */
  public long missingBefore() {
    return missing;
  }

  /** How many records the recorder lost before this event. */
  public long lostBefore() {
    return lostBefore;
  }

  /** Behind the last event: how many records the recorder lost there. */
  public long lostAtEnd() {
    return pendingLost;
  }

  /** Whether the event is the first of its chunk. */
  public boolean firstOfChunk() {
    return decoded == 1;
  }

  /** The chunk that the event is in; null before the first event and behind the last. */
  public @Nullable EventChunk chunk() {
    return chunk;
  }

  /**
   * The frames that were open before the first event of the chunk, area by area, outermost first.
   */
  public List<OpenFrame> openFrames() {
    return List.copyOf(openFrames);
  }

  @Override
  public void close() {
    if (inflater != null) {
      inflater.end();
    }
  }
}

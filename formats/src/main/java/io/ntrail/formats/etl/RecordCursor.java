package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.NativeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of one buffer after the other as a flyweight: after {@link #next()} the
 * accessors are those of the current record. It holds no bytes of its own except the memory that
 * buffers are read or decompressed into. One thread at a time.
 *
 * <p>A record whose marker or size is wrong ends its buffer, since the start of the next one is
 * unknown. That is a gap.
 */
public final class RecordCursor extends RecordHeader implements AutoCloseable {
  /** Subject of the gaps that {@link #damagedPayload} reports. */
  public static final String PAYLOAD = "payload";

  private static final byte[] SIZE_SHIFT = new byte[16];
  private static final byte[] TIME_OFFSET = new byte[16];
  private static final byte[] HEADER_BYTES = new byte[16];
  private static final int CACHE_LINE = 64;

  /** Size up to which memory is for any buffer of the session: larger ones may be a lie. */
  private static final long USUAL = 1 << 20;

  private static final int PAGE = 4 << 10;

  /** Bytes of the next page that listing reads with a page. */
  private static final int AHEAD = 4 * CACHE_LINE;

  /** Records in a page: with more, they are shorter than two cache lines. */
  private static final int MANY = PAGE / (2 * CACHE_LINE);

  static {
    for (RecordKind kind : RecordKind.values()) {
      SIZE_SHIFT[kind.ordinal()] = (byte) (kind.sizeOffset() * 8);
      TIME_OFFSET[kind.ordinal()] = (byte) kind.timeOffset();
      HEADER_BYTES[kind.ordinal()] = (byte) kind.headerBytes();
    }
  }

  private final EtlFile file;
  private final Gaps gaps;
  private final boolean isReading;
  private @Nullable NativeBuffer scratch;

  private int buffer = -1;
  private int nextAt;
  private int end;
  private boolean markerMayEnd;

  /** True if a part of a compressed buffer could not be inflated. */
  private boolean isDamaged;

  private int payloadAt;
  private boolean payloadKnown;

  private int touchedTo;
  private long touched;

  /** Upper half of the marker of the record that was listed last, and its kind. */
  private int lastMarker = -1;

  private int lastKind;

  /** True if there were more than {@link #MANY} records in the last page that was listed. */
  private boolean areShort;

  /**
   * @param gaps receives what cannot be read
   * @param isReading whether buffers are read rather than looked at in the mapping
   */
  RecordCursor(EtlFile file, Gaps gaps, boolean isReading) {
    this.file = file;
    this.isReading = isReading;
    this.gaps = gaps;
  }

  /** Goes to the start of a buffer; what cannot be inflated is a gap. */
  public void open(int buffer) {
    this.buffer = buffer;
    BufferIndex index = file.buffers();
    if (index.compressed(buffer)) {
      bytes = inflate(index);
      nextAt = 0;
      end = bytes.length();
      markerMayEnd = false;
      isDamaged = end < index.inflatedBytes(buffer);
      if (isDamaged) {
        end = endOfPlausible(index);
      }
    } else {
      bytes =
          isReading && file.isReadingCheaper()
              ? file.read(buffer, memory(index.fileBytes(buffer)))
              : file.window(buffer);
      nextAt = EtlLayout.BUFFER_HEADER;
      end = Math.min(index.end(buffer), bytes.length());
      markerMayEnd = index.endUnknown(buffer);
    }
    time = index.firstTicks(buffer);
    size = 0;
    touchedTo = 0;
  }

  /**
   * Goes to a record of a buffer.
   *
   * @param offset of the record in the buffer, as {@link #offset} gave it
   */
  public void open(int buffer, int offset) {
    open(buffer);
    nextAt = offset;
  }

  private Bytes inflate(BufferIndex index) {
    int length = index.inflatedBytes(buffer);
    return file.inflate(buffer, memory(length), length, gaps);
  }

  /**
   * Returns where the first record begins that has an impossible time: bytes that were inflated
   * from damaged ones may look like records. All of them if there is none.
   */
  private int endOfPlausible(BufferIndex index) {
    time = index.firstTicks(buffer);
    touchedTo = 0;
    int plausible = end;
    while (plausible == end && next()) {
      if (!file.isPlausibleTime(time)) {
        plausible = at;
        addDecompressed(at, "record", "an impossible time, inflated from damaged bytes");
      }
    }
    nextAt = 0;
    return plausible;
  }

  private NativeBuffer memory(int length) {
    NativeBuffer memory = scratch;
    if (memory == null || memory.capacity() < length) {
      if (memory != null) {
        file.spareBuffers().giveBack(memory);
      }
      memory =
          file.spareBuffers()
              .take(Math.max(length, (int) Math.min(file.sessionBufferSize(), USUAL)));
      scratch = memory;
    }
    return memory;
  }

  /** Returns the bytes of memory of its own that it has for a buffer. */
  public long memory() {
    NativeBuffer memory = scratch;
    return memory == null ? 0 : memory.capacity();
  }

  /** Gives the memory of a buffer back; {@link #open} makes the cursor usable again. */
  public void release() {
    bytes = NOTHING;
    end = 0;
    nextAt = 0;
    NativeBuffer memory = scratch;
    if (memory != null) {
      file.spareBuffers().giveBack(memory);
      scratch = null;
    }
  }

  /** Goes on to the next record of the buffer; false at its end. */
  public boolean next() {
    int from = nextAt;
    if (from + 8 > end) {
      return atEnd(from);
    }
    if (from >= touchedTo) {
      touch(from);
    }
    long head = bytes.i64(from);
    int newKind = RecordKind.ofMarker((int) head);
    if (newKind < 0) {
      return noRecord(from, (int) head);
    }
    int newSize = (int) (head >>> SIZE_SHIFT[newKind]) & 0xFFFF;
    if (newSize < HEADER_BYTES[newKind] || newSize > end - from) {
      return badSize(from, newKind, newSize);
    }
    at = from;
    kind = newKind;
    size = newSize;
    hook = (int) (head >>> 48);
    nextAt = from + (newSize + 7 & ~7);
    payloadKnown = false;
    if (newKind == MESSAGE) {
      time = WppMessage.time(bytes, from, newSize, time);
    } else {
      time = bytes.i64(from + TIME_OFFSET[newKind]);
    }
    return true;
  }

  /**
   * Lists all records of the open buffer, in their order in the file. {@link #moveTo} then goes to
   * one of them.
   */
  public void index(RecordTable table) {
    table.clear();
    boolean more = true;
    while (more && nextAt + 8 <= end) {
      if (nextAt >= touchedTo) {
        touchUnlessShort(nextAt);
      }
      int before = table.count();
      more = indexPage(table, table.room(PAGE / 8));
      areShort = table.count() - before > MANY;
    }
    // Whatever ended the records is judged, and reported if need be, in one place.
    next();
  }

  /**
   * Lists the records that begin in the page that was touched last. A method of its own, since
   * compilers count calls: one loop over a buffer would be compiled while it runs, and then again.
   *
   * @param room records that the table has room for
   * @return false if no record is where the last one ends
   */
  private boolean indexPage(RecordTable table, int room) {
    Bytes window = bytes;
    int stop = end;
    int from = nextAt;
    int count = table.count();
    boolean sorted = table.sorted();
    long[] times = table.ticks;
    long[] places = table.places;
    long last = count == 0 ? Long.MIN_VALUE : times[count - 1];
    // Where a record ends is guessed from the marker of the one before it, as processors guess
    // branches: so the next record's bytes are asked for before the tables have answered.
    int marker = lastMarker;
    int kind = lastKind;
    long kindBits = RecordTable.kindBits(kind);
    int sizeShift = SIZE_SHIFT[kind];
    int timeOffset = TIME_OFFSET[kind];
    int least = HEADER_BYTES[kind];
    boolean ended = false;
    // No calls in here, so that nothing must be loaded again for each record.
    int pageEnd = Math.min(touchedTo, stop - 7);
    while (from < pageEnd && count < room) {
      long head = window.i64(from);
      if ((int) head >>> 16 != marker) {
        int found = RecordKind.ofMarker((int) head);
        if (found < 0) {
          ended = true;
          break;
        }
        marker = (int) head >>> 16;
        lastMarker = marker;
        lastKind = found;
        kindBits = RecordTable.kindBits(found);
        sizeShift = SIZE_SHIFT[found];
        timeOffset = TIME_OFFSET[found];
        least = HEADER_BYTES[found];
      }
      int length = (int) (head >>> sizeShift) & 0xFFFF;
      if (length < least || length > stop - from) {
        ended = true;
        break;
      }
      long ticks =
          timeOffset < 0
              ? WppMessage.time(window, from, length, count == 0 ? time : last)
              : window.i64(from + timeOffset);
      sorted &= ticks >= last;
      last = ticks;
      times[count] = ticks;
      places[count] = RecordTable.place(from, kindBits, head, length);
      count++;
      from += (length + 7) & ~7;
    }
    nextAt = from;
    table.filled(count, sorted);
    return !ended;
  }

  /**
   * Goes to record {@code i} of a table that {@link #index} filled from the open buffer. {@link
   * #next} goes on from where it was.
   */
  public void moveTo(RecordTable table, int i) {
    moveTo(table.places[i], table.ticks[i]);
  }

  /**
   * Goes to a record that {@link #index} listed from the open buffer.
   *
   * @param place as {@link RecordTable#place(int)} gave it
   * @param ticks its raw time stamp
   */
  public void moveTo(long place, long ticks) {
    at = RecordTable.offset(place);
    hook = (int) place >>> 16;
    size = (int) place & 0xFFFF;
    kind = RecordTable.kind(place);
    time = ticks;
    payloadKnown = false;
  }

  /**
   * Reads a word of every cache line of the rest of a page. Where a record begins is known only
   * when the one before it was read, so that a walk waits for memory at every record; these reads
   * wait for nothing, and the walk then finds its bytes in the cache. Processors fetch ahead within
   * a page by themselves, which longer stretches got in the way of.
   */
  private void touch(int from) {
    touchedTo = (from & -PAGE) + PAGE;
    int to = Math.min(touchedTo, end - 8);
    long sum = 0;
    for (int i = from; i < to; i += CACHE_LINE) {
      sum += bytes.i64(i);
    }
    touched += sum;
  }

  /**
   * Reads the words of a page only if records are long: a walk over short ones reads most of its
   * lines one after the other anyway, so that the processor fetches ahead by itself.
   */
  private void touchUnlessShort(int from) {
    if (areShort) {
      touchedTo = (from & -PAGE) + PAGE;
    } else {
      touch(from);
      touchNext();
    }
  }

  /**
   * Reads a word of the first lines of the next page, so that the processor begins to fetch there
   * before the list gets to it. Walks that go to each record at once became slower by it.
   */
  private void touchNext() {
    int to = Math.min(touchedTo + AHEAD, end - 8);
    long sum = 0;
    for (int i = touchedTo; i < to; i += CACHE_LINE) {
      sum += bytes.i64(i);
    }
    touched += sum;
  }

  /** Returns the sum of what {@link #touch} read: kept so that its reads are not optimized away. */
  long touched() {
    return touched;
  }

  private boolean atEnd(int from) {
    if (from < end && !markerMayEnd && !bytes.isZero(from, end - from)) {
      damage(from, "record", "only " + (end - from) + " bytes are left before the records' end");
    }
    nextAt = end;
    return false;
  }

  private boolean noRecord(int from, int marker) {
    boolean filler = marker == 0 || marker == -1;
    if (!(filler && markerMayEnd)) {
      damage(
          from,
          "record",
          filler
              ? "records end before the buffer's end offset"
              : "no record header: marker 0x" + Integer.toHexString(marker));
    }
    nextAt = end;
    return false;
  }

  private boolean badSize(int from, int kind, int size) {
    damage(
        from,
        "record",
        RecordKind.at(kind)
            + " record of "
            + size
            + " bytes, where the header alone takes "
            + HEADER_BYTES[kind]
            + " and "
            + (end - from)
            + " are left");
    nextAt = end;
    return false;
  }

  private void damage(int from, String what, String why) {
    if (file.buffers().compressed(buffer)) {
      if (isDamaged) {
        // What is missing after the part that could be inflated was reported with the buffer.
        return;
      }
      addDecompressed(from, what, why);
    } else {
      gaps.add(new Gap(file.name(), bytes.base() + from, end - from, what, why));
    }
  }

  /** Adds the gap of a compressed buffer. */
  private void addDecompressed(int from, String what, String why) {
    gaps.add(
        new Gap(
            file.name(),
            file.buffers().fileOffset(buffer),
            file.buffers().fileBytes(buffer),
            what,
            why + " (at byte " + from + " of the " + end + " decompressed ones)"));
  }

  /** The file that the record is in. */
  public EtlFile file() {
    return file;
  }

  /** The buffer that the record is in. */
  public int buffer() {
    return buffer;
  }

  /** Processor whose buffer the record is in. */
  public int cpu() {
    return file.buffers().cpu(buffer);
  }

  /**
   * Returns the start of the payload: after the header, its counters, optional parts and extended
   * items. If the chain of items is broken, that is a gap and the payload is empty.
   */
  public int payloadOffset() {
    if (!payloadKnown) {
      payloadAt = findPayload();
      payloadKnown = true;
    }
    return payloadAt;
  }

  /** Bytes of the payload. */
  public int payloadLength() {
    return at + size - payloadOffset();
  }

  private int findPayload() {
    return switch (kind()) {
      case PERFINFO32, PERFINFO64 -> at + Math.min(size, 16 + 8 * countersAndIndex());
      case EVENT32, EVENT64 -> hasExtendedItems() ? afterItems() : at + 80;
      case MESSAGE -> at + Math.min(size, WppMessage.headerBytes(bytes, at));
      default -> at + HEADER_BYTES[kind];
    };
  }

  /** Number of 64-bit words between a PERFINFO header and its payload. */
  private int countersAndIndex() {
    int flags = bytes.u16(at);
    return (flags >>> 8 & 7) + (flags >>> 15);
  }

  private int afterItems() {
    int item = at + 80;
    int before = Math.min(item, at + size);
    while (true) {
      if (!itemFits(item)) {
        damage(before, at + size, "extended items", "an item runs past the end of its record");
        return at + size;
      }
      before = item;
      boolean last = (bytes.u16(item + 4) & 1) == 0;
      item += itemSize(item);
      if (last) {
        // The last item's padding may be cut off where nothing follows it.
        return Math.min(item, at + size);
      }
    }
  }

  private void damage(int from, int to, String what, String why) {
    long where =
        file.buffers().compressed(buffer) ? file.buffers().fileOffset(buffer) : bytes.base() + from;
    gaps.add(new Gap(file.name(), where, to - from, what, why));
  }

  /** Reports a payload that is not what its schema says. */
  public void damagedPayload(String why) {
    damage(payloadOffset(), payloadOffset() + payloadLength(), PAYLOAD, why);
  }

  @Override
  public void close() {
    release();
  }
}

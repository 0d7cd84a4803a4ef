package io.ntrail.formats.ntr;

/** The numbers of docs/ntr.md: chunks, their kinds, heads of event chunks, operations. */
final class NtrLayout {
  /** {@code NTRc} as a little-endian number. */
  static final int MARKER = 0x6352_544E;

  static final int CHUNK_HEADER = 32;
  static final int MAX_PAYLOAD = 1 << 24;

  /** Within how many bytes a recording must have a right chunk header. */
  static final int SEARCHED_AT_START = 1 << 16;

  static final int ESSENTIAL = 1;

  static final int RECORDING = 1;
  static final int DEFINITIONS = 2;
  static final int EVENTS = 3;
  static final int STATISTICS = 4;
  static final int INDEX = 5;
  static final int END = 6;

  static final int MAJOR = 1;
  static final int END_PAYLOAD = 32;
  static final int INDEX_HEAD = 32;

  static final int PROCESS = 1;
  static final int PROCESS_END = 2;
  static final int THREAD = 3;
  static final int THREAD_END = 4;
  static final int MODULE = 5;
  static final int MODULE_END = 6;
  static final int FUNCTION = 7;
  static final int CALIBRATION = 8;
  static final int UNTRACED = 9;
  static final int TOTALS = 10;
  static final int HOLD = 11;
  static final int CALLERS = 12;
  static final int OMISSION = 13;
  static final int GAP = 14;
  static final int WHOLE_THREAD = 15;
  static final int LOST_ELSEWHERE = 16;

  static final int EVENT_HEAD = 144;
  static final int HEAD_COLUMNS = 84;
  static final int HEAD_CHECKSUM = 140;
  static final int OPEN_INCOMPLETE = 1;
  static final int COLUMNS = 7;
  static final int OPEN = 0;
  static final int OPERATIONS = 1;
  static final int TIMES = 2;
  static final int REFERENCES = 3;
  static final int SITES = 4;
  static final int VALUES = 5;
  static final int OTHERS = 6;
  static final int MAX_PLAIN = 1 << 24;
  static final int MAX_EVENTS = 1 << 20;
  static final int MAX_VALUES = 32;
  static final int MAX_BUCKETS = 64;
  static final int MAX_FRAMES = 1 << 13;
  static final int MAX_CALLERS = 1 << 10;
  static final int MAX_SITES = 1 << 16;
  static final int SHAPE_ENTRY_ONLY = 64;

  static final int ENTRY_FOLLOWING = 0;
  static final int ENTRY_KNOWN = 1;
  static final int ENTRY_OTHER_KEY = 2;
  static final int ENTRY_NEW = 3;
  static final int EXIT_LAST = 4;
  static final int EXIT_SECOND = 5;
  static final int EXIT_DELTA = 6;
  static final int EXIT_PLAIN = 7;
  static final int EXIT_VALUES = 8;
  static final int UNWIND = 9;
  static final int OTHER = 10;
  static final int LEAVE = 11;
  static final int AREA = 12;

  private NtrLayout() {}

  /** Returns the size of a chunk in the file: header, payload, padding. */
  static long chunkSize(int payload) {
    return (CHUNK_HEADER + (long) payload + 7) & ~7L;
  }

  /** Returns a number of values, which has to be one that an event can have. */
  static int values(int count) {
    if (count < 0 || count > MAX_VALUES) {
      throw new IllegalArgumentException("more than 32 values: " + count);
    }
    return count;
  }

  /** Checks the number of events of a chunk. */
  static void mustBeEvents(int events) {
    if (events < 1 || events > MAX_EVENTS) {
      throw new IllegalArgumentException("events in a chunk: " + events);
    }
  }
}

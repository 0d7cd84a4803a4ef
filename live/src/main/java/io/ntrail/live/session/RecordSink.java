package io.ntrail.live.session;

import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.EventTally;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.util.List;

/** Passes records to the writer, or drops them, and counts both. */
final class RecordSink {
  /** First number of unknown functions, followed by their addresses. */
  static final long UNKNOWN = 1L << 32;

  private static final int MAX_UNKNOWN = 4096;

  private final NtrWriter writer;
  private final RecorderDiagnostics remarks;
  private final CallThrottle throttle;
  private final SessionFile session;
  private final int wordsEach;
  private final int argumentCount;
  private final RecordedCopies copies;
  private final long[] words;
  private final long[] arguments;

  /** Stack pointer of an unwinder. */
  private final long[] stackPointer = new long[1];

  private final FunctionNumbers functions = new FunctionNumbers();
  private final LongSet unknown = new LongSet();

  private int position;
  private long unknownEvents;
  private long unreadable;
  private long latest;
  private EventTally given = EventTally.NONE;
  private EventTally dropped = EventTally.NONE;

  RecordSink(
      SessionFile session,
      int arguments,
      NtrWriter writer,
      RecorderDiagnostics remarks,
      CallThrottle throttle) {
    this.session = session;
    this.throttle = throttle;
    this.writer = writer;
    this.remarks = remarks;
    wordsEach = session.records().bytes() / 8;
    copies = new RecordedCopies(session.records().copies(), remarks);
    argumentCount = arguments;
    words = new long[SessionLayout.CHUNK_BYTES / 8];
    this.arguments = new long[argumentCount];
  }

  /** Returns the buffer for the records to be taken. */
  long[] words() {
    return words;
  }

  void function(int address, int number) {
    functions.put(address, number);
  }

  /** Returns the counts of records that were passed to the writer. */
  EventTally given() {
    return given;
  }

  /** Returns the counts of records that were taken out of chunks and dropped. */
  EventTally dropped() {
    return dropped;
  }

  /** Returns the number of invalid records: of no kind, or not written where all must be. */
  long unreadable() {
    return unreadable;
  }

  /** Returns the number of events of unknown functions. */
  long unknownEvents() {
    return unknownEvents;
  }

  /** Returns the latest ticks of a record that was passed to the writer. */
  long latest() {
    return latest;
  }

  /** Moves records from passed to dropped: they are not in the file after all. */
  void takeBack(EventTally tally) {
    given = given.minus(tally);
    dropped = dropped.plus(tally);
  }

  /**
   * Passes the first records of {@link #words} to the writer.
   *
   * @throws IOException if it failed; those that it did not get are dropped
   */
  void give(int count, RecordedThread thread, ThreadEventWriter to) throws IOException {
    position = 0;
    try {
      write(count, thread, to);
    } catch (IOException e) {
      drop(position, count);
      throw e;
    }
  }

  private void write(int count, RecordedThread thread, ThreadEventWriter to) throws IOException {
    int entries = 0;
    int exits = 0;
    int unwinds = 0;
    int only = 0;
    int besides = 0;
    long bad = 0;
    // Where an event without area and slot happened: those of the frame around it cost no bytes.
    int lastArea = thread.area;
    int lastSlot = thread.slot;
    boolean isThrottling = throttle.isOn();
    long address = session.pointerBytes() == Integer.BYTES ? 0xFFFF_FFFFL : -1;
    try {
      for (int i = 0; i < count; i++) {
        int at = i * wordsEach;
        long ticks = words[at];
        long second = words[at + 1];
        long value = words[at + 2];
        long key = words[at + 3] & address;
        int meta = (int) (second >>> 32);
        int slot = meta >>> 8 & 0xFFF;
        int area = meta >>> 20;
        int kind = meta & 0xFF;
        if (!isKnown(kind)) {
          bad++;
          position = i + 1;
          continue;
        }
        if (bad > 0) {
          to.lost(bad);
          unreadable += bad;
          bad = 0;
        }
        long function = functions.of((int) second);
        if (function == 0 && kind != SessionLayout.UNWIND_TARGET) {
          function = unknown((int) second);
        }
        position = i + 1;
        if (isThrottling && (kind == SessionLayout.ENTRY || kind == SessionLayout.ENTRY_ONLY)) {
          throttle.entry(function, ticks);
        }
        switch (kind) {
          case SessionLayout.ENTRY -> {
            besides += copies.write(words, at, address, function, area, slot, to);
            entries++;
            lastArea = area;
            lastSlot = slot;
            if (argumentCount == 0) {
              to.entry(ticks, function, area, slot, key, value & address);
            } else {
              System.arraycopy(words, at + 4, arguments, 0, argumentCount);
              to.entry(ticks, function, area, slot, key, value & address, arguments, argumentCount);
            }
          }
          case SessionLayout.EXIT -> {
            exits++;
            lastArea = area;
            lastSlot = Math.max(0, slot - 1);
            to.exit(ticks, function, area, slot, key, value);
          }
          case SessionLayout.UNWIND -> {
            unwinds++;
            lastArea = area;
            lastSlot = Math.max(0, slot - 1);
            to.unwind(ticks, function, area, slot, key, value & 0xFFFF_FFFFL);
          }
          case SessionLayout.UNWIND_TARGET -> {
            besides++;
            stackPointer[0] = words[at + 3] >>> 32;
            to.other(
                EventKind.UNWIND_TARGET,
                ticks,
                function,
                area,
                slot,
                key,
                value & 0xFFFF_FFFFL,
                stackPointer,
                stackPointer.length);
          }
          default -> {
            besides += copies.write(words, at, address, function, lastArea, lastSlot, to);
            only++;
            System.arraycopy(words, at + 4, arguments, 0, argumentCount);
            to.entryOnly(
                ticks,
                function,
                lastArea,
                lastSlot,
                key,
                value & address,
                arguments,
                argumentCount);
          }
        }
      }
      if (bad > 0) {
        to.lost(bad);
      }
    } finally {
      unreadable += bad;
      thread.area = lastArea;
      thread.slot = lastSlot;
      long all = (long) entries + exits + unwinds + only + besides;
      given = given.plus(new EventTally(all, entries, exits, unwinds, besides));
      if (count > 0) {
        latest = Math.max(latest, words[(count - 1) * wordsEach]);
      }
    }
  }

  private static boolean isKnown(int kind) {
    return kind >= SessionLayout.ENTRY && kind <= SessionLayout.UNWIND_TARGET
        || kind == SessionLayout.ENTRY_ONLY;
  }

  private long unknown(int address) throws IOException {
    unknownEvents++;
    long number = UNKNOWN | Integer.toUnsignedLong(address);
    if (unknown.size() < MAX_UNKNOWN && unknown.add(number)) {
      remarks.say("record with unknown function 0x%08x", address);
      writer.function(
          new TracedFunction(number, 0, Integer.toUnsignedLong(address), "", List.of()));
    }
    return number;
  }

  /** Counts records of {@link #words} as dropped. */
  void drop(int from, int count) {
    int entries = 0;
    int exits = 0;
    int unwinds = 0;
    int only = 0;
    int besides = 0;
    for (int i = from; i < count; i++) {
      switch ((int) (words[i * wordsEach + 1] >>> 32) & 0xFF) {
        case SessionLayout.ENTRY -> entries++;
        case SessionLayout.EXIT -> exits++;
        case SessionLayout.UNWIND -> unwinds++;
        case SessionLayout.ENTRY_ONLY -> only++;
        case SessionLayout.UNWIND_TARGET -> besides++;
        default -> unreadable++;
      }
    }
    long all = (long) entries + exits + unwinds + only + besides;
    dropped = dropped.plus(new EventTally(all, entries, exits, unwinds, besides));
  }
}

package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.CopiedGaps;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Search for events that two files have in common, as a recording and what was merged or cut from
 * it have: each of them is there twice. Some records of the one are looked for in the other, by
 * their time, CPU, thread, type and size; a text in them may have been replaced.
 */
final class CommonEvents {
  /** Records that are looked for. */
  private static final int SAMPLES = 32;

  /**
   * Distance of the parts of neighbouring samples; none has a factor in common with their number.
   */
  private static final int STEP = 13;

  /** Records that cannot be found by chance: two sessions may both have an event now and then. */
  private static final int ENOUGH = 3;

  private CommonEvents() {}

  /** Returns true if two files have events in common. */
  static boolean areFound(EtlFile a, EtlFile b) {
    return isIn(a, b) || isIn(b, a);
  }

  /** Returns true if one was written from others, or both are of one session. */
  static boolean areExpected(EtlFile a, EtlFile b) {
    LogFileHeader first = a.header().orElse(null);
    LogFileHeader second = b.header().orElse(null);
    if (first == null || second == null) {
      return false;
    }
    return isWrittenAgain(first)
        || isWrittenAgain(second)
        || first.startTime() != 0 && first.startTime() == second.startTime();
  }

  private static boolean isWrittenAgain(LogFileHeader header) {
    return (header.logFileMode() & LogFileHeader.EVENT_TRACE_RELOG_MODE) != 0;
  }

  private static boolean isIn(EtlFile some, EtlFile other) {
    // What is damaged is told by whoever reads it.
    try (RecordCursor sample = some.cursor(new Gaps());
        RecordCursor found = other.cursor(new Gaps())) {
      int buffers = some.buffers().count();
      Set<Long> seen = new HashSet<>();
      int matches = 0;
      for (int i = 0; i < SAMPLES && matches < ENOUGH; i++) {
        int buffer = (int) ((long) buffers * i / SAMPLES);
        // Several records of a buffer where there are few, one after another in none.
        double part = (double) (i * STEP % SAMPLES + 1) / (SAMPLES + 1);
        if (goTo(sample, buffer, part)
            && seen.add((long) buffer << Integer.SIZE | sample.offset())
            && has(other, found, sample)) {
          matches++;
        }
      }
      return matches >= ENOUGH;
    }
  }

  /** Goes to the record at a part of a buffer; returns false if there is none to look for. */
  private static boolean goTo(RecordCursor cursor, int buffer, double part) {
    if (cursor.file().buffers().isHeader(buffer)) {
      return false;
    }
    cursor.open(buffer);
    int records = 0;
    while (cursor.next()) {
      records++;
    }
    cursor.open(buffer);
    boolean isThere = false;
    for (int i = 0; i <= (int) (records * part) && cursor.next(); i++) {
      isThere = cursor.hasTime();
    }
    return isThere && !CopiedGaps.isOne(cursor);
  }

  /** Returns true if a file has a record like one of another file. */
  private static boolean has(EtlFile file, RecordCursor cursor, RecordCursor like) {
    for (int buffer : buffersOf(file.buffers(), like)) {
      cursor.open(buffer);
      while (cursor.next()) {
        if (cursor.ticks() == like.ticks()
            && cursor.kind() == like.kind()
            && cursor.id() == like.id()
            && cursor.opcode() == like.opcode()
            && cursor.threadId() == like.threadId()
            && cursor.size() == like.size()
            && cursor.provider().equals(like.provider())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the buffer of each session, of a record's CPU, that began last before it. */
  private static Collection<Integer> buffersOf(BufferIndex buffers, RecordCursor record) {
    Map<Integer, Integer> bySession = new HashMap<>();
    for (int i = 0; i < buffers.count(); i++) {
      if (!buffers.isHeader(i)
          && buffers.cpu(i) == record.cpu()
          && buffers.firstTicks(i) <= record.ticks()) {
        bySession.merge(
            buffers.loggerId(i),
            i,
            (a, b) -> buffers.firstTicks(b) > buffers.firstTicks(a) ? b : a);
      }
    }
    return bySession.values();
  }
}

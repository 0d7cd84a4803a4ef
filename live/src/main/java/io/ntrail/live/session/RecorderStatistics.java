package io.ntrail.live.session;

import io.ntrail.formats.ntr.EventTally;
import io.ntrail.formats.ntr.RecorderCounter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Statistics of a recorder at one moment. Each record that a thread wrote or wanted to write is
 * captured, dropped, discarded, unreadable, lost or missing.
 *
 * @param threadsSeen threads that handed over or hold a chunk
 * @param threadsEnded of them, those that ended
 * @param buffers chunks of the session
 * @param fullAtMost chunks that waited to be read at once, at most
 * @param buffersWritten chunks that were read to their end
 * @param buffersFree free chunks
 * @param captured what came into the file, or is about to
 * @param addedCalls calls of ended threads that were added up, not recorded
 * @param openCalls calls that are open, those of ended threads included
 * @param dropped what was taken out of chunks and did not come into the file
 * @param discarded what went with the oldest part of a ring
 * @param lost what threads could not write because no chunk was free; at most one spill of each
 *     thread too many
 * @param missingChunks chunks that the numbers of others show to have been, and that were never
 *     seen
 * @param missing the records of those chunks
 * @param unreadable records that cannot be: of no kind, or not written where all must be
 * @param unknownFunctions events of functions that were never announced; they are captured
 * @param damaged how often something in the session file was not as a target leaves it
 * @param bytes of the file
 * @param duration from the beginning to the latest event or the time given, in ticks
 * @param failedWrites how often the file could not be written
 * @param deepEntries calls whose entry alone was recorded because their stack had no slot left
 * @param entriesWithoutArea calls whose entry alone was recorded because their stack had no area
 * @param noTable calls that were not counted because no table was free
 * @param slowPasses passes of the target through its slow routine
 * @param areasFree free areas
 * @param chunksRefused chunks of threads that were not recorded because there are too many at once
 * @param waits of threads for free chunks
 * @param state whether records still come into the file
 * @param remarks sentences for people about what should not be, the first hundred
 */
public record RecorderStatistics(
    long threadsSeen,
    long threadsEnded,
    int buffers,
    int fullAtMost,
    long buffersWritten,
    int buffersFree,
    EventTally captured,
    long addedCalls,
    long openCalls,
    EventTally dropped,
    EventTally discarded,
    long lost,
    long missingChunks,
    long missing,
    long unreadable,
    long unknownFunctions,
    long damaged,
    long bytes,
    long duration,
    long failedWrites,
    long deepEntries,
    long entriesWithoutArea,
    long noTable,
    long slowPasses,
    int areasFree,
    long chunksRefused,
    BufferWaits waits,
    RecorderState state,
    List<String> remarks) {
  private static final int MAX_REMARKS = 100;

  /** Returns the number of records that are not in the file, but for those a ring discarded. */
  public long allDropped() {
    return dropped.events() + lost + missing + unreadable;
  }

  /** Returns the number of calls that were made without a record, as there was no room for it. */
  public long unrecorded() {
    return noTable;
  }

  /** Returns the number of calls of which only the entry was recorded, as there was no slot. */
  public long entriesAlone() {
    return deepEntries + entriesWithoutArea;
  }

  /** Returns the statistics in the form of a {@code .ntr}; the kind of lost records is unknown. */
  public Map<RecorderCounter, Long> counters() {
    Map<RecorderCounter, Long> counters = new EnumMap<>(RecorderCounter.class);
    counters.put(RecorderCounter.THREADS_SEEN, threadsSeen);
    counters.put(RecorderCounter.THREADS_ENDED, threadsEnded);
    counters.put(RecorderCounter.BUFFERS, (long) buffers);
    counters.put(RecorderCounter.BUFFERS_FULL_AT_MOST, (long) fullAtMost);
    counters.put(RecorderCounter.BUFFERS_WRITTEN, buffersWritten);
    counters.put(RecorderCounter.BUFFERS_FREE, (long) buffersFree);
    counters.put(RecorderCounter.THREAD_BLOCKS_FREE, (long) areasFree);
    counters.put(RecorderCounter.FAILED_WRITES, failedWrites);
    counters.put(RecorderCounter.EVENTS, captured.events());
    counters.put(RecorderCounter.ENTRIES, captured.entries());
    counters.put(RecorderCounter.EXITS, captured.exits());
    counters.put(RecorderCounter.UNWINDS, captured.unwinds());
    counters.put(RecorderCounter.OPEN_AT_END, openCalls);
    counters.put(RecorderCounter.DROPPED, allDropped());
    counters.put(RecorderCounter.ENTRIES_DROPPED, dropped.entries());
    counters.put(RecorderCounter.EXITS_DROPPED, dropped.exits());
    counters.put(RecorderCounter.UNWINDS_DROPPED, dropped.unwinds());
    counters.put(RecorderCounter.ADDED, addedCalls);
    counters.put(RecorderCounter.DISCARDED, discarded.events());
    counters.put(RecorderCounter.BYTES_WRITTEN, bytes);
    counters.put(RecorderCounter.DURATION_TICKS, duration);
    counters.put(RecorderCounter.NO_AREA, noTable);
    counters.put(RecorderCounter.DEEP_ENTRIES, deepEntries);
    counters.put(RecorderCounter.ENTRIES_WITHOUT_AREA, entriesWithoutArea);
    counters.put(RecorderCounter.SLOW_PASSES, slowPasses);
    if (state == RecorderState.SIZE_REACHED) {
      counters.put(RecorderCounter.SIZE_REACHED, 1L);
    }
    return counters;
  }

  /** Returns the sum of the statistics of two recorders of one file. */
  public RecorderStatistics plus(RecorderStatistics other) {
    List<String> both =
        Stream.concat(remarks.stream(), other.remarks.stream()).limit(MAX_REMARKS).toList();
    return new RecorderStatistics(
        threadsSeen + other.threadsSeen,
        threadsEnded + other.threadsEnded,
        buffers + other.buffers,
        Math.max(fullAtMost, other.fullAtMost),
        buffersWritten + other.buffersWritten,
        buffersFree + other.buffersFree,
        captured.plus(other.captured),
        addedCalls + other.addedCalls,
        openCalls + other.openCalls,
        dropped.plus(other.dropped),
        discarded.plus(other.discarded),
        lost + other.lost,
        missingChunks + other.missingChunks,
        missing + other.missing,
        unreadable + other.unreadable,
        unknownFunctions + other.unknownFunctions,
        damaged + other.damaged,
        Math.max(bytes, other.bytes),
        Math.max(duration, other.duration),
        Math.max(failedWrites, other.failedWrites),
        deepEntries + other.deepEntries,
        entriesWithoutArea + other.entriesWithoutArea,
        noTable + other.noTable,
        slowPasses + other.slowPasses,
        areasFree + other.areasFree,
        chunksRefused + other.chunksRefused,
        waits.plus(other.waits),
        state,
        both);
  }

  /** Returns these statistics after the end of the session, whose chunks and areas are gone. */
  RecorderStatistics withoutRoom() {
    return with(0, 0, 0, captured, discarded, bytes, failedWrites, state);
  }

  /** Returns these sums with the values that are common to the recorders of a file. */
  RecorderStatistics ofFile(
      EventTally gone, long fileBytes, long failures, RecorderState fileState) {
    return with(
        buffers,
        buffersFree,
        areasFree,
        captured.minus(gone),
        discarded.plus(gone),
        fileBytes,
        failures,
        fileState);
  }

  private RecorderStatistics with(
      int allBuffers,
      int freeBuffers,
      int freeAreas,
      EventTally inFile,
      EventTally notKept,
      long fileBytes,
      long failures,
      RecorderState fileState) {
    return new RecorderStatistics(
        threadsSeen,
        threadsEnded,
        allBuffers,
        fullAtMost,
        buffersWritten,
        freeBuffers,
        inFile,
        addedCalls,
        openCalls,
        dropped,
        notKept,
        lost,
        missingChunks,
        missing,
        unreadable,
        unknownFunctions,
        damaged,
        fileBytes,
        duration,
        failures,
        deepEntries,
        entriesWithoutArea,
        noTable,
        slowPasses,
        freeAreas,
        chunksRefused,
        waits,
        fileState,
        remarks);
  }
}

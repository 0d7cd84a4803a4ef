package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.RecordingMerge.Left;
import io.ntrail.analysis.merge.RecordingMerge.Written;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Omission;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A smaller recording out of one: the events that a filter lets through, and what is needed to
 * understand them. With the same filter, every question has the same answer for both.
 */
public final class RecordingCut {
  /**
   * Choice of what is kept.
   *
   * @param fromNanos time of the first events, in nanoseconds since the start of the recording
   * @param toNanos time before which they end
   * @param filter of events
   * @param every number of samples of a processor of which one is kept; 1 for all
   * @param words as the user wrote it: {@code --time 1..2 -p shop.exe}
   */
  public record Request(long fromNanos, long toNanos, EventFilter filter, int every, String words) {
    /**
     * Returns the request for a part of the same selection.
     *
     * @param number of the part, from 1 on
     */
    public Request within(RecordingSplit.Part part, int number) {
      String its = (words + " of part %d of a split".formatted(number)).strip();
      return new Request(part.fromNanos(), part.toNanos(), filter, every, its);
    }

    private boolean isAll() {
      return fromNanos == Long.MIN_VALUE
          && toNanos == Long.MAX_VALUE
          && filter.passesAll()
          && every == 1;
    }
  }

  private RecordingCut() {}

  /**
   * Writes the smaller recording.
   *
   * @param events of the whole one
   * @param isCompressed true if its buffers are to be compressed
   * @param rewriter what becomes of records
   * @throws CannotGoOn if the files do not share a clock, or have lost their headers
   * @throws IOException if it cannot be written
   */
  public static Written write(
      Events events,
      Request request,
      SeekableByteChannel channel,
      boolean isCompressed,
      RecordRewriter rewriter)
      throws IOException {
    EtwRecording recording = events.recording();
    RecordingMerge.mustBeOne(recording);
    // Of a recording that is only made anonymous, nothing is left out.
    RecordSelection selection =
        request.isAll()
            ? RecordSelection.ALL
            : new CutSelection(
                events, request.fromNanos, request.toNanos, request.filter, request.every);
    return RecordingMerge.write(
        recording,
        channel,
        isCompressed,
        List.of(),
        MachineRecords.without(""),
        selection,
        rewriter,
        events.cores(),
        left -> omissions(left, request));
  }

  /**
   * Writes what a recording tells of its machine and nothing that happened on it, to be read
   * together with what the same session writes later. It says of itself nothing that a smaller
   * recording says, and repeating it makes it no longer.
   *
   * @throws IOException if it cannot be written
   */
  public static Written machineFacts(Events events, SeekableByteChannel channel)
      throws IOException {
    RecordingMerge.mustBeOne(events.recording());
    EventFilter all = new EventFilter.Builder().build();
    return RecordingMerge.write(
        events.recording(),
        channel,
        false,
        List.of(),
        MachineRecords.without(""),
        new CutSelection(events, Long.MAX_VALUE - 1, Long.MAX_VALUE, all, 1),
        RecordRewriter.NONE,
        events.cores(),
        _ -> List.of());
  }

  private static List<Omission> omissions(Left left, Request request) {
    List<Omission> omissions = new ArrayList<>();
    if (left.time() + left.filter() > 0) {
      omissions.add(
          new Omission("records other than " + request.words, left.time() + left.filter()));
    }
    if (left.samples() > 0) {
      omissions.add(
          new Omission(
              "samples, all but one of %,d of each processor".formatted(request.every),
              left.samples()));
    }
    return omissions;
  }
}

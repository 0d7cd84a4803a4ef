package io.ntrail.analysis.merge;

import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;

/**
 * Records of one moment when samples become fewer: finds the samples that are left out although
 * another record of their thread is kept, whose stack they could be taken for the event of. Records
 * come in time order.
 */
final class CutMoment {
  /** Records of one time that are compared with each other. */
  private static final int MOST = 256;

  private record Sample(int file, int buffer, int offset, int thread) {}

  private final RecordSet covered;
  private final IntList kept = new IntList();
  private final List<Sample> leftOut = new ArrayList<>();
  private long key = Long.MIN_VALUE;

  /**
   * Begins before the first record.
   *
   * @param covered where samples of threads with another kept record are added
   */
  CutMoment(RecordSet covered) {
    this.covered = covered;
  }

  /** Goes to the time of a record. */
  void goTo(long time) {
    if (time != key) {
      end();
      key = time;
    }
  }

  /** Notes the thread of a kept record. */
  void keep(int thread) {
    if (kept.size() <= MOST) {
      kept.add(thread);
    }
  }

  /** Notes a sample that is left out. */
  void leaveOut(int file, RecordCursor sample, int thread) {
    if (leftOut.size() < MOST) {
      leftOut.add(new Sample(file, sample.buffer(), sample.offset(), thread));
    } else {
      // A record too many does no harm.
      covered.add(file, sample);
    }
  }

  /** Ends the moment: all its records were given. */
  void end() {
    if (!leftOut.isEmpty()) {
      for (Sample sample : leftOut) {
        if (isKept(sample.thread)) {
          covered.add(sample.file, sample.buffer, sample.offset);
        }
      }
      leftOut.clear();
    }
    kept.clear();
  }

  private boolean isKept(int thread) {
    if (kept.size() > MOST) {
      return true;
    }
    for (int i = 0; i < kept.size(); i++) {
      if (kept.get(i) == thread) {
        return true;
      }
    }
    return false;
  }
}

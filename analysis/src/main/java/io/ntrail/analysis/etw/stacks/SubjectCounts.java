package io.ntrail.analysis.etw.stacks;

/**
 * Numbers of events that are alike: in a few places, so that most events only add one to a number.
 */
final class SubjectCounts {
  /** Receives a number of events. */
  interface Sink {
    /** Takes so many events of one {@link StackNotes#subject}; it may be given out again. */
    void accept(long subject, int count);
  }

  private static final int PLACES = 1 << 8;
  private static final long FIBONACCI = 0x9E37_79B9_7F4A_7C15L;

  private final Sink sink;
  private final long[] subjects = new long[PLACES];
  private final int[] counts = new int[PLACES];

  SubjectCounts(Sink sink) {
    this.sink = sink;
  }

  /** Counts an event. */
  void add(long subject) {
    int place = (int) (subject * FIBONACCI >>> 56);
    if (subjects[place] != subject) {
      giveOut(place);
      subjects[place] = subject;
    }
    counts[place]++;
  }

  /** Gives out all numbers that were not given out yet. */
  void finish() {
    for (int place = 0; place < PLACES; place++) {
      giveOut(place);
    }
  }

  private void giveOut(int place) {
    if (counts[place] > 0) {
      sink.accept(subjects[place], counts[place]);
      counts[place] = 0;
    }
  }
}

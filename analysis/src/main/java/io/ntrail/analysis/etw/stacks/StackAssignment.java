package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.etl.RecordCursor;

/**
 * The stack records that name one time, and the records of that time they are given to: those whose
 * thread they name, then those of their CPU, then the first.
 */
final class StackAssignment {
  /** Records times threads of one time stamp that are held against each other. */
  private static final long MOST_TRIES = 1 << 22;

  private final StackRecordWindow references;
  private final StackMatchRules targets;

  /** By thread: its first stack record, the record it is assigned to, the quality of the match. */
  private final Columns threads = new Columns();

  private final IntColumn firsts = threads.ints();
  private final IntColumn given = threads.ints();
  private final IntColumn fits = threads.ints();

  private boolean formed;
  private long key;
  private int end;
  private int record;
  private int innermost;
  private final IntList current = new IntList();

  StackAssignment(StackRecordWindow references, StackMatchRules targets) {
    this.references = references;
    this.targets = targets;
  }

  void clear() {
    formed = false;
    end = 0;
  }

  boolean isOf(long time) {
    return formed && key == time;
  }

  /** Number of the stack record after the last of the group. */
  int end() {
    return end;
  }

  /**
   * Gives the stack records from {@code from} to {@code to} to the records of the cursor's time.
   *
   * @return how many found none
   */
  int form(OrderedCursor cursor, long time, int from, int to) {
    formed = true;
    key = time;
    end = to;
    record = -1;
    threads.clear();
    for (int i = from; i < to; i = references.afterThread(i)) {
      int t = threads.add();
      firsts.set(t, i);
      given.set(t, -1);
      fits.set(t, -1);
    }
    int records = cursor.sameTime();
    long tries = 0;
    for (int ahead = 0; ahead < records && tries < MOST_TRIES; ahead++) {
      RecordCursor candidate = cursor.peek(ahead);
      if (targets.mayHaveStack(candidate)) {
        tries += threads.rows();
        for (int t = 0; t < threads.rows(); t++) {
          int fit = fit(candidate, firsts.get(t));
          if (fit > fits.get(t)) {
            fits.set(t, fit);
            given.set(t, ahead);
          }
        }
      }
    }
    int without = 0;
    for (int t = 0; t < threads.rows(); t++) {
      if (given.get(t) < 0) {
        without += references.afterThread(firsts.get(t)) - firsts.get(t);
      }
    }
    return without;
  }

  private int fit(RecordCursor candidate, int reference) {
    int ofThread = targets.isOf(candidate, references.thread(reference));
    if (ofThread == StackMatchRules.NO) {
      return -1;
    }
    return 2 * ofThread + (candidate.cpu() == references.cpu(reference) ? 1 : 0);
  }

  /** Goes to the next record of the time; whether stack records were given to it. */
  boolean next() {
    record++;
    current.clear();
    for (int t = 0; t < threads.rows(); t++) {
      if (given.get(t) == record) {
        current.add(firsts.get(t));
      }
    }
    return !current.isEmpty();
  }

  /** Number of threads whose stacks the current record has. */
  int runs() {
    return current.size();
  }

  int thread(int run) {
    return references.thread(current.get(run));
  }

  /**
   * The definitions of the keys that one of the current record's stacks is made of, if it is made
   * of one with frames of the kernel only, one with none of it, or both in that order.
   *
   * @param definitions receives them
   * @return how many there are; 0 if the stack is not like that
   */
  int keyed(int run, int[] definitions) {
    int first = current.get(run);
    int count = references.afterThread(first) - first;
    if (count > definitions.length) {
      return 0;
    }
    int halves = 0;
    for (int i = 0; i < count; i++) {
      long part = references.keyed(first + i);
      int half = (int) part >>> 30;
      if (half == 0) {
        return 0;
      }
      if (i == 0) {
        innermost = (int) part & StackKeys.NUMBER;
      }
      halves = halves << 2 | half;
      definitions[i] = (int) (part >>> 32);
    }
    return count == 1 || halves == 0b1001 ? count : 0;
  }

  /** The number of the address that the stack begins with whose keys were asked for last. */
  int innermost() {
    return innermost;
  }

  void copy(int run, StackKeys keys, StackAddresses into) {
    int last = references.afterThread(current.get(run));
    for (int i = current.get(run); i < last; i++) {
      references.copy(i, keys, into);
    }
  }
}

package io.ntrail.testkit.calls;

import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.calls.RandomCalls.Kind;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.util.List;

/** Losses of records. */
final class LostRecords {
  private LostRecords() {}

  /** Takes runs of records away; where slots are, a record of the loss replaces them. */
  static void lose(Gen gen, boolean slotted, List<Rec> records) {
    for (int runs = gen.below(4); runs >= 0 && !records.isEmpty(); runs--) {
      int at = gen.below(records.size());
      int count = Math.min(1 + gen.below(gen.oneOf(1, 3, 12)), records.size() - at);
      long when = records.get(at).time();
      records.subList(at, at + count).clear();
      if (slotted) {
        records.add(at, new Rec(Kind.LOST, when, 0, count, 0, 0, 0));
      }
    }
  }
}

package io.ntrail.testkit.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RandomProfileRecordingTest {
  private static long sum(ProfileTable table) {
    return table.rows().values().stream().mapToLong(ProfileTable.Sums::self).sum();
  }

  /** Checks invariants of any table, and that the recordings have every metric. */
  @Test
  void tablesAddUp() {
    Map<String, Integer> seen = new TreeMap<>();
    Property.check(
        150,
        g -> {
          RandomProfileRecording made = RandomProfileRecording.make(g);
          ReferenceProfiler profile = ReferenceProfiler.of(made.recording().toByteArray());
          for (int i = 0; i < 20; i++) {
            ProfileQuery query = made.query(g);
            ProfileTable table = profile.table(query);
            seen.merge(query.metric(), table.total() > 0 ? 1 : 0, Integer::sum);
            boolean ofStacks = query.by().equals("function") || query.by().equals("module");
            boolean rounded = made.recording().buffers().isEmpty() || sum(table) <= table.total();
            assertTrue(rounded, () -> query + "\n" + table);
            if (!ofStacks) {
              // Rounding down loses less than one a row.
              assertTrue(
                  sum(table) + table.rows().size() >= table.total(), () -> query + "\n" + table);
            }
            table.rows().forEach((name, sums) -> assertTrue(sums.self() <= sums.inclusive(), name));
            table
                .rows()
                .forEach((name, sums) -> assertTrue(sums.inclusive() <= table.total(), name));
          }
        });
    assertEquals(8, seen.size());
    seen.forEach((metric, count) -> assertTrue(count > 20, () -> metric + " " + seen));
  }

  /** Ranges that follow each other have the sum of the whole. */
  @Test
  void rangesAddUp() {
    Property.check(
        50,
        g -> {
          RandomProfileRecording made = RandomProfileRecording.make(g);
          ReferenceProfiler profile = ReferenceProfiler.of(made.recording().toByteArray());
          ProfileQuery query = made.query(g).time(null, null);
          Long border = made.query(g).time(null, null).fromNanos();
          long middle = border == null ? 10_000L * g.below(1000) : border;
          long first = profile.table(query.time(null, middle)).total();
          long second = profile.table(query.time(middle, null)).total();
          long whole = profile.table(query).total();
          assertTrue(first + second == whole || first + second + 1 == whole, query::toString);
        });
  }
}

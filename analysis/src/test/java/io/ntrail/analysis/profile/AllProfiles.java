package io.ntrail.analysis.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.events.Pattern;
import io.ntrail.analysis.events.SchemaSources;
import io.ntrail.analysis.events.UserSchemas;
import io.ntrail.analysis.recording.Recording;
import java.util.List;
import java.util.Map;

/** Makes every profile of a recording, however damaged, and checks that its sums hold. */
public final class AllProfiles {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  private AllProfiles() {}

  /**
   * All metrics in turn.
   *
   * @return how many weights there were
   */
  public static long check(Recording recording) {
    ProfileInput input = ProfileInput.of(recording, SOURCES, 1, false);
    long weights = 0;
    for (Metric metric : Metric.values()) {
      for (Unit unit : metric.units()) {
        weights += check(input, metric, unit);
      }
    }
    return weights;
  }

  private static long check(ProfileInput input, Metric metric, Unit unit) {
    int counter = -1;
    for (Map.Entry<Integer, Long> entry : input.inventory().pmcSources().entrySet()) {
      counter = entry.getKey();
    }
    long weights = 0;
    List<String> kinds = metric == Metric.ALLOC ? input.inventory().allocationKinds() : List.of("");
    for (String kind : kinds) {
      Profiler profiler =
          new Profiler(
              input,
              new Profiler.Request(
                  metric, unit, metric == Metric.PMC ? counter : -1, kind, ProfileScope.ALL),
              null);
      check(input, profiler);
      weights += profiler.weights();
    }
    return weights;
  }

  private static void check(ProfileInput input, Profiler profiler) {
    Functions functions = profiler.functions();
    FlatProfile flat = new FlatProfile(functions, false);
    FlatProfile modules = new FlatProfile(functions, true);
    OwnerProfile threads = new OwnerProfile(input.machine(), OwnerProfile.By.THREAD);
    CallTree down = new CallTree(input.machine(), functions, CallTree.Direction.TOP_DOWN, false);
    CallTree up = new CallTree(input.machine(), functions, CallTree.Direction.BOTTOM_UP, true);
    Callers callers = new Callers(functions, List.of(Pattern.of("*")));
    profiler.run(stack -> {
      flat.add(stack);
      modules.add(stack);
      threads.add(stack);
      down.add(stack);
      up.add(stack);
      callers.add(stack);
    });
    long total = profiler.total();
    for (List<ProfileRow> rows : List.of(flat.rows(true), modules.rows(false), threads.rows())) {
      assertEquals(total, rows.stream().mapToLong(ProfileRow::self).sum(), "rows add up");
      rows.forEach(row -> assertTrue(!row.text().isEmpty()));
    }
    tree(down, total);
    tree(up, total);
    assertTrue(profiler.withFrames() <= profiler.weights());
    assertEquals(
        callers.inclusive(), callers.callers().stream().mapToLong(Callers.Neighbour::weight).sum());
  }

  private static void tree(CallTree tree, long total) {
    tree.settle();
    assertEquals(total, tree.inclusive(0), "the root is all");
    for (int node = 1; node < tree.size(); node++) {
      assertTrue(tree.parent(node) < node && !tree.text(node).isEmpty());
    }
  }
}

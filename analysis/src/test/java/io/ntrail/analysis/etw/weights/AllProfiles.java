package io.ntrail.analysis.etw.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.profile.CallTree;
import io.ntrail.analysis.profile.CallerCalleeProfile;
import io.ntrail.analysis.profile.FlatProfile;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.OwnerProfile;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.analysis.profile.ZoomProfile;
import java.util.List;

/** Makes every profile of a recording, however damaged, and checks that its sums hold. */
public final class AllProfiles {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  /** Samples of a recording that is quickly gone over again. */
  private static final int FEW = 2_000;

  private AllProfiles() {}

  /**
   * All metrics in turn.
   *
   * @return how many weights there were
   */
  public static long check(EtwRecording recording) {
    ProfileInput input = ProfileInput.of(recording, SOURCES, 1, false);
    long weights = 0;
    for (WeightSource source : WeightSources.all()) {
      for (WeightUnit unit : source.metric().units()) {
        weights += check(input, source, unit);
      }
    }
    long samples = CpuSamples.TIMER.events(input.inventory());
    if (samples > 0 && samples < FEW) {
      ProfileInput noted =
          ProfileInput.of(
              recording,
              SOURCES,
              1,
              CpuSamples.TIMER,
              WeightUnit.NANOS,
              ProfileScope.ALL,
              WeightSubject.NONE);
      assertEquals(samples(input), samples(noted), "noted by the survey as found by a walk");
    }
    return weights;
  }

  /** Everything about the samples of the timer. */
  private static String samples(ProfileInput input) {
    Profiler profiler =
        new Profiler(
            input,
            new Profiler.Request(
                CpuSamples.TIMER, WeightUnit.NANOS, Variant.ONLY, ProfileScope.ALL),
            null);
    StringBuilder all = new StringBuilder();
    profiler.run(stack -> {
      all.append(stack.key()).append(' ').append(stack.process()).append(' ');
      all.append(stack.thread()).append(' ').append(stack.cpu()).append(' ');
      all.append(stack.weight()).append(' ').append(stack.isRecorded());
      for (int i = 0; i < stack.count(); i++) {
        all.append(' ').append(profiler.functions().text(stack.function(i)));
      }
      all.append('\n');
    });
    return all.append(profiler.total())
        .append(' ')
        .append(profiler.idle())
        .append(' ')
        .append(profiler.references())
        .append(' ')
        .append(profiler.unmatched())
        .append(' ')
        .append(profiler.undefined())
        .append(' ')
        .append(profiler.leftOut())
        .append(' ')
        .append(profiler.remarks().unattributed())
        .toString();
  }

  /** Frames shown in other ways, and hits. */
  private static final FrameRules RULES =
      new FrameRules(
          true,
          true,
          true,
          List.of(new FrameRules.Group(NamePattern.of("*a*"), "group")),
          List.of(NamePattern.of("*.sys"), NamePattern.of("/n.*[0-4]00$/")));

  private static void ruled(ProfileInput input, Profiler.Request request) {
    Profiler profiler = new Profiler(input, request, null, RULES);
    FlatProfile flat = new FlatProfile(profiler.functions(), false);
    CallTree tree =
        new CallTree(input.machine(), profiler.functions(), CallTree.Direction.TOP_DOWN, false);
    profiler.run(stack -> {
      flat.add(stack);
      tree.add(stack);
    });
    assertEquals(profiler.total(), flat.rows(true).stream().mapToLong(ProfileRow::self).sum());
    tree(tree, profiler.total());
  }

  private static void hits(ProfileInput input, Profiler.Request request) {
    Profiler profiler = new Profiler(input, request, null);
    ZoomProfile zoom = new ZoomProfile(32, List.of(NamePattern.of("*")));
    profiler.run(zoom);
    assertEquals(profiler.total(), zoom.modules().stream().mapToLong(ZoomProfile.Row::hits).sum());
    for (ZoomProfile.Module module : zoom.zoomed()) {
      assertEquals(module.hits(), module.rows().stream().mapToLong(ZoomProfile.Row::hits).sum());
      assertTrue(module.elsewhere() <= module.hits());
    }
  }

  private static long check(ProfileInput input, WeightSource source, WeightUnit unit) {
    long weights = 0;
    for (Variant variant : source.variants(input.inventory())) {
      Profiler.Request request = new Profiler.Request(source, unit, variant, ProfileScope.ALL);
      Profiler profiler = new Profiler(input, request, null);
      check(input, profiler);
      if (source.equals(CpuSamples.TIMER) || source.equals(ThreadWaits.WAIT)) {
        ruled(input, request);
      }
      if (source.metric().has(Metric.Trait.SAMPLED)) {
        hits(input, request);
      }
      weights += profiler.weights();
    }
    return weights;
  }

  private static void check(ProfileInput input, Profiler profiler) {
    FunctionIndex functions = profiler.functions();
    FlatProfile flat = new FlatProfile(functions, false);
    FlatProfile modules = new FlatProfile(functions, true);
    OwnerProfile threads = new OwnerProfile(input.machine(), OwnerProfile.By.THREAD);
    CallTree down = new CallTree(input.machine(), functions, CallTree.Direction.TOP_DOWN, false);
    CallTree up = new CallTree(input.machine(), functions, CallTree.Direction.BOTTOM_UP, true);
    CallerCalleeProfile callers = new CallerCalleeProfile(functions, List.of(NamePattern.of("*")));
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
        callers.inclusive(),
        callers.callers().stream().mapToLong(CallerCalleeProfile.Neighbour::weight).sum());
  }

  private static void tree(CallTree tree, long total) {
    tree.settle();
    assertEquals(total, tree.inclusive(0), "the root is all");
    for (int node = 1; node < tree.size(); node++) {
      assertTrue(tree.parent(node) < node && !tree.text(node).isEmpty());
    }
  }
}

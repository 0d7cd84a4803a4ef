package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.etw.events.EventCounts;
import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.Overview;
import io.ntrail.analysis.etw.events.ProviderCounts;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.Variant;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The owner and the stack of every event of the shared recordings, asked of the list of events, of
 * the counts, of the overview and of profiles: there is one answer.
 */
@EnabledIf(
    value = "io.ntrail.analysis.etw.recording.SharedTable#present",
    disabledReason = "no shared recordings on this machine")
class OneAttributionTest {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);
  private static final EventFilter ALL = new EventFilter.Builder().build();

  static List<SharedTable.Row> rows() {
    return SharedTable.rows();
  }

  private record Owned(int process, int thread, boolean stack) {}

  /** Returns what a profile of all events says of each, in their order. */
  private static List<Owned> profiled(EtwRecording recording) {
    Profiler profiler =
        new Profiler(
            ProfileInput.of(recording, SOURCES, 2, true),
            new Profiler.Request(
                WeightSources.ofNamedEvents(), WeightUnit.COUNT, Variant.ONLY, ProfileScope.ALL),
            null);
    List<Owned> events = new ArrayList<>();
    profiler.run(
        stack -> events.add(new Owned(stack.process(), stack.thread(), stack.isRecorded())));
    return events;
  }

  private static Events.Walk walk(EtwRecording recording) {
    return Events.of(recording, SOURCES, 2, Events.Learn.STACKS)
        .walkWithStacks(ALL, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void listsAndProfilesNameTheSameProcessThreadAndStackOfEveryEvent(SharedTable.Row row) {
    Map<String, Long> listed = new TreeMap<>();
    Map<String, Long> weighed = new TreeMap<>();
    try (EtwRecording recording = row.open();
        Events.Walk walk = walk(recording)) {
      List<Owned> profiled = profiled(recording);
      int at = 0;
      while (walk.next()) {
        EventReader event = walk.event();
        String type = event.type().text() + " ";
        Owned owned = new Owned(event.processId(), event.threadId(), walk.hasStack());
        listed.merge(type + owned, 1L, Long::sum);
        weighed.merge(type + profiled.get(at++), 1L, Long::sum);
      }
      assertEquals(profiled.size(), at);
    }
    assertEquals(listed, weighed);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void countsAndOverviewsHaveTheStacksOfTheWalk(SharedTable.Row row) {
    try (EtwRecording recording = row.open();
        Events.Walk walk = walk(recording)) {
      Map<String, Long> walked = new TreeMap<>();
      while (walk.next()) {
        walked.merge(walk.event().type().guid().toString(), walk.hasStack() ? 1L : 0L, Long::sum);
      }
      EventCounts counts = EventCounts.of(recording, 2);
      assertEquals(
          walked,
          counts.rows().stream()
              .collect(
                  Collectors.groupingBy(
                      counted -> counted.providerGuid().toString(),
                      TreeMap::new,
                      Collectors.summingLong(EventCounts.Row::withStack))));
      assertEquals(
          walked.values().stream().mapToLong(stacks -> stacks).sum(),
          Overview.of(recording, 2).sources().rows().stream()
              .mapToLong(ProviderCounts.Row::withStack)
              .sum());
    }
  }
}

package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.baseline.Baseline;
import io.ntrail.testkit.baseline.BaselineComparison;
import io.ntrail.testkit.baseline.BaselineEvent;
import io.ntrail.testkit.baseline.DecodedValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Holds every line of a baseline against what we say about the same recording. */
final class PerfViewComparison {
  /** A line that no event of ours was found for, and what events of its time and kind differ in. */
  record Line(BaselineEvent event, List<String> differences) {}

  private final Baseline baseline;
  private final Map<Long, List<Line>> open = new LinkedHashMap<>();
  private final PerfViewFields values = new PerfViewFields();

  /** Lines that an event was found for. */
  int lines;

  /** Fields of those lines, the columns that every line has not counted. */
  int fields;

  /** Of them, computed here from our values. */
  int computed;

  /** Listed differences that were met, by {@code Task/Opcode Field}, and how often. */
  final Map<String, Integer> listed = new TreeMap<>();

  /** Our events by PerfView's names. */
  final Map<String, Long> counts = new TreeMap<>();

  private PerfViewComparison(Baseline baseline) {
    this.baseline = baseline;
    for (BaselineEvent event : baseline.events()) {
      open.computeIfAbsent(event.micros(), m -> new ArrayList<>())
          .add(new Line(event, new ArrayList<>()));
    }
  }

  static PerfViewComparison of(String recording) throws IOException {
    PerfViewComparison comparison = new PerfViewComparison(Baseline.of(recording));
    try (EtwRecording file =
        RecordingInput.openEtw(List.of(TestData.file("etl/" + recording + ".etl.gz")))) {
      Events events = Events.of(file, new SchemaSources(UserSchemas.NONE), 2);
      EventFilter types = new EventFilter.Builder().event("*/Type/BulkType").build();
      try (Events.Walk walk = events.walk(types)) {
        while (walk.next()) {
          comparison.values.types(walk.event());
        }
      }
      try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
        while (walk.next()) {
          comparison.visit(walk.event());
        }
      }
    }
    return comparison;
  }

  Baseline baseline() {
    return baseline;
  }

  /** Lines that no event was found for. */
  List<Line> missed() {
    return open.values().stream().flatMap(List::stream).toList();
  }

  private void visit(EventReader event) {
    String name = PerfViewNames.of(event.type());
    if (PerfViewNames.isCounted(name, event)) {
      counts.merge(name, 1L, Long::sum);
    }
    values.note(name.substring(name.indexOf('/') + 1), event);
    long micros = Math.round(event.nanos() / 1e3);
    for (long at = micros - 1; at <= micros + 1; at++) {
      List<Line> candidates = open.getOrDefault(at, List.of());
      for (Line line : candidates) {
        if (line.event().name().equals(name)
            && line.event().isAt(event.nanos(), 1_000_000_000)
            && isOf(line, event)) {
          candidates.remove(line);
          return;
        }
      }
    }
  }

  /** Returns true if a line matches an event; notes the difference otherwise. */
  private boolean isOf(Line line, EventReader event) {
    BaselineEvent printed = line.event();
    Pairing pairing = new Pairing(printed.event());
    pairing.column("DataLen", printed.dataLength(), event.record().payloadLength());
    pairing.column("ProceNum", printed.cpu(), event.record().cpu());
    pairing.column("PID", printed.process(), event.processId());
    pairing.column("TID", printed.thread(), event.threadId());
    pairing.column("PName", printed.processName(), PerfViewNames.processName(event));
    Map<String, DecodedValue> ours = DecodedEvent.fields(event);
    printed
        .fields()
        .forEach((name, value) ->
            pairing.field(name, value, values.find(printed.event(), name, event, ours)));
    if (!pairing.wrong.isEmpty()) {
      line.differences().addAll(pairing.wrong);
      return false;
    }
    lines++;
    fields += printed.fields().size();
    computed += pairing.computed;
    pairing.listed.forEach(key -> listed.merge(key, 1, Integer::sum));
    return true;
  }

  /** One line beside one event. */
  private static final class Pairing {
    private final String kind;
    final List<String> wrong = new ArrayList<>();
    final List<String> listed = new ArrayList<>();
    int computed;

    Pairing(String kind) {
      this.kind = kind;
    }

    void column(String name, Object printed, Object ours) {
      if (!printed.equals(ours)) {
        differ(name, ours, printed);
      }
    }

    void field(String name, String printed, PerfViewFields.@Nullable Found found) {
      if (found == null) {
        differ(name, "unknown", printed);
      } else if (!BaselineComparison.same(printed, found.value())) {
        differ(name, found.value(), printed);
      } else if (found.computed()) {
        computed++;
      }
    }

    private void differ(String name, Object ours, Object printed) {
      String key = PerfViewDifferences.key(kind, name);
      if (key == null) {
        wrong.add(name + " is " + ours + ", printed " + printed);
      } else {
        listed.add(key);
      }
    }
  }
}

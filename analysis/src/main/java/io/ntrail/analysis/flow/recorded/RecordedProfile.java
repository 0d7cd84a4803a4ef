package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.calls.FlowCalls;
import io.ntrail.analysis.flow.calls.FlowFunction;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.analysis.flow.calls.FlowProfile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Instructions and calls of each function of all pieces, processes together: a function is known by
 * its module and its place there. For one thread.
 */
public final class RecordedProfile {
  /** Address spaces whose sums are kept apart, until they are put together with the others. */
  private static final int MOST_SPACES = 64;

  /**
   * A function.
   *
   * @param label {@code module!name}, or its address where it has no module
   * @param self instructions of itself
   * @param total instructions of itself and of all that it called
   */
  public record Row(String label, long self, long total, long calls) {
    private Row plus(Row other) {
      return new Row(label, self + other.self, total + other.total, calls + other.calls);
    }
  }

  private record Key(@Nullable String module, long place, String name) {}

  private final Map<FlowFunctions, FlowProfile> spaces = new HashMap<>();
  private final Map<Key, Row> rows = new HashMap<>();
  private @Nullable FlowProfile current;

  /** Nothing was executed yet. */
  public RecordedProfile() {}

  /** Returns who takes the flow of a piece. */
  public FlowSink begin(RecordedPiece piece) {
    FlowFunctions functions = piece.functions();
    if (!spaces.containsKey(functions) && spaces.size() >= MOST_SPACES) {
      fold();
    }
    FlowProfile profile = spaces.computeIfAbsent(functions, _ -> new FlowProfile());
    current = profile;
    return new FlowCalls(functions, profile);
  }

  /** Ends a piece: what is open in it is over. */
  public void end() {
    if (current != null) {
      current.finish();
    }
  }

  private void fold() {
    spaces.forEach((functions, profile) -> {
      for (FlowFunction function : functions.met()) {
        long total = profile.total(function.number());
        if (total > 0) {
          Row row =
              new Row(
                  function.label(),
                  profile.own(function.number()),
                  total,
                  profile.calls(function.number()));
          rows.merge(key(function), row, Row::plus);
        }
      }
    });
    spaces.clear();
  }

  private static Key key(FlowFunction function) {
    return function.module() == null
        ? new Key(null, function.start(), function.name())
        : new Key(
            function.module().path(), function.start() - function.module().base(), function.name());
  }

  /** Returns the functions, those with the most instructions of their own first. */
  public List<Row> rows() {
    fold();
    return rows.values().stream()
        .sorted(
            Comparator.comparingLong((Row row) -> -row.self)
                .thenComparingLong(row -> -row.total)
                .thenComparing(Row::label))
        .toList();
  }
}

package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.calls.CodeModule;
import io.ntrail.analysis.flow.calls.FlowCalls;
import io.ntrail.analysis.flow.calls.FlowFunction;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.analysis.flow.calls.FlowProfile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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
   * @param module name of its file without the folder; null for code of no file that is known
   * @param place address where it begins, relative to its module if it has one
   * @param name empty if it is not known
   * @param self instructions of itself
   * @param total instructions of itself and of all that it called
   */
  public record Row(
      @Nullable String module, long place, String name, long self, long total, long calls) {
    private Row plus(Row other) {
      return new Row(
          module, place, name, self + other.self, total + other.total, calls + other.calls);
    }

    /** Returns it as {@code module!name}, or its address where that is not known. */
    public String label() {
      if (module == null) {
        return name.isEmpty() ? "0x" + Long.toHexString(place) : name;
      }
      String rva = "0x" + Long.toHexString(place).toUpperCase(Locale.ROOT);
      return module + "!" + (name.isEmpty() ? rva : name);
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
          CodeModule module = function.module();
          long place = module == null ? function.start() : function.start() - module.base();
          Row row =
              new Row(
                  module == null ? null : module.name(),
                  place,
                  function.name(),
                  profile.own(function.number()),
                  total,
                  profile.calls(function.number()));
          String path = module == null ? null : module.path();
          rows.merge(new Key(path, place, function.name()), row, Row::plus);
        }
      }
    });
    spaces.clear();
  }

  /** Adds what another one has seen, which is not used any more. */
  public void add(RecordedProfile other) {
    other.fold();
    other.rows.forEach((key, row) -> rows.merge(key, row, Row::plus));
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

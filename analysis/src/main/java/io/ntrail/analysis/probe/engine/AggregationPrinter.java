package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.aggregation.Aggregate;
import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.aggregation.Aggregation.Entry;
import io.ntrail.analysis.probe.aggregation.BarStyle;
import io.ntrail.analysis.probe.aggregation.Buckets;
import io.ntrail.analysis.probe.aggregation.Distribution;
import io.ntrail.analysis.probe.aggregation.EntryOrder;
import io.ntrail.analysis.probe.aggregation.PackedDistributions;
import io.ntrail.analysis.probe.types.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Prints the values of aggregations, as a table or by a format. */
final class AggregationPrinter {
  /** Room of strings and of numbers of eight bytes in tables of bars. */
  private static final int KEY = 16;

  private final Options options;
  private final Consumer to;

  AggregationPrinter(Options options, Consumer to) {
    this.options = options;
    this.to = to;
  }

  /**
   * Prints aggregations with the same keys beside each other.
   *
   * @param format empty: as a table
   */
  void print(List<Aggregation> all, Optional<Format> format) {
    int leader = Math.clamp(options.get("aggsortpos"), 0, all.size() - 1);
    List<Map<Object, Entry>> byKey = new ArrayList<>();
    Map<Object, Entry> keys = new HashMap<>();
    for (Aggregation one : all) {
      Map<Object, Entry> its = new HashMap<>();
      one.entries().forEach(entry -> its.put(Aggregation.key(entry.keys()), entry));
      byKey.add(its);
      its.forEach(keys::putIfAbsent);
    }
    List<Entry> sorted = new ArrayList<>(keys.values());
    sorted.sort(compared(all, byKey, leader));
    if (format.isEmpty() && all.size() == 1 && !sorted.isEmpty()) {
      Aggregation only = all.getFirst();
      if (options.is("agghist") && isCounted(only)) {
        histogram(only, sorted);
        return;
      }
      if (options.is("aggpack") && PackedDistributions.has(only.function())) {
        packed(only, sorted);
        return;
      }
    }
    for (Entry entry : sorted) {
      Object key = Aggregation.key(entry.keys());
      List<Entry> row = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        row.add(
            byKey.get(i).getOrDefault(key, new Entry(entry.keys(), all.get(i).function().fresh())));
      }
      if (format.isPresent()) {
        to.print(format.get().text(all, row, options.bars()));
      } else {
        to.print(table(all, row));
      }
    }
  }

  /** Returns the order of keys: the values of the leader count first, then those that follow it. */
  private Comparator<Entry> compared(
      List<Aggregation> all, List<Map<Object, Entry>> byKey, int leader) {
    EntryOrder order = options.order();
    Comparator<Entry> byValue = (_, _) -> 0;
    for (int i = 0; i < all.size(); i++) {
      int at = (leader + i) % all.size();
      Aggregation one = all.get(at);
      byValue =
          byValue.thenComparing((left, right) ->
              one.function()
                  .compare(
                      of(one, byKey.get(at), left).state(), of(one, byKey.get(at), right).state()));
    }
    return order.of(byValue);
  }

  private static boolean isCounted(Aggregation aggregation) {
    return aggregation.function() == Aggregate.Scalar.COUNT
        || aggregation.function() == Aggregate.Scalar.SUM;
  }

  /** Prints the values of an aggregation as bars of one table. */
  private void histogram(Aggregation of, List<Entry> entries) {
    long[] values = new long[entries.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = entries.get(i).state()[0];
    }
    BarStyle bars = options.bars();
    BarStyle.Scale scale = bars.scale(values, 0, values.length - 1).floored();
    int width = narrowWidth(of.keyTypes());
    to.print(Distribution.head(width == 0 ? "value" : "key", width == 0 ? KEY : width));
    for (int i = 0; i < values.length; i++) {
      to.print(
          "%s %s %-9d\n"
              .formatted(
                  narrow(of.keyTypes(), entries.get(i)),
                  bars.bar(values[i], scale),
                  values[i] / of.normal()));
    }
  }

  /** Prints the distributions of an aggregation with a line for each key. */
  private void packed(Aggregation of, List<Entry> entries) {
    PackedDistributions lines =
        PackedDistributions.of((Buckets) of.function(), entries, options.bars());
    to.print(lines.head(narrowWidth(of.keyTypes())));
    for (Entry entry : entries) {
      to.print(narrow(of.keyTypes(), entry) + lines.line(entry.state()));
    }
  }

  /** Returns the width of keys in tables of bars, each with the blank before it. */
  private static int narrowWidth(List<Type> types) {
    int width = 0;
    for (Type type : types) {
      width +=
          type instanceof Type.Integral
              ? switch (type.size()) {
                case 1 -> 4;
                case 2 -> 6;
                case 4 -> 9;
                default -> KEY + 1;
              }
              : KEY + 1;
    }
    return width;
  }

  /** Returns the keys as tables of bars have them: strings at the right of less room. */
  private String narrow(List<Type> types, Entry entry) {
    StringBuilder keys = new StringBuilder();
    for (int i = 0; i < types.size(); i++) {
      Object key = entry.keys()[i];
      boolean isText = types.get(i) instanceof Type.Text;
      keys.append(isText ? " %16s".formatted(key) : key(types.get(i), key));
    }
    return keys.toString();
  }

  private static Entry of(Aggregation aggregation, Map<Object, Entry> byKey, Entry other) {
    Entry its = byKey.get(Aggregation.key(other.keys()));
    return its != null ? its : new Entry(other.keys(), aggregation.function().fresh());
  }

  private String table(List<Aggregation> all, List<Entry> row) {
    StringBuilder text = new StringBuilder();
    List<Type> types = all.getFirst().keyTypes();
    for (int i = 0; i < types.size(); i++) {
      text.append(key(types.get(i), row.getFirst().keys()[i]));
    }
    for (int i = 0; i < all.size(); i++) {
      text.append(value(all.get(i), row.get(i)));
    }
    return text.append('\n').toString();
  }

  /** Returns a key as tables have it: of one and two bytes without sign. */
  private String key(Type type, Object key) {
    if (key instanceof List<?> frames) {
      return StackText.of(frames, options.get("stackindent"));
    }
    if (key instanceof Long number) {
      return switch (type.size()) {
        case 1 -> " %3d".formatted(number & 0xFF);
        case 2 -> " %5d".formatted(number & 0xFFFF);
        case 4 -> " %8d".formatted((int) (long) number);
        default -> " %16d".formatted(number);
      };
    }
    return "  %-50s".formatted(key);
  }

  /** Returns the value as a table has it. */
  private String value(Aggregation aggregation, Entry entry) {
    return switch (aggregation.function()) {
      case Aggregate.Scalar scalar ->
          " %16d".formatted(scalar.value(entry.state(), aggregation.normal()));
      case Buckets buckets ->
          Distribution.text(buckets, entry.state(), aggregation.normal(), options.bars());
    };
  }

  /** Format of printa(). */
  @FunctionalInterface
  interface Format {
    /** Returns the text of one key. */
    String text(List<Aggregation> aggregations, List<Entry> row, BarStyle bars);
  }
}

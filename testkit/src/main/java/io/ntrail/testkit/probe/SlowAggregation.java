package io.ntrail.testkit.probe;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Aggregation of a random program: it keeps all values, and sums them up where it is printed.
 *
 * @param range base, limit and step of lquantize
 */
record SlowAggregation(String name, String function, List<SlowType> keyTypes, List<Integer> range) {
  private static final BigInteger LEAST = BigInteger.ONE.shiftLeft(62).negate();

  /** Returns the text of the call that adds a value. */
  String call(String value, String weight) {
    String last = weight.isEmpty() ? "" : ", " + weight;
    return range.isEmpty()
        ? function + "(" + value + last + ")"
        : "%s(%s, %d, %d, %d%s)"
            .formatted(function, value, range.get(0), range.get(1), range.get(2), last);
  }

  /** Value and its weight. */
  record Added(BigInteger value, long weight) {}

  /** Values by key, and how they are printed; a key is a number or a string. */
  static final class Rows {
    private final Map<List<Object>, List<Added>> rows = new LinkedHashMap<>();
    private long normal = 1;
    private boolean isPrinted;

    void add(List<Object> key, BigInteger value, long weight) {
      rows.computeIfAbsent(key, _ -> new ArrayList<>()).add(new Added(value, weight));
    }

    boolean isPrinted() {
      return isPrinted;
    }
  }

  /** Returns the format that printa() gets: all keys, and the value. */
  String format() {
    StringBuilder format = new StringBuilder();
    for (SlowType type : keyTypes) {
      format.append(type == SlowType.STRING ? "%s|" : "%d|");
    }
    return format.append("%@d\\n").toString();
  }

  /** Does something to the values; returns the text that it prints. */
  String changed(Rows rows, String action, int by) {
    switch (action) {
      case "clear" -> rows.rows.values().forEach(List::clear);
      case "normalize" -> rows.normal = by;
      case "denormalize" -> rows.normal = 1;
      case "trunc" -> {
        List<Map.Entry<List<Object>, List<Added>>> sorted = sorted(rows);
        int gone = Math.max(0, sorted.size() - Math.abs(by));
        List<Map.Entry<List<Object>, List<Added>>> out =
            by < 0 ? sorted.subList(sorted.size() - gone, sorted.size()) : sorted.subList(0, gone);
        out.stream().map(Map.Entry::getKey).toList().forEach(rows.rows::remove);
      }
      default -> {
        rows.isPrinted = true;
        return printed(rows);
      }
    }
    return "";
  }

  private String printed(Rows rows) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<List<Object>, List<Added>> row : sorted(rows)) {
      for (int i = 0; i < keyTypes.size(); i++) {
        Object key = row.getKey().get(i);
        text.append(key).append('|');
      }
      text.append(
          isDistribution()
              ? distribution(row.getValue(), rows.normal)
              : scalar(row.getValue(), BigInteger.valueOf(rows.normal)));
      text.append('\n');
    }
    return text.toString();
  }

  private List<Map.Entry<List<Object>, List<Added>>> sorted(Rows rows) {
    List<Map.Entry<List<Object>, List<Added>>> sorted = new ArrayList<>();
    rows.rows.forEach((key, values) -> sorted.add(Map.entry(key, values)));
    Comparator<Map.Entry<List<Object>, List<Added>>> byValue =
        (left, right) -> compare(left.getValue(), right.getValue());
    sorted.sort(byValue.thenComparing((left, right) -> keys(left.getKey(), right.getKey())));
    return sorted;
  }

  /** Returns the table that a program prints at its end. */
  String table(Rows rows) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<List<Object>, List<Added>> row : sorted(rows)) {
      for (int i = 0; i < keyTypes.size(); i++) {
        text.append(key(keyTypes.get(i), row.getKey().get(i)));
      }
      text.append(
          isDistribution()
              ? distribution(row.getValue(), rows.normal)
              : " " + right(scalar(row.getValue(), BigInteger.valueOf(rows.normal)), 16));
      text.append('\n');
    }
    return text.toString();
  }

  private boolean isDistribution() {
    return function.endsWith("quantize");
  }

  private static int keys(List<Object> left, List<Object> right) {
    for (int i = 0; i < left.size(); i++) {
      int order =
          left.get(i) instanceof BigInteger number
              ? SlowType.wide(number, false)
                  .compareTo(SlowType.wide((BigInteger) right.get(i), false))
              : ((String) left.get(i)).compareTo((String) right.get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static String key(SlowType type, Object key) {
    if (key instanceof BigInteger number) {
      BigInteger unsigned = number.mod(BigInteger.ONE.shiftLeft(8 * type.bytes()));
      return switch (type.bytes()) {
        case 1 -> " " + right(unsigned, 3);
        case 2 -> " " + right(unsigned, 5);
        case 4 -> " " + right(BigInteger.valueOf(number.intValue()), 8);
        default -> " " + right(BigInteger.valueOf(number.longValue()), 16);
      };
    }
    String text = (String) key;
    return "  " + text + " ".repeat(Math.max(0, 50 - text.length()));
  }

  private static String right(Object value, int width) {
    String text = value.toString();
    return " ".repeat(Math.max(0, width - text.length())) + text;
  }

  private static BigInteger sum(List<Added> values) {
    return SlowType.wide(
        values.stream().map(Added::value).reduce(BigInteger.ZERO, BigInteger::add), true);
  }

  private BigInteger scalar(List<Added> values, BigInteger normal) {
    if (values.isEmpty()) {
      return BigInteger.ZERO;
    }
    BigInteger count = BigInteger.valueOf(values.size());
    return switch (function) {
      case "count" -> count.divide(normal);
      case "sum" -> sum(values).divide(normal);
      case "min" ->
          values.stream().map(Added::value).reduce(BigInteger::min).orElseThrow().divide(normal);
      case "max" ->
          values.stream().map(Added::value).reduce(BigInteger::max).orElseThrow().divide(normal);
      case "avg" -> sum(values).divide(normal).divide(count);
      case "stddev" -> {
        BigInteger squares =
            values.stream()
                .map(one -> one.value().multiply(one.value()))
                .reduce(BigInteger.ZERO, BigInteger::add);
        BigInteger mean = sum(values).divide(normal).divide(count);
        BigInteger variance =
            squares.divide(normal).divide(normal).divide(count).subtract(mean.multiply(mean));
        yield variance.signum() < 0 ? BigInteger.ZERO : variance.sqrt();
      }
      default -> throw new IllegalStateException(function);
    };
  }

  private int compare(List<Added> left, List<Added> right) {
    if (isDistribution()) {
      int bySum = weighted(left).compareTo(weighted(right));
      if (bySum != 0 || !hasZero()) {
        return bySum;
      }
      return Long.compare(weight(left, BigInteger.ZERO), weight(right, BigInteger.ZERO));
    }
    if (function.equals("avg")) {
      return sum(left)
          .multiply(BigInteger.valueOf(Math.max(1, right.size())))
          .compareTo(sum(right).multiply(BigInteger.valueOf(Math.max(1, left.size()))));
    }
    return scalar(left, BigInteger.ONE).compareTo(scalar(right, BigInteger.ONE));
  }

  private boolean hasZero() {
    if (range.isEmpty()) {
      return true;
    }
    int base = range.getFirst();
    return base <= 0 && range.get(1) > 0 && base % range.get(2) == 0;
  }

  private long weight(List<Added> values, BigInteger bucket) {
    return values.stream()
        .filter(one -> bucket(one.value()).equals(bucket))
        .mapToLong(Added::weight)
        .sum();
  }

  private BigInteger weighted(List<Added> values) {
    return values.stream()
        .map(one -> bucket(one.value()).multiply(BigInteger.valueOf(one.weight())))
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  /** Returns the value that stands for the range of another one. */
  private BigInteger bucket(BigInteger value) {
    if (range.isEmpty()) {
      if (value.signum() == 0) {
        return BigInteger.ZERO;
      }
      BigInteger bucket = BigInteger.ONE;
      while (bucket.shiftLeft(1).compareTo(value.abs()) <= 0) {
        bucket = bucket.shiftLeft(1);
      }
      return value.signum() > 0 ? bucket : bucket.negate().max(LEAST);
    }
    long cut = value.intValue();
    long base = range.get(0);
    long limit = range.get(1);
    long step = range.get(2);
    long levels = (limit - base) / step;
    if (cut < base) {
      return BigInteger.valueOf(base - 1);
    }
    long level = Math.min((cut - base) / step, levels);
    return BigInteger.valueOf(base + level * step + (level == levels ? 1 : 0));
  }

  /** Returns all ranges with their names, in order. */
  private Map<BigInteger, String> buckets() {
    Map<BigInteger, String> all = new TreeMap<>();
    if (range.isEmpty()) {
      all.put(BigInteger.ZERO, "0");
      for (int i = 0; i < 63; i++) {
        BigInteger power = BigInteger.ONE.shiftLeft(i);
        all.put(power, power.toString());
        all.put(power.negate(), power.negate().toString());
      }
      return all;
    }
    int base = range.get(0);
    int step = range.get(2);
    int levels = (range.get(1) - base) / step;
    all.put(BigInteger.valueOf(base - 1L), "< " + base);
    for (int i = 0; i < levels; i++) {
      all.put(BigInteger.valueOf(base + (long) i * step), "" + (base + i * step));
    }
    int end = base + levels * step;
    all.put(BigInteger.valueOf(end + 1L), ">= " + end);
    return all;
  }

  private String distribution(List<Added> values, long normal) {
    List<String> labels = List.copyOf(buckets().values());
    long[] weights =
        buckets().keySet().stream().mapToLong(bucket -> weight(values, bucket)).toArray();
    int first = 0;
    int last = weights.length - 1;
    while (first < last && weights[first] == 0) {
      first++;
    }
    while (last > first && weights[last] == 0) {
      last--;
    }
    if (weights[first] == 0) {
      // Nothing is in it: the ranges around zero, or the first three.
      first = range.isEmpty() ? 63 : 1;
      last = first;
    }
    first = Math.max(0, first - 1);
    last = Math.min(weights.length - 1, last + 1);
    long total = Arrays.stream(weights).map(Math::abs).sum();
    boolean hasPositive = Arrays.stream(weights).anyMatch(one -> one > 0);
    boolean hasNegative = Arrays.stream(weights).anyMatch(one -> one < 0);
    StringBuilder text =
        new StringBuilder(
            "\n           value  ------------- Distribution ------------- count    \n");
    for (int i = first; i <= last; i++) {
      String count = Long.toString(weights[i] / normal);
      text.append(right(labels.get(i), 16))
          .append(' ')
          .append(bar(weights[i], total, hasPositive, hasNegative))
          .append(' ')
          .append(count)
          .append(" ".repeat(9 - count.length()))
          .append('\n');
    }
    return text.toString();
  }

  private static String bar(long weight, long total, boolean hasPositive, boolean hasNegative) {
    int room = hasPositive && hasNegative ? 20 : 40;
    // Rounded to the nearest, in whole numbers.
    long ats = total == 0 ? 0 : (2L * room * Math.abs(weight) + total) / (2L * total);
    String signs = "@".repeat((int) ats);
    String blanks = " ".repeat(room - (int) ats);
    if (!hasNegative) {
      return "|" + signs + blanks;
    }
    if (!hasPositive) {
      return blanks + signs + "|";
    }
    return weight > 0
        ? " ".repeat(room) + "|" + signs + blanks
        : blanks + signs + "|" + " ".repeat(room);
  }
}

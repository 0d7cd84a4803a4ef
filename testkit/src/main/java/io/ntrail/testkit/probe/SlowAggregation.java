package io.ntrail.testkit.probe;

import java.math.BigInteger;
import java.util.ArrayList;
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
  String call(String arguments) {
    return range.isEmpty()
        ? function + "(" + arguments + ")"
        : function
            + "("
            + arguments
            + ", %d, %d, %d)".formatted(range.get(0), range.get(1), range.get(2));
  }

  /** Values by key; a key is a number or a string. */
  static final class Rows {
    private final Map<List<Object>, List<BigInteger>> rows = new LinkedHashMap<>();

    void add(List<Object> key, BigInteger value) {
      rows.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
    }
  }

  /** Returns the table that a program prints at its end. */
  String table(Rows rows) {
    List<Map.Entry<List<Object>, List<BigInteger>>> sorted = new ArrayList<>(rows.rows.entrySet());
    sorted.sort(
        Comparator.<Map.Entry<List<Object>, List<BigInteger>>>comparingInt(_ -> 0)
            .thenComparing((left, right) -> compare(left.getValue(), right.getValue()))
            .thenComparing((left, right) -> keys(left.getKey(), right.getKey())));
    StringBuilder text = new StringBuilder();
    for (Map.Entry<List<Object>, List<BigInteger>> row : sorted) {
      for (int i = 0; i < keyTypes.size(); i++) {
        text.append(key(keyTypes.get(i), row.getKey().get(i)));
      }
      text.append(isDistribution() ? distribution(row.getValue()) : number(row.getValue()));
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

  private static BigInteger sum(List<BigInteger> values) {
    return SlowType.wide(values.stream().reduce(BigInteger.ZERO, BigInteger::add), true);
  }

  private String number(List<BigInteger> values) {
    return " " + right(scalar(values), 16);
  }

  private BigInteger scalar(List<BigInteger> values) {
    BigInteger count = BigInteger.valueOf(values.size());
    return switch (function) {
      case "count" -> count;
      case "sum" -> sum(values);
      case "min" -> values.stream().min(Comparator.naturalOrder()).orElseThrow();
      case "max" -> values.stream().max(Comparator.naturalOrder()).orElseThrow();
      case "avg" -> sum(values).divide(count);
      case "stddev" -> {
        BigInteger squares =
            values.stream().map(one -> one.multiply(one)).reduce(BigInteger.ZERO, BigInteger::add);
        BigInteger mean = sum(values).divide(count);
        BigInteger variance = squares.divide(count).subtract(mean.multiply(mean));
        yield variance.signum() < 0 ? BigInteger.ZERO : variance.sqrt();
      }
      default -> throw new IllegalStateException(function);
    };
  }

  private int compare(List<BigInteger> left, List<BigInteger> right) {
    if (isDistribution()) {
      int bySum = weighted(left).compareTo(weighted(right));
      if (bySum != 0 || !hasZero()) {
        return bySum;
      }
      return Long.compare(weight(left, BigInteger.ZERO), weight(right, BigInteger.ZERO));
    }
    if (function.equals("avg")) {
      return sum(left)
          .multiply(BigInteger.valueOf(right.size()))
          .compareTo(sum(right).multiply(BigInteger.valueOf(left.size())));
    }
    return scalar(left).compareTo(scalar(right));
  }

  private boolean hasZero() {
    if (range.isEmpty()) {
      return true;
    }
    int base = range.getFirst();
    return base <= 0 && range.get(1) > 0 && base % range.get(2) == 0;
  }

  private long weight(List<BigInteger> values, BigInteger bucket) {
    return values.stream().filter(one -> bucket(one).equals(bucket)).count();
  }

  private BigInteger weighted(List<BigInteger> values) {
    return values.stream().map(this::bucket).reduce(BigInteger.ZERO, BigInteger::add);
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

  private String distribution(List<BigInteger> values) {
    List<Map.Entry<BigInteger, String>> all = new ArrayList<>(buckets().entrySet());
    List<Integer> used = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (weight(values, all.get(i).getKey()) > 0) {
        used.add(i);
      }
    }
    StringBuilder text =
        new StringBuilder(
            "\n           value  ------------- Distribution ------------- count    \n");
    int last = Math.min(all.size() - 1, used.getLast() + 1);
    for (int i = Math.max(0, used.getFirst() - 1); i <= last; i++) {
      long weight = weight(values, all.get(i).getKey());
      // Rounded to the nearest, in whole numbers.
      int ats = (int) ((2 * 40 * weight + values.size()) / (2L * values.size()));
      String count = Long.toString(weight);
      text.append(right(all.get(i).getValue(), 16))
          .append(" |")
          .append("@".repeat(ats))
          .append(" ".repeat(40 - ats))
          .append(' ')
          .append(count)
          .append(" ".repeat(9 - count.length()))
          .append('\n');
    }
    return text.toString();
  }
}

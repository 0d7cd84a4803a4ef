package io.ntrail.analysis.etw.events;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sum of the values that a field has in some events. Whole numbers are added exactly; what ticks of
 * the clock mean is added as nanoseconds.
 */
public final class FieldSum {
  private long events;
  private long whole;
  private double real;
  private boolean isReal;
  private boolean isTime;
  private boolean tooLarge;

  /** Creates the sum of no events. */
  FieldSum() {}

  /** Returns a sum of nothing for each of some fields. */
  static List<FieldSum> none(int fields) {
    List<FieldSum> sums = new ArrayList<>(fields);
    for (int i = 0; i < fields; i++) {
      sums.add(new FieldSum());
    }
    return sums;
  }

  /** Adds what an event has in some fields. */
  static void add(List<FieldSum> sums, List<String> fields, EventReader event) {
    EventValues values = new EventValues(event);
    for (int i = 0; i < sums.size(); i++) {
      FilterExpression.Value value = values.value(fields.get(i));
      if (value != null) {
        sums.get(i).add(fields.get(i), value);
      }
    }
  }

  /** Returns the sums of several groups of events, field by field. */
  public static List<FieldSum> together(int fields, Iterable<List<FieldSum>> groups) {
    List<FieldSum> all = none(fields);
    groups.forEach(group -> add(all, group));
    return all;
  }

  /** Adds the sums of other events, field by field. */
  static void add(List<FieldSum> sums, List<FieldSum> others) {
    for (int i = 0; i < sums.size(); i++) {
      sums.get(i).add(others.get(i));
    }
  }

  private void add(String field, FilterExpression.Value value) {
    switch (value.kind()) {
      case TICKS -> {
        isTime = true;
        addWhole(value.nanos());
      }
      case NUMBER -> {
        if (value.unsigned() && value.bits() < 0) {
          tooLarge = true;
        } else if (value.unsigned() || value.real() == (double) value.bits()) {
          addWhole(value.bits());
        } else {
          addReal(value.real());
        }
      }
      case TIME, FLAG, TEXT ->
          throw CannotGoOn.of(
              CannotGoOn.Reason.NOT_COMPARABLE,
              "",
              "--sum: " + field + " is " + value.type() + ", which has no sum",
              "--count --by " + field);
    }
    events++;
  }

  private void add(FieldSum other) {
    events += other.events;
    isTime |= other.isTime;
    tooLarge |= other.tooLarge;
    isReal |= other.isReal;
    real += other.real;
    addWhole(other.whole);
  }

  private void addWhole(long value) {
    try {
      whole = Math.addExact(whole, value);
    } catch (ArithmeticException e) {
      tooLarge = true;
    }
  }

  private void addReal(double value) {
    isReal = true;
    real += value;
  }

  /** Returns how many events have the field. */
  public long events() {
    return events;
  }

  /** Returns whether there is a sum: not of no events, nor one above 64 bits. */
  public boolean isKnown() {
    return events > 0 && !tooLarge;
  }

  /** Returns whether the sum has a fraction, and is {@link #real}. */
  public boolean isReal() {
    return isReal;
  }

  /** Returns the sum of whole numbers, or the nanoseconds of times. */
  public long whole() {
    return whole;
  }

  /** Returns the sum as a number with a fraction. */
  public double real() {
    return real + whole;
  }

  /** Returns the unit of the sum: {@code ns} of times, else null, for that of the field. */
  public @Nullable String unit() {
    return isTime ? "ns" : null;
  }

  /** Returns the sum as what rows are sorted by. */
  double size() {
    return isKnown() ? real() : tooLarge ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
  }
}

package io.ntrail.testkit.described;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Description of one field, whichever kind of description it comes from.
 *
 * @param key what the lengths and counts of other fields call it
 * @param in TDH's number of the in type; {@link #STRUCT} for a structure
 * @param length the length given as a number (characters of texts, bytes of binary); -1 for none
 * @param lengthKey the field that holds the length
 * @param count how many elements there are
 * @param number elements of {@link Count#FIXED}
 * @param countKey the field that holds the count, for {@link Count#FIELD}
 * @param map what the numbers mean
 */
record FieldDescription(
    String name,
    String key,
    int in,
    DisplayFormat shown,
    int length,
    @Nullable String lengthKey,
    Count count,
    int number,
    @Nullable String countKey,
    @Nullable EventMap map,
    List<FieldDescription> members) {

  /** Stands for a structure where in types are numbers. */
  static final int STRUCT = -1;

  /** Custom data of TraceLogging: a 16-bit count and so many bytes. */
  static final int CUSTOM = -2;

  /** Kinds of counts of a field. */
  enum Count {
    /** One, not an array. */
    ONE,
    /** A number in the description. */
    FIXED,
    /** A number in another field. */
    FIELD,
    /** A 16-bit number before the elements. */
    BEFORE
  }

  static FieldDescription of(String name, String key, int in, DisplayFormat shown) {
    return new FieldDescription(
        name, key, in, shown, -1, null, Count.ONE, 1, null, null, List.of());
  }

  static FieldDescription struct(String name, String key, List<FieldDescription> members) {
    return new FieldDescription(
        name, key, STRUCT, DisplayFormat.DEFAULT, -1, null, Count.ONE, 1, null, null, members);
  }

  FieldDescription length(int given, @Nullable String from) {
    return new FieldDescription(
        name, key, in, shown, given, from, count, number, countKey, map, members);
  }

  FieldDescription count(Count how, int given, @Nullable String from) {
    return new FieldDescription(
        name, key, in, shown, length, lengthKey, how, given, from, map, members);
  }

  FieldDescription map(@Nullable EventMap meaning) {
    return new FieldDescription(
        name, key, in, shown, length, lengthKey, count, number, countKey, meaning, members);
  }
}

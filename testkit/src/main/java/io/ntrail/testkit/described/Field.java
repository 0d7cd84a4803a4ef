package io.ntrail.testkit.described;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a description says about one field, whichever kind of description it was.
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
record Field(
    String name,
    String key,
    int in,
    Shown shown,
    int length,
    @Nullable String lengthKey,
    Count count,
    int number,
    @Nullable String countKey,
    @Nullable ValueMap map,
    List<Field> members) {

  /** Stands for a structure where in types are numbers. */
  static final int STRUCT = -1;

  /** Custom data of TraceLogging: a 16-bit count and so many bytes. */
  static final int CUSTOM = -2;

  /** How many there are of a field. */
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

  static Field of(String name, String key, int in, Shown shown) {
    return new Field(name, key, in, shown, -1, null, Count.ONE, 1, null, null, List.of());
  }

  static Field struct(String name, String key, List<Field> members) {
    return new Field(name, key, STRUCT, Shown.DEFAULT, -1, null, Count.ONE, 1, null, null, members);
  }

  Field length(int given, @Nullable String from) {
    return new Field(name, key, in, shown, given, from, count, number, countKey, map, members);
  }

  Field count(Count how, int given, @Nullable String from) {
    return new Field(name, key, in, shown, length, lengthKey, how, given, from, map, members);
  }

  Field map(@Nullable ValueMap meaning) {
    return new Field(
        name, key, in, shown, length, lengthKey, count, number, countKey, meaning, members);
  }
}

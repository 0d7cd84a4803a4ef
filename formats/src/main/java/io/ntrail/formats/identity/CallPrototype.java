package io.ntrail.formats.identity;

import java.util.List;
import java.util.Locale;

/**
 * Places of the arguments of a 32-bit function, as symbols tell them.
 *
 * @param convention by which it is called
 * @param places of its arguments in their order, by the numbers of docs/ntr.md section 4; a place
 *     for each word of an argument
 * @param mayHaveMore whether further words of the stack may be arguments
 * @param returnsWide whether it returns 64 bits in two registers
 * @param isAssumed whether a compiler may have chosen other places, as it may where nobody else
 *     calls the function
 */
public record CallPrototype(
    Convention convention,
    List<Integer> places,
    boolean mayHaveMore,
    boolean returnsWide,
    boolean isAssumed) {
  /** Copies the list. */
  public CallPrototype {
    places = List.copyOf(places);
  }

  /** Creates one that holds for each caller. */
  public CallPrototype(
      Convention convention, List<Integer> places, boolean mayHaveMore, boolean returnsWide) {
    this(convention, places, mayHaveMore, returnsWide, false);
  }

  /** Returns this one, of a function whose compiler may have chosen other places. */
  public CallPrototype assumed() {
    return new CallPrototype(convention, places, mayHaveMore, returnsWide, true);
  }

  /** Returns the convention in words, and whether it is assumed only. */
  public String text() {
    return isAssumed ? convention.title() + " assumed" : convention.title();
  }

  /** Calling conventions, in the order of their numbers in a recording. */
  public enum Convention {
    CDECL,
    STDCALL,
    FASTCALL,
    THISCALL,
    VECTORCALL;

    /** Returns what it is called. */
    public String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

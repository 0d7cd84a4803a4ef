package io.ntrail.analysis.naming;

import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * Word of the user that fitted nothing, or not what it may have been meant for, so that an answer
 * is empty, or smaller than it was meant, because of a wrong word.
 *
 * @param what what the word was for
 * @param asked the word
 * @param nearest what was probably meant; empty if nothing is near
 */
public record UnmatchedTerm(What what, String asked, String nearest) {
  private static final int SHORTEST_PART = 3;

  /** Kind of thing that a word is for. */
  public enum What {
    /** The name of events. */
    EVENT,
    /** The name or id of a process that has no events. */
    PROCESS,
    /** The name of a module. */
    MODULE,
    /** The name of functions that are shown in another way. */
    RULE,
    /** The id of a thread. */
    THREAD,
    /** The numbers of CPUs. */
    CPU,
    /** The name of a field. */
    FIELD,
    /** The name of a value of the event itself, which a field of some events has, too. */
    OWN,
    /** The name of a field that is a list or a structure: nothing that can be compared. */
    GROUP,
    /** The name of a function. */
    FUNCTION
  }

  /** Creates one with the nearest of some names, whatever their case. */
  public static UnmatchedTerm of(What what, String asked, Collection<String> names) {
    Map<String, String> byLowerCase = new HashMap<>();
    names.forEach(name -> byLowerCase.putIfAbsent(name.toLowerCase(Locale.ROOT), name));
    String wanted = asked.toLowerCase(Locale.ROOT);
    String nearest = SpellingSuggestion.of(wanted, byLowerCase.keySet());
    if (nearest.isEmpty() && wanted.length() >= SHORTEST_PART) {
      // Nothing is misspelt: perhaps it is a part of a name.
      nearest =
          byLowerCase.keySet().stream()
              .filter(name -> name.contains(wanted))
              .min(Comparator.comparingInt(String::length).thenComparing(name -> name))
              .orElse("");
    }
    return new UnmatchedTerm(what, asked, byLowerCase.getOrDefault(nearest, ""));
  }

  /**
   * Creates one for the CPUs of a list that nothing was found of.
   *
   * @return as a list of ranges: 0,2-5; empty if all were found
   */
  public static Optional<UnmatchedTerm> ofCpus(BitSet asked, BitSet found) {
    BitSet missing = (BitSet) asked.clone();
    missing.andNot(found);
    StringJoiner ranges = new StringJoiner(",");
    int end;
    for (int begin = missing.nextSetBit(0); begin >= 0; begin = missing.nextSetBit(end)) {
      end = missing.nextClearBit(begin);
      ranges.add(begin == end - 1 ? "" + begin : begin + "-" + (end - 1));
    }
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(new UnmatchedTerm(What.CPU, ranges.toString(), ""));
  }
}

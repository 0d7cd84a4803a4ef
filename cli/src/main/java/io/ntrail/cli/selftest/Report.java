package io.ntrail.cli.selftest;

import io.ntrail.cli.text.JsonDocument;
import io.ntrail.cli.text.Numbers;
import java.util.List;
import java.util.stream.Stream;

/**
 * Report of a command in JSON, of which a step expects something.
 *
 * @param what its name
 * @param json itself
 */
record Report(String what, JsonDocument json) {
  /** Returns a member that has to be there. */
  Report get(String key) {
    return json.find(key)
        .map(member -> new Report(what + "." + key, member))
        .orElseThrow(() -> new StepFailed("the key " + key + " in " + what, "no such key"));
  }

  /** Returns the elements of an array that has to be there. */
  List<Report> list(String key) {
    return get(key).json.elements().stream().map(one -> new Report(what + "." + key, one)).toList();
  }

  /** Returns a number that has to be there. */
  double real(String key) {
    Report member = get(key);
    return member
        .json
        .number()
        .orElseThrow(() -> new StepFailed("a number as " + member.what, "" + member.json.value()));
  }

  /** Returns an integer that has to be there. */
  long number(String key) {
    return Math.round(real(key));
  }

  String text(String key) {
    return get(key).json.text();
  }

  /** Fails unless a member has a value. */
  Report is(String key, long value) {
    long seen = number(key);
    if (seen != value) {
      throw new StepFailed(what + "." + key + " " + value, Numbers.count(seen));
    }
    return this;
  }

  /** Fails unless a member has at least a value. */
  Report atLeast(String key, long value) {
    long seen = number(key);
    if (seen < value) {
      throw new StepFailed(what + "." + key + " of at least " + value, Numbers.count(seen));
    }
    return this;
  }

  /** Fails unless nothing was lost, and calls entered are calls ended in one way or another. */
  Report balances() {
    long ends =
        Stream.of("exits", "unwinds", "abandoned", "open", "entryOnly")
            .mapToLong(this::number)
            .sum();
    return is("lost", 0).is("lostEntries", 0).is("entries", ends);
  }

  /** Returns the element of an array in which a member has a text at its end. */
  Report named(String list, String key, String end) {
    return list(list).stream()
        .filter(one -> one.text(key).endsWith(end))
        .findFirst()
        .orElseThrow(() ->
            new StepFailed(
                end + " in " + what + "." + list,
                list(list).stream().map(one -> one.text(key)).toList().toString()));
  }
}

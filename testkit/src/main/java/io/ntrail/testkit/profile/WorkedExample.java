package io.ntrail.testkit.profile;

import io.ntrail.testkit.etl.EtlWriter;

/**
 * A recording, a question and the answer that a person worked out.
 *
 * @param name what it is about
 * @param recording to be written to a file
 * @param query what is asked
 * @param expected the answer; its counters are those that the person looked at
 */
public record WorkedExample(
    String name, EtlWriter recording, ProfileQuery query, ProfileTable expected) {
  @Override
  public String toString() {
    return name + ": " + String.join(" ", query.words());
  }
}

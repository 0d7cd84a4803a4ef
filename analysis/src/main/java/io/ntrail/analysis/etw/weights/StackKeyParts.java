package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.profile.StackParts;

/**
 * Definitions of the stack keys of a recording, as parts of stacks.
 *
 * @param stacks the stacks of the recording
 */
record StackKeyParts(StackRecords stacks) implements StackParts {
  @Override
  public int count() {
    return stacks.definitions();
  }

  @Override
  public void copy(int part, StackAddresses into) {
    stacks.copyDefinition(part, into);
  }

  @Override
  public int place(int part) {
    return stacks.place(part);
  }
}

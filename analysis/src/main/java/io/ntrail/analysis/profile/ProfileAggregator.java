package io.ntrail.analysis.profile;

/** Shape of a profile: what weighted stacks are added up to. */
public interface ProfileAggregator {
  /** Adds a weighted stack, valid during the call. */
  void add(WeightedStack stack);
}

package io.ntrail.analysis.profile;

/** Something that weighted stacks are added up to. */
public interface ProfileAggregator {
  /** Adds a weighted stack, valid during the call. */
  void add(WeightedStack stack);
}

package io.ntrail.analysis.profile;

/** Shape of a profile: what weighted stacks are added up to. */
public interface ProfileAggregator {
  /** Adds a weighted stack, valid during the call. */
  void add(WeightedStack stack);

  /**
   * Announces that a stack will be added soon that consists of a numbered part and maybe others: so
   * what is kept of several parts is fetched from memory at once, and not one after the other.
   */
  default void expect(int part) {
    // Keeps nothing by part.
  }
}

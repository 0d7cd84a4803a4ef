package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup.Hit;
import java.util.HashMap;
import java.util.Map;

/** Weights by the file of the image that threads were in, also where several have one name. */
public final class ImageProfile implements ProfileAggregator {
  private final Map<Integer, Long> byFile = new HashMap<>();
  private final Hit hit = new Hit();

  /** Creates an empty profile. */
  public ImageProfile() {}

  @Override
  public void add(WeightedStack stack) {
    if (stack.innermost(hit, 1) && hit.file() >= 0) {
      byFile.merge(hit.file(), stack.weight(), Long::sum);
    }
  }

  /**
   * Returns the weight of one image.
   *
   * @param file its number
   */
  public long of(int file) {
    return byFile.getOrDefault(file, 0L);
  }
}

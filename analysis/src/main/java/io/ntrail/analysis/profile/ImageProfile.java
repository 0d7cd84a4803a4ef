package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup.Hit;
import io.ntrail.formats.collections.LongLongMap;

/** Weights by the file of the image that threads were in, also where several have one name. */
public final class ImageProfile implements ProfileAggregator {
  private final LongLongMap byFile = new LongLongMap();
  private final Hit hit = new Hit();

  /** Creates an empty profile. */
  public ImageProfile() {}

  @Override
  public void add(WeightedStack stack) {
    if (stack.innermost(hit, 1) && hit.file() >= 0) {
      byFile.add(hit.file(), stack.weight());
    }
  }

  /**
   * Returns the weight of one image.
   *
   * @param file its number
   */
  public long of(int file) {
    return byFile.get(file);
  }
}

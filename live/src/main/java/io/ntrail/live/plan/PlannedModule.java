package io.ntrail.live.plan;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;
import org.jspecify.annotations.Nullable;

/**
 * Module with matching functions.
 *
 * @param module where it lies
 * @param image its contents when the plan was made
 */
public record PlannedModule(TargetModule module, PeImage image) {
  // What a record has by itself is made by the JVM at the first call, in several milliseconds.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PlannedModule its
        && module.equals(its.module)
        && image.equals(its.image);
  }

  @Override
  public int hashCode() {
    return module.hashCode() * 31 + image.hashCode();
  }
}

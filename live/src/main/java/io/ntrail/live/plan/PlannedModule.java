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
  // The methods that the JVM makes for a record take several milliseconds at their first call.
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

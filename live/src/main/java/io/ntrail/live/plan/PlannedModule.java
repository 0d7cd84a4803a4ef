package io.ntrail.live.plan;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;

/**
 * Module with matching functions.
 *
 * @param module where it lies
 * @param image its contents when the plan was made
 */
public record PlannedModule(TargetModule module, PeImage image) {}

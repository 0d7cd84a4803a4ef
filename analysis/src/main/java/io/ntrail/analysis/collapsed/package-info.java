/**
 * Collapsed stacks as a recording: stacks whose frames have names already, with a weight each, and
 * no times, processes or addresses. {@link io.ntrail.analysis.collapsed.CollapsedRecording} has the
 * ability {@link io.ntrail.analysis.model.NamedStacks} alone.
 */
@NullMarked
package io.ntrail.analysis.collapsed;

import org.jspecify.annotations.NullMarked;

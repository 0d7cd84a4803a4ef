/**
 * Sources of weights that recordings of events offer: CPU samples, waits, transfers, faults,
 * allocations, any event. What each yields: docs/profile.md.
 */
@NullMarked
package io.ntrail.analysis.etw.weights;

import org.jspecify.annotations.NullMarked;

/**
 * Output of another decoder, run on Windows, about the shared recordings: its lines as records, and
 * whether a value that it printed is the value that we decoded.
 *
 * <p>Start with {@link io.ntrail.testkit.baseline.Baseline}; {@link
 * io.ntrail.testkit.baseline.BaselineComparison} compares.
 */
@NullMarked
package io.ntrail.testkit.baseline;

import org.jspecify.annotations.NullMarked;

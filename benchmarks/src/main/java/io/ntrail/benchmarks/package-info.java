/**
 * Measurements, always beside a yardstick in the same run. {@code benchmarks/run} runs them; {@code
 * benchmarks/RESULTS.md} holds what they said and what bounds it.
 */
@NullMarked
package io.ntrail.benchmarks;

import org.jspecify.annotations.NullMarked;

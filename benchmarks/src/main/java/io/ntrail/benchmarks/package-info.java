/** Measurements. */
@NullMarked
package io.ntrail.benchmarks;

import org.jspecify.annotations.NullMarked;

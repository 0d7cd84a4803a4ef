/** Figures that have a budget: measured beside their yardsticks, and met or missed. */
@NullMarked
package io.ntrail.benchmarks.budgets;

import org.jspecify.annotations.NullMarked;

/**
 * Aggregations: values that events are added to, by keys; their order, and how they are printed.
 */
@NullMarked
package io.ntrail.analysis.probe.aggregation;

import org.jspecify.annotations.NullMarked;

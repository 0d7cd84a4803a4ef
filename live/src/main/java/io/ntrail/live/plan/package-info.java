/**
 * Which functions of a running program are traced, how, and why the others are not: decided from
 * the modules as they lie in memory, before anything is touched.
 */
@NullMarked
package io.ntrail.live.plan;

import org.jspecify.annotations.NullMarked;

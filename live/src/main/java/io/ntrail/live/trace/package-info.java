/**
 * Function tracing of a running program: puts the code of {@link io.ntrail.live.code} into it,
 * proves that stacks can still be unwound, patches what was planned, and records.
 */
@NullMarked
package io.ntrail.live.trace;

import org.jspecify.annotations.NullMarked;

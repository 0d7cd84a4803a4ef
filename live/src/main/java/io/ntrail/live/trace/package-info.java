/**
 * Traces the functions of a running program: puts the code of {@link io.ntrail.live.code} into it,
 * tests that stacks can still be unwound, patches the planned functions, and records.
 */
@NullMarked
package io.ntrail.live.trace;

import org.jspecify.annotations.NullMarked;

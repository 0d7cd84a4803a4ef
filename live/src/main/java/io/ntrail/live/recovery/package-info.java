/**
 * Takes tracing out of a program that keeps running: the journal of a session in the target,
 * recovery after a crash of the controller, and detaching, which repairs active frames and frees
 * the memory that nothing refers to any more.
 */
@NullMarked
package io.ntrail.live.recovery;

import org.jspecify.annotations.NullMarked;

/**
 * A target of live tracing without a target: what the machine code in a traced program does to the
 * session file, written from docs/live.md alone.
 *
 * <p>Threads can be stopped between any two stores, which is what a killed process looks like.
 */
@NullMarked
package io.ntrail.testkit.live;

import org.jspecify.annotations.NullMarked;

/**
 * Threads of a running program as they stand: registers and stacks, and the memory around them.
 *
 * <p>Each thread is suspended alone, and for as long as it takes to copy its registers and its
 * stack: a routine in the agent does that in one step, so that the thread goes on whatever happens
 * to ntrail. Nothing is executed or written in the program.
 */
@NullMarked
package io.ntrail.live.capture;

import org.jspecify.annotations.NullMarked;

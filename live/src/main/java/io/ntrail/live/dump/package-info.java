/**
 * Minidumps of running programs: what a debugger or {@code ntrail stacks} needs to tell where each
 * thread stands, or all memory.
 */
@NullMarked
package io.ntrail.live.dump;

import org.jspecify.annotations.NullMarked;

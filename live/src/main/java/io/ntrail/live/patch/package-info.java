/**
 * Patches the code of a target: memory for stubs and areas, the stubs, the jumps to them, and the
 * two ways to write them, with threads suspended or running.
 */
@NullMarked
package io.ntrail.live.patch;

import org.jspecify.annotations.NullMarked;

/**
 * Stack unwinding: the frames of a thread from its registers and its memory.
 *
 * <p>This package holds what the walkers of all architectures share: the registers of a frame, how
 * a frame was found, what is loaded where, and why a walk ended. The rules are in packages of their
 * own, one per architecture. Everything is read through {@link
 * io.ntrail.programs.memory.AddressSpace}.
 */
@NullMarked
package io.ntrail.programs.unwind;

import org.jspecify.annotations.NullMarked;

/**
 * Machine code for x64 targets, and the unwind data that hides it from stack walks and unwinding.
 *
 * <p>A traced function begins with a jump to its <i>stub</i> ({@link
 * io.ntrail.live.code.x64.StubBlock}), which jumps to the next free <i>slot</i> of the thread's
 * stack ({@link io.ntrail.live.code.x64.SlotCode}, {@link io.ntrail.live.code.x64.AreaImage}). The
 * slot records the entry, calls the body of the function with the stack just as the caller left it,
 * but for the return address, records the exit and returns to the caller. A slot's unwind data
 * loads the stack pointer from the very place where the return address into the slot lies, and ends
 * in a machine frame beside the slot that holds the true return address. What is rare is done by
 * {@link io.ntrail.live.code.x64.RuntimeBlock}.
 *
 * <p>See docs/live.md for the layout.
 */
@NullMarked
package io.ntrail.live.code.x64;

import org.jspecify.annotations.NullMarked;

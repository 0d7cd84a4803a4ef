/**
 * The machine code that runs in a target of x64, and the unwind data that makes it invisible to
 * whoever walks or unwinds its stacks.
 *
 * <p>A traced function begins with a jump to its <i>stub</i> ({@link
 * io.ntrail.live.code.StubBlock}), which jumps to the next free <i>slot</i> of the thread's stack
 * ({@link io.ntrail.live.code.SlotCode}, {@link io.ntrail.live.code.AreaImage}). The slot records
 * the entry, calls the body of the function with the stack just as the caller left it, but for the
 * return address, records the exit and returns to the caller. A slot's unwind data loads the stack
 * pointer from the very place where the return address into the slot lies, and ends in a machine
 * frame beside the slot that holds the true return address. What is rare is done by {@link
 * io.ntrail.live.code.RuntimeBlock}.
 *
 * <p>docs/live.md says what lies where.
 */
@NullMarked
package io.ntrail.live.code;

import org.jspecify.annotations.NullMarked;

/**
 * Unwinding of x64 code by the unwind data of Windows, with the meaning of RtlLookupFunctionEntry
 * and RtlVirtualUnwind.
 *
 * <pre>
 * {@link io.ntrail.programs.unwind.x64.FunctionLookup}    address -> function entry: of an image, of a dynamic table, or none
 * {@link io.ntrail.programs.unwind.x64.FunctionRules}     function and place in it -> rule; the only one that reads unwind data and code
 * {@link io.ntrail.programs.unwind.x64.UnwindRule}        a small program: loads at offsets, the new stack pointer, where the return address is
 * {@link io.ntrail.programs.unwind.x64.VirtualUnwinder}   keeps rules by address and runs them on registers and stack memory
 * {@link io.ntrail.programs.unwind.x64.StackWalker}       frames up to the end, guards against loops, guesses where no rule is
 * </pre>
 *
 * <p>Deciding a rule is apart from running it: a rule is decided once for each place and kept, so
 * that a warm walk touches neither unwind data nor code, and one rule serves dumps, live targets
 * and recorded stacks.
 *
 * <p>An address is in a prologue, in the body, or in an epilogue. For version 1 of unwind data only
 * the bytes of the code tell an epilogue; versions 2 and 3 describe them. A function without an
 * entry is a leaf: it saves no register and does not move the stack pointer.
 *
 * <p>Sources: Microsoft's "x64 exception handling"; where it is silent or wrong, what Windows does
 * ({@link io.ntrail.programs.unwind.x64.WindowsBehavior}), as expectations of Wine's tests record
 * it, which its authors ran on Windows.
 */
@NullMarked
package io.ntrail.programs.unwind.x64;

import org.jspecify.annotations.NullMarked;

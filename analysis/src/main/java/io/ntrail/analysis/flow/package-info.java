/**
 * Instruction flow out of a Processor Trace and the code that ran.
 *
 * <p>{@link io.ntrail.analysis.flow.FlowDecoder} takes the packets of a stream in order and walks
 * through the code: a TNT answers conditional branches and compressed returns, a TIP tells the
 * target of an indirect branch, a FUP tells where something happened that no instruction asked for.
 * {@link io.ntrail.analysis.flow.CodeBlocks} keeps what was decoded of the code, by address and
 * mode, so that code which runs again is not looked at again. What comes out goes to a {@link
 * io.ntrail.analysis.flow.FlowSink}: runs of instructions, events between them, and errors, which
 * are elements of the flow like the others.
 */
@NullMarked
package io.ntrail.analysis.flow;

import org.jspecify.annotations.NullMarked;

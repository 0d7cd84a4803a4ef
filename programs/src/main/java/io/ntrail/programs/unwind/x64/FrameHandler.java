package io.ntrail.programs.unwind.x64;

/**
 * Language handler of a frame, as RtlVirtualUnwind returns it: of the function at the end of the
 * chain, and only where control is behind its prologue and in no epilogue.
 *
 * @param address of its code
 * @param data address of its data
 * @param seesExceptions whether it is called in the search for a handler (UNW_FLAG_EHANDLER)
 * @param seesUnwinds whether it is called when the frame is left (UNW_FLAG_UHANDLER)
 */
public record FrameHandler(long address, long data, boolean seesExceptions, boolean seesUnwinds) {}

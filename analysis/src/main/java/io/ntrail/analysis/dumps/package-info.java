/**
 * Dumps as recordings: a process at one instant.
 *
 * <p>{@link io.ntrail.analysis.dumps.DumpRecording} has the threads, the memory, and one or two
 * {@link io.ntrail.analysis.dumps.DumpView views}: of a 32-bit process that a 64-bit writer saved
 * (WOW64) there is the 64-bit side and the 32-bit side, each with registers and modules of its own.
 * The memory is one {@link io.ntrail.programs.memory.AddressSpace}.
 *
 * <p>Bytes of a module come from the memory of the dump; where that has none, from the module's
 * file, if one of the same build is found. Where both have them, {@link
 * io.ntrail.analysis.dumps.ImageComparison} finds the bytes that differ.
 */
@NullMarked
package io.ntrail.analysis.dumps;

import org.jspecify.annotations.NullMarked;

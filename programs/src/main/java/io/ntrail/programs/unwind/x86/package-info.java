/**
 * Stacks of 32-bit threads: the frames of a thread from its registers and its memory.
 *
 * <p>x86 has no unwind data that every image must have. {@link X86Walker} takes the best of what is
 * there: programs and sizes that compilers left in PDBs and images ({@link FrameDataTable}), the
 * instructions themselves, the chain of frame pointers, and at last what looks like a return
 * address. Which rule fits is decided by address and kept; running it on registers and memory is
 * apart.
 *
 * <p>Sources: FRAMEDATA and FPO_DATA as Microsoft's cvinfo.h and pecoff describe them; what
 * Breakpad's and rust-minidump's walkers do, whose results the tests compare.
 */
@NullMarked
package io.ntrail.programs.unwind.x86;

import org.jspecify.annotations.NullMarked;

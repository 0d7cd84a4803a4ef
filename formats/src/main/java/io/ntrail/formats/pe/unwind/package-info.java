/**
 * Function tables and unwind information: the exception directory of a PE image.
 *
 * <pre>
 * x64    {@link io.ntrail.formats.pe.unwind.FunctionTable}   entries of 12 bytes: begin, end, unwind information
 *        {@link io.ntrail.formats.pe.unwind.UnwindInfo}      versions 1 to 3: codes, epilogs, handler or chained entry
 *        {@link io.ntrail.formats.pe.unwind.UnwindChain}     the entries of a function in several parts
 * ARM    {@link io.ntrail.formats.pe.unwind.ArmFunctions}    entries of 8 bytes: begin, packed data or a record's RVA
 * x86    {@link io.ntrail.formats.pe.unwind.FpoTable}        no directory; debug information, 16 bytes each
 * </pre>
 *
 * <p>An {@link io.ntrail.formats.pe.unwind.UnwindCode} is one operation of a prolog or epilog;
 * {@link io.ntrail.formats.pe.unwind.UnwindOperation} is the table of their encodings. A function
 * of x64 without an entry is a leaf: it saves no register and does not move the stack pointer.
 *
 * <p>Sources: Microsoft's "x64 exception handling", and its descriptions of exception handling on
 * ARM and ARM64.
 */
@NullMarked
package io.ntrail.formats.pe.unwind;

import org.jspecify.annotations.NullMarked;

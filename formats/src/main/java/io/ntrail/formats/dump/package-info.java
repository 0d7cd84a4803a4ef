/**
 * Minidumps: what Windows and crash reporters save of a process at one instant.
 *
 * <p>A header of 32 bytes names the directory; each of its entries says kind, size and place of a
 * stream. All numbers are little-endian, and every place (RVA) is an offset in the file: 32 bits
 * wide, but for the base of the one stream that can be larger than 4 GB. Lists begin with their
 * count; some writers put four bytes after it, so that the entries are aligned.
 *
 * <pre>
 * {@link io.ntrail.formats.dump.Minidump}      header, directory, threads, modules, exception, system
 * {@link io.ntrail.formats.dump.MemoryRanges}  the saved memory by address
 * {@link io.ntrail.formats.dump.DumpReader}    access to parts of the file within bounds
 * </pre>
 *
 * <p>Registers are in {@code dump.context}; streams that only some questions need are classes of
 * {@code dump.streams} with a method {@code of(Minidump)}. A stream that is damaged has an answer
 * too: as much as can be read, and a {@link io.ntrail.formats.bytes.Gap}.
 *
 * <p>Hostile dumps are ordinary input. Counts are checked against the bytes that are there, and
 * lists have a limit that no process reaches; texts together are no longer than the file.
 *
 * <p>Sources: minidumpapiset.h of the Windows SDK, minidump_format.h of Breakpad,
 * minidump_extensions.h of Crashpad. Kernel dumps are other formats.
 */
@NullMarked
package io.ntrail.formats.dump;

import org.jspecify.annotations.NullMarked;

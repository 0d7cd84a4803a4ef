/**
 * Call recordings of NTrace ({@code .jtrc}): the entries and exits of patched kernel routines.
 *
 * <p>A file is a header of 16 bytes and chunks back to back, little-endian, without index and
 * trailer. A segment is 256 KiB; no chunk crosses the border of one, so that reading continues at
 * the next border where a chunk is damaged.
 *
 * <pre>
 * header   "JTRC", u16 version 1000h, u16 characteristics, 8 bytes 0
 * chunk    u16 type, u16 0, u32 size with this header
 *   0      nothing: fills up to the border of a segment
 *   1      an image: base, size, debug directories, path   {@link io.ntrail.formats.jtrc.JtrcImage}
 *   2      u32 process, u32 thread, records of 16 bytes    {@link io.ntrail.formats.jtrc.JtrcCursor}
 * </pre>
 *
 * <p>A chunk of records is of one client, a thread of a process. Older writers stored the chunks of
 * a client in the reverse order, so {@link io.ntrail.formats.jtrc.JtrcFile} sorts them by their
 * first time stamp. What is damaged becomes a gap that begins with the name under which NTrace's
 * own reader refused it ({@link io.ntrail.formats.jtrc.JtrcError}).
 *
 * <p>Source: J. Passing's thesis on NTrace, the published sources of its reader and writer, and
 * real files.
 */
@NullMarked
package io.ntrail.formats.jtrc;

import org.jspecify.annotations.NullMarked;

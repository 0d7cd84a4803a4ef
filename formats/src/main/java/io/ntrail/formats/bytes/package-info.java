/**
 * The one way to look at bytes.
 *
 * <p>{@link io.ntrail.formats.bytes.InputFile} maps a file of any size, or holds what came out of
 * an archive; {@link io.ntrail.formats.bytes.Bytes} is a bounds-checked little-endian window into
 * it with absolute access. A read outside a window is a {@link
 * io.ntrail.formats.bytes.DamagedInput} that names file and offset; a reader turns it into a {@link
 * io.ntrail.formats.bytes.Gap} at its edge. No other package touches {@code ByteBuffer} or {@code
 * MemorySegment}: all windows are read-only direct buffers, so that every call site sees one class
 * and stays fast. {@link io.ntrail.formats.bytes.ResourceFile} reads files of the program itself.
 */
@NullMarked
package io.ntrail.formats.bytes;

import org.jspecify.annotations.NullMarked;

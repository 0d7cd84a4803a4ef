/**
 * The compressions that Windows formats use: XPRESS (plain LZ77), XPRESS with Huffman, LZNT1, as
 * specified by MS-XCA.
 *
 * <p>Each decompressor is a pure function from a {@link io.ntrail.formats.bytes.Bytes} window to a
 * {@link io.ntrail.formats.bytes.NativeBuffer}; the caller gives the number of bytes of output it
 * wants, and no more are ever written, so that a prefix is cheap and a bomb cannot grow.
 */
@NullMarked
package io.ntrail.formats.compression;

import org.jspecify.annotations.NullMarked;

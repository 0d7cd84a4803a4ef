/**
 * Encoders for the compressed forms that Windows writes (MS-XCA: LZNT1, plain LZ77, LZ77 with
 * Huffman codes; LZX as cabinets have it), made to exercise a decoder: every length form,
 * overlapping matches, shared nibbles, stored chunks and chunk borders occur on fitting input; and
 * slow decoders of the same.
 */
@NullMarked
package io.ntrail.testkit.compress;

import org.jspecify.annotations.NullMarked;

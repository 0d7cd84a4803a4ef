package io.ntrail.formats.bytes;

/**
 * A stretch of an input that could not be read. A recording with gaps still answers, and every
 * answer shows them.
 *
 * @param file the name of the input
 * @param offset start of the stretch, in bytes from the start of the (inflated) input
 * @param bytes its length, or -1 if unknown (the end is missing in a compressed file)
 * @param what what should have been there: {@code buffer}, {@code record}, {@code buffers}
 * @param why what was found instead, in plain words
 */
public record Gap(String file, long offset, long bytes, String what, String why) {}

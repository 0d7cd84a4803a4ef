package io.ntrail.formats.bytes;

/**
 * Records that a file lacks because whoever made it out of another one left them out. Not damage:
 * what is there can be trusted, and nothing else was meant to be there.
 *
 * @param what records they are, and why they were left out, in words
 * @param records how many there were; -1 if nobody counted them
 */
public record Omission(String what, long records) {}

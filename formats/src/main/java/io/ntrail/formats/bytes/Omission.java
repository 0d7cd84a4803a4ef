package io.ntrail.formats.bytes;

/**
 * Records that a recording leaves out, since it was cut out of a larger one. No damage: what is
 * there can be trusted.
 *
 * @param what which ones: {@code records outside 12 s .. 14 s}
 * @param records how many
 */
public record Omission(String what, long records) {}

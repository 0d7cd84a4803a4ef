package io.ntrail.analysis.symbols;

/**
 * A place that did not have what was looked for.
 *
 * @param place a file, a folder or the address of a server
 * @param isThere whether there is something, which cannot be used
 * @param why in a sentence
 */
public record Tried(String place, boolean isThere, String why) {}

package io.ntrail.programs.image;

import io.ntrail.programs.image.ImageFunction.Source;

/**
 * A function that symbols know, which are not a part of the image that is loaded.
 *
 * @param rva its first byte
 * @param length in bytes; 0 if it is not known
 * @param name not decorated if that is known; empty if it comes from frame data
 * @param source which symbols
 */
public record NamedFunction(long rva, long length, String name, Source source) {}

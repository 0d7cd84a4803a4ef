package io.ntrail.formats.dump.context;

/**
 * A register and its value.
 *
 * @param name in lower case
 * @param bytes its width, 1 to 8
 * @param value zero-extended
 */
public record ContextRegister(String name, int bytes, long value) {}

package io.ntrail.formats.elf;

/**
 * Name of an address: an entry of a symbol table.
 *
 * @param size bytes; 0: unknown
 * @param isFunction false: data, or not told
 */
public record ElfSymbol(String name, long address, long size, boolean isFunction) {}

package io.ntrail.live.capture;

/**
 * Function table that a program registered for code that is of no module.
 *
 * @param begin first address of the code
 * @param end address after the code
 * @param base address that the offsets in the table count from
 * @param table address of the table, entries of RUNTIME_FUNCTION
 * @param entries their number
 */
public record DynamicTable(long begin, long end, long base, long table, int entries) {}

package io.ntrail.live.code;

/**
 * Offsets of the parts of an area, the memory that one stack uses (docs/live.md).
 *
 * @param alignment areas begin at multiples of it, and no two share one
 * @param head offset of the first byte in use
 * @param fields size of the fields at the head that identify the owner
 * @param stackBase offset of the field with the stack's base; 0 = free
 * @param thread offset of the field with the id of the thread that took the area first
 * @param code offset of the code, which is as long as the data
 * @param data offset of the data
 * @param table offset of the function table, which ends the area
 */
public record AreaGeometry(
    int alignment,
    int head,
    int fields,
    int stackBase,
    int thread,
    int code,
    int data,
    int table) {}

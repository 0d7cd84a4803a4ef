package io.ntrail.formats.ntr;

/**
 * A frame that the recorder took for open where a chunk of events begins.
 *
 * @param area which stack it is on
 * @param function its number
 * @param slot its place among the traced frames of the stack, unsigned
 * @param key the address above its return address
 * @param returnAddress where it returns to
 * @param ticks when it was entered
 * @param call the number of the call in its thread, from 0
 */
public record OpenFrame(
    int area, long function, int slot, long key, long returnAddress, long ticks, long call) {}

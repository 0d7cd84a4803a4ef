package io.ntrail.formats.ntr;

/**
 * A frame that the recorder considered open at the start of a chunk of events.
 *
 * @param area number of its stack
 * @param function its number
 * @param slot its index among the traced frames of the stack, unsigned
 * @param key the address above its return address
 * @param returnAddress its return address
 * @param ticks time of its entry
 * @param call the number of the call in its thread, from 0
 */
public record OpenFrame(
    int area, long function, int slot, long key, long returnAddress, long ticks, long call) {}

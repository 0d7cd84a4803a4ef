package io.ntrail.live.windows;

/**
 * Values of all clocks of a machine at one moment.
 *
 * @param ticks of the time stamp counter
 * @param counter of the performance counter
 * @param utc FILETIME
 */
public record ClockReading(long ticks, long counter, long utc) {}

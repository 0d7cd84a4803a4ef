package io.ntrail.formats.ntr;

/**
 * One moment by three clocks.
 *
 * @param ticks of the events' clock
 * @param nanos since the recording began, by a monotonic clock
 * @param utc FILETIME, 0 if unknown
 */
public record ClockCalibration(long ticks, long nanos, long utc) {}

package io.ntrail.analysis.model;

/**
 * Function that was called so often that the recorder went over to counting its calls.
 *
 * @param function its module and name, or address
 * @param from last recorded call before that: nanoseconds since the recording began, or ticks where
 *     their rate is unknown
 * @param calls how many were counted only
 */
public record ThrottledFunction(String function, long from, long calls) {}

/**
 * Processor Trace that Windows recorded among its events: each piece with the code that its process
 * had at the time, its flow, and times on the clock of the recording.
 *
 * <p>A piece is tied to the clock at its end: the logger stops the trace at the event and copies
 * it, so that the last time its packets tell is taken for that of the event. No recording of
 * Windows with such pieces is public; nothing here was held against one.
 */
@NullMarked
package io.ntrail.analysis.flow.recorded;

import org.jspecify.annotations.NullMarked;

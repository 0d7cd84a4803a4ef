/**
 * ETW recordings: one or several {@code .etl} files as one stream of records, and the first answers
 * about them.
 *
 * <p>{@link io.ntrail.analysis.etw.recording.EtwRecording} is the recording; {@code analysis.input}
 * opens files and makes it. {@link io.ntrail.analysis.etw.recording.OrderedCursor} gives their
 * records in time order: every buffer is a run that is sorted or gets sorted, and a heap opens a
 * run when its first time is reached, the same for CPUs, sessions, files and rings. Answers that
 * need no order ({@link io.ntrail.analysis.etw.recording.EtwSummary}) scan buffers in parallel;
 * what they say does not depend on the number of cores.
 */
@NullMarked
package io.ntrail.analysis.etw.recording;

import org.jspecify.annotations.NullMarked;

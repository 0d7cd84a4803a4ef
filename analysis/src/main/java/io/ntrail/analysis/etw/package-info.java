/**
 * Whole answers about ETW recordings, as docs/library.md shows them: {@link
 * io.ntrail.analysis.etw.EtwProfile} surveys a recording, fetches names and adds up weights; {@link
 * io.ntrail.analysis.etw.RecordedImages} finds the symbols of its images; {@link
 * io.ntrail.analysis.etw.HotImages} says whose names matter most.
 */
@NullMarked
package io.ntrail.analysis.etw;

import org.jspecify.annotations.NullMarked;

/**
 * Profiles worked out a second time, from docs/profile.md alone: recordings small enough to add up
 * by hand with the tables that they must give, random recordings of the same activities, and a
 * plain, slow profiler that holds a whole recording in memory.
 *
 * <p>Start with {@link io.ntrail.testkit.profile.WorkedExamples} for the recordings and their
 * tables, with {@link io.ntrail.testkit.profile.ReferenceProfiler} for the table of any recording,
 * with {@link io.ntrail.testkit.profile.RandomProfileRecording} for recordings without end.
 */
@NullMarked
package io.ntrail.testkit.profile;

import org.jspecify.annotations.NullMarked;

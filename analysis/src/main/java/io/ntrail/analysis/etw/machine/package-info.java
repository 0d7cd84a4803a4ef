/**
 * The machine as the recording shows it beside its events: processes and threads with their
 * lifetimes, names of files, volumes; and from these, which process and thread an event belongs to.
 * Beside that, in a few figures: its hardware, how its CPUs were sampled, how much there is of all.
 */
@NullMarked
package io.ntrail.analysis.etw.machine;

import org.jspecify.annotations.NullMarked;

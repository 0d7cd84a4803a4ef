/**
 * Calls rebuilt from recorded entries and exits, whatever the file they come from.
 *
 * <p>A {@link io.ntrail.analysis.calls.CallSource} gives the records of each thread. A rebuilder
 * matches them: by routine where a record has nothing else, by slot and place of the frame where it
 * has. What was lost is repaired and marked. Calls are numbered in the order of their entries, and
 * every call says how many lie below it, so that the next call at its level is found without
 * looking at those.
 *
 * <p><b>Memory.</b> One pass over the records of a thread makes a {@link
 * io.ntrail.analysis.calls.CallIndex}: it cuts them into pages and keeps, for each border, the
 * calls that are open there, with their ends; nothing is kept of calls that begin and end inside a
 * page. A page is rebuilt when it is looked at. So every call has its end and its number of child
 * calls although it is reported at its entry, and a hundred million calls need a few megabytes.
 * Sums by routine ({@link io.ntrail.analysis.calls.FlatCallProfile}) need neither: they are made in
 * that one pass.
 *
 * <pre>
 * {@link io.ntrail.analysis.calls.CallSource}     records of threads, clock, names
 * {@link io.ntrail.analysis.calls.CallRecording}  a source with the index of each thread
 * {@link io.ntrail.analysis.calls.CallWalk}       the calls of a thread by their entries
 * {@link io.ntrail.analysis.calls.CallStream}     those of several threads
 * </pre>
 *
 * <p>Source of the rules: J. Passing's thesis on NTrace and its reader's repairs, and the design of
 * live tracing on x64.
 */
@NullMarked
package io.ntrail.analysis.calls;

import org.jspecify.annotations.NullMarked;

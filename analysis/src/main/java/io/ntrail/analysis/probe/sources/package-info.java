/**
 * Sources of probes and of the events that fire them: what a probe description matches, and a run
 * of a program over them.
 */
@NullMarked
package io.ntrail.analysis.probe.sources;

import org.jspecify.annotations.NullMarked;

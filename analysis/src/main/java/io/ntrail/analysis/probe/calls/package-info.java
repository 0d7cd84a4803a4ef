/** Probes of recorded calls: entries, returns and unwinds of functions. */
@NullMarked
package io.ntrail.analysis.probe.calls;

import org.jspecify.annotations.NullMarked;

/** Probes of ETW recordings: events by provider and name, and what the kernel did. */
@NullMarked
package io.ntrail.analysis.probe.etw;

import org.jspecify.annotations.NullMarked;

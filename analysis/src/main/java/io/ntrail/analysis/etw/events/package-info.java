/**
 * Events as people mean them: with their names, their fields, the process and thread that they
 * belong to; filters over them, and counts by whatever they have.
 */
@NullMarked
package io.ntrail.analysis.etw.events;

import org.jspecify.annotations.NullMarked;

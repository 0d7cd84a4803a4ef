/**
 * Where time and other weights went: sources yield (time, process, thread, stack, weight), shapes
 * add them up. What each source yields: docs/profile.md.
 */
@NullMarked
package io.ntrail.analysis.profile;

import org.jspecify.annotations.NullMarked;

/** Recordings. */
@NullMarked
package io.ntrail.analysis.recording;

import org.jspecify.annotations.NullMarked;

/** Cuts of recordings of calls, {@code .ntr} and {@code .jtrc}. */
@NullMarked
package io.ntrail.analysis.merge.calls;

import org.jspecify.annotations.NullMarked;

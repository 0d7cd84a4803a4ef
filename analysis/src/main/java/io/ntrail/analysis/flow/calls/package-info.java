/** Calls of a flow: where functions are entered and left, and how much of the flow is in each. */
@NullMarked
package io.ntrail.analysis.flow.calls;

import org.jspecify.annotations.NullMarked;

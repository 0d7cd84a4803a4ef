/** Search for branches in the code of large libraries, by the agent. */
@NullMarked
package io.ntrail.live.branches;

import org.jspecify.annotations.NullMarked;

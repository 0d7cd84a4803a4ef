/** Events of sessions that hand them to programs: a consumer in the agent. */
@NullMarked
package io.ntrail.live.consumer;

import org.jspecify.annotations.NullMarked;

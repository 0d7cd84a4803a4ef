/** Kernel sessions of ETW: what they log, by name, and the structures that ask Windows for it. */
@NullMarked
package io.ntrail.live.etw;

import org.jspecify.annotations.NullMarked;

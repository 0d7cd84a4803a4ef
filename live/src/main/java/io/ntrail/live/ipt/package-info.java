/** Processor Trace by ipt.sys, Windows' driver: requests, and the calls that bring them there. */
@NullMarked
package io.ntrail.live.ipt;

import org.jspecify.annotations.NullMarked;

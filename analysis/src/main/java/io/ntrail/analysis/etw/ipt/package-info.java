/**
 * Pieces of Intel Processor Trace that Windows' kernel logger wrote behind other events: {@link
 * io.ntrail.analysis.etw.ipt.TracePieces}.
 */
@NullMarked
package io.ntrail.analysis.etw.ipt;

import org.jspecify.annotations.NullMarked;

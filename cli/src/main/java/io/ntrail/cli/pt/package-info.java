/** {@code ntrail pt}: streams of Intel Processor Trace. */
@NullMarked
package io.ntrail.cli.pt;

import org.jspecify.annotations.NullMarked;

/** {@code ntrail pt record}: a Processor Trace of a running program, by Windows' driver. */
@NullMarked
package io.ntrail.cli.pt.driver;

import org.jspecify.annotations.NullMarked;

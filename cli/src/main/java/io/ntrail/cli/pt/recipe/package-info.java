/** {@code ntrail pt recipe}: how a Processor Trace is recorded on Windows. */
@NullMarked
package io.ntrail.cli.pt.recipe;

import org.jspecify.annotations.NullMarked;

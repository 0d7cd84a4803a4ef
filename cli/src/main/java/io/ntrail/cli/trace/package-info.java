/** {@code ntrail trace}: records the calls of a running program. */
@NullMarked
package io.ntrail.cli.trace;

import org.jspecify.annotations.NullMarked;

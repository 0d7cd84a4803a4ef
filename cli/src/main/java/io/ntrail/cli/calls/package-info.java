/** {@code ntrail calls}: recorded calls as trees, lists and sums. */
@NullMarked
package io.ntrail.cli.calls;

import org.jspecify.annotations.NullMarked;

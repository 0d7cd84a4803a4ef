/** {@code ntrail stacks}: where threads were, recorded at a time or for an event. */
@NullMarked
package io.ntrail.cli.stacks;

import org.jspecify.annotations.NullMarked;

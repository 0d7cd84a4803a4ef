/**
 * {@code ntrail export} and {@code ntrail diff}: stacks for other tools, and two recordings side by
 * side.
 */
@NullMarked
package io.ntrail.cli.export;

import org.jspecify.annotations.NullMarked;

/**
 * Collapsed (folded) stacks: a line a stack, {@code frame;frame;frame WEIGHT}, the outermost first;
 * with two weights if two profiles are compared. See docs/export.md.
 */
@NullMarked
package io.ntrail.export.collapsed;

import org.jspecify.annotations.NullMarked;

/**
 * Collapsed (folded) stacks: text with one stack per line, {@code frame;frame;frame WEIGHT}, the
 * outermost frame first.
 *
 * <p>Source: the scripts {@code stackcollapse-*.pl} and {@code flamegraph.pl} of FlameGraph (B.
 * Gregg), which have no other specification; docs/export.md says what ntrail makes of it. {@link
 * io.ntrail.formats.collapsed.CollapsedReader} reads them; the writer is in {@code
 * export.collapsed}, since it writes a tree.
 */
@NullMarked
package io.ntrail.formats.collapsed;

import org.jspecify.annotations.NullMarked;

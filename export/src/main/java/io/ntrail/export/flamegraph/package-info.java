/**
 * Flame graphs: a page of HTML that holds everything it needs and opens from disk. See
 * docs/export.md.
 */
@NullMarked
package io.ntrail.export.flamegraph;

import org.jspecify.annotations.NullMarked;

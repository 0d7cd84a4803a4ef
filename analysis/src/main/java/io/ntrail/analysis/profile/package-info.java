/**
 * Sums of weighted stacks: sources yield (time, process, thread, stack, weight), a sink takes what
 * is in scope, and shapes add it up by function, module, owner or call path. Knows no source.
 */
@NullMarked
package io.ntrail.analysis.profile;

import org.jspecify.annotations.NullMarked;

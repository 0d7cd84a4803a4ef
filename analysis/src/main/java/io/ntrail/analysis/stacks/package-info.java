/**
 * Stacks with names, whatever they come from: events of a recording, a dump, a live process.
 *
 * <p>A {@link io.ntrail.analysis.stacks.NamedFrame} says what is known of one frame and how it was
 * found; nothing that is unknown has a made-up value.
 */
@NullMarked
package io.ntrail.analysis.stacks;

import org.jspecify.annotations.NullMarked;

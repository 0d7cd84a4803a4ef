/**
 * Interface of processor architectures, {@link io.ntrail.live.code.Architecture}: the code that
 * runs in a target, its unwind data, and layouts of structures (docs/live.md). Each architecture
 * has a package of its own; the target provides its implementation.
 */
@NullMarked
package io.ntrail.live.code;

import org.jspecify.annotations.NullMarked;

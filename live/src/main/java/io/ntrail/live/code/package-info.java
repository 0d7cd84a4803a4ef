/**
 * Code that runs in a target, without regard to its processor architecture: what code a function
 * needs, and the layout of the control block that all of it uses (docs/live.md).
 */
@NullMarked
package io.ntrail.live.code;

import org.jspecify.annotations.NullMarked;

/**
 * Tracks the modules that a traced program loads and unloads: a callback in the target reports
 * them, and they are planned and patched before they run.
 */
@NullMarked
package io.ntrail.live.modules;

import org.jspecify.annotations.NullMarked;

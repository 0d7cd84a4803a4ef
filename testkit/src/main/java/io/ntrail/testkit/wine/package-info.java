/**
 * Programs for Windows, built from source and run under Wine, for tests that watch or change
 * running programs.
 */
@NullMarked
package io.ntrail.testkit.wine;

import org.jspecify.annotations.NullMarked;

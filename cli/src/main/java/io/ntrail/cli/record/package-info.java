/** {@code ntrail record}: kernel sessions of ETW, from their start to the merged recording. */
@NullMarked
package io.ntrail.cli.record;

import org.jspecify.annotations.NullMarked;

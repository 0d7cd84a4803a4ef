/** Writes cabinets of any kind, also wrong ones, from the description of their layout. */
@NullMarked
package io.ntrail.testkit.cab;

import org.jspecify.annotations.NullMarked;

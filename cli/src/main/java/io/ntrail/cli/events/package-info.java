/** {@code ntrail events}: events with their fields, and counts of them. */
@NullMarked
package io.ntrail.cli.events;

import org.jspecify.annotations.NullMarked;

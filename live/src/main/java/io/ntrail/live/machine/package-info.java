/** Facts of the machine itself, as its Windows tells them. */
@NullMarked
package io.ntrail.live.machine;

import org.jspecify.annotations.NullMarked;

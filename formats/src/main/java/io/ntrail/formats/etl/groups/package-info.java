/** Groups of kernel events and events with stacks, by the names of ntrail, xperf and WPR. */
@NullMarked
package io.ntrail.formats.etl.groups;

import org.jspecify.annotations.NullMarked;

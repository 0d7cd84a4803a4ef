/**
 * Plans which functions of a running program are traced, and how: from the modules as they lie in
 * memory, before anything is changed.
 */
@NullMarked
package io.ntrail.live.plan;

import org.jspecify.annotations.NullMarked;

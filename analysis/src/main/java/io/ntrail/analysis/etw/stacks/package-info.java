/**
 * Call stacks and the events they belong to: stack records of the kernel logger, keys and their
 * late definitions, stacks that events bring along. Source: docs/profile.md, section "Stacks".
 */
@NullMarked
package io.ntrail.analysis.etw.stacks;

import org.jspecify.annotations.NullMarked;

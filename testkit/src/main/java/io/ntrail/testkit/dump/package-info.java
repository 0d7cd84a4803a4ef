/**
 * Dumps, seen from outside: a writer of minidumps, good and bad ones ({@link
 * io.ntrail.testkit.dump.MinidumpBuilder}), the shared dumps, and what other tools printed about
 * them. Written from the description of the format alone.
 */
@NullMarked
package io.ntrail.testkit.dump;

import org.jspecify.annotations.NullMarked;

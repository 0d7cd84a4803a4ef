/**
 * Streams of minidumps that only some questions need: one class for each, with a method {@code
 * of(Minidump)}. They never fail: what cannot be read is a gap of the dump.
 */
@NullMarked
package io.ntrail.formats.dump.streams;

import org.jspecify.annotations.NullMarked;

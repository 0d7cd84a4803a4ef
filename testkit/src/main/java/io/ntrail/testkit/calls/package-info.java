/**
 * Recordings of calls: a writer and a slow reader of NTrace's files, written apart from the
 * program's, and random calls of threads with the records that a tracer makes of them.
 */
@NullMarked
package io.ntrail.testkit.calls;

import org.jspecify.annotations.NullMarked;

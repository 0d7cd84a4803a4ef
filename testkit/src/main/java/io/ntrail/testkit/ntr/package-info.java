/**
 * ntrail's recordings of function calls ({@code .ntr}), seen from outside: a reader written from
 * docs/ntr.md alone ({@link io.ntrail.testkit.ntr.PlainNtr}), and programs whose calls are made up
 * ({@link io.ntrail.testkit.ntr.MadeUpProgram}).
 */
@NullMarked
package io.ntrail.testkit.ntr;

import org.jspecify.annotations.NullMarked;

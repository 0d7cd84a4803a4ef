/**
 * ntrail's recordings of function calls ({@code .ntr}), seen from outside: a reader written from
 * docs/ntr.md alone ({@link io.ntrail.testkit.ntr.ReferenceNtrReader}), and programs whose calls
 * are made up ({@link io.ntrail.testkit.ntr.SyntheticProgram}).
 */
@NullMarked
package io.ntrail.testkit.ntr;

import org.jspecify.annotations.NullMarked;

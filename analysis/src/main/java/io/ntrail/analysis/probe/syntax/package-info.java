/**
 * The D language of DTrace as text: tokens, clauses, declarations, expressions. It knows no types
 * and no probes.
 */
@NullMarked
package io.ntrail.analysis.probe.syntax;

import org.jspecify.annotations.NullMarked;

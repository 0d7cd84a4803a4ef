/** Types of the D language, as Windows has them: {@code long} has 32 bits, pointers have 64. */
@NullMarked
package io.ntrail.analysis.probe.types;

import org.jspecify.annotations.NullMarked;

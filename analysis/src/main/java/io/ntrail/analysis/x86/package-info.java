/** Reads x86 machine code. */
@NullMarked
package io.ntrail.analysis.x86;

import org.jspecify.annotations.NullMarked;

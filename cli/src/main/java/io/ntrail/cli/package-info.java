/** The program. */
@NullMarked
package io.ntrail.cli;

import org.jspecify.annotations.NullMarked;

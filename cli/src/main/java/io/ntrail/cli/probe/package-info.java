/** {@code ntrail probe} and {@code ntrail dtrace}: programs in the D language over recordings. */
@NullMarked
package io.ntrail.cli.probe;

import org.jspecify.annotations.NullMarked;

/** {@code ntrail image}: one PE image: headers, functions, unwind data, machine code. */
@NullMarked
package io.ntrail.cli.image;

import org.jspecify.annotations.NullMarked;

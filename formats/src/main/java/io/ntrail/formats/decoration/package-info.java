/** Decorated names of Microsoft's C++ compilers, and what they say. */
@NullMarked
package io.ntrail.formats.decoration;

import org.jspecify.annotations.NullMarked;

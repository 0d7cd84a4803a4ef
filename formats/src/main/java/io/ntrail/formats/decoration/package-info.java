/** Undecoration of names of Microsoft's C++ compilers. */
@NullMarked
package io.ntrail.formats.decoration;

import org.jspecify.annotations.NullMarked;

/** An image as a whole: its mitigations and its functions. */
@NullMarked
package io.ntrail.programs.image;

import org.jspecify.annotations.NullMarked;

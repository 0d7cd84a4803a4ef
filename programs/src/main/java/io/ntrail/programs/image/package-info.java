/** What an image is as a whole: its defences and its functions. */
@NullMarked
package io.ntrail.programs.image;

import org.jspecify.annotations.NullMarked;

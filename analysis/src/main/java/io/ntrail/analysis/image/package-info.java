/** What an image is as a whole: its defences and its functions. */
@NullMarked
package io.ntrail.analysis.image;

import org.jspecify.annotations.NullMarked;

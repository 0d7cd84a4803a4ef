/** One recording out of several. */
@NullMarked
package io.ntrail.analysis.merge;

import org.jspecify.annotations.NullMarked;

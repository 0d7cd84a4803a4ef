/** Private names in recordings: how they are found, and what replaces them. */
@NullMarked
package io.ntrail.analysis.merge.names;

import org.jspecify.annotations.NullMarked;

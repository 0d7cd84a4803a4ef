/** XML of unknown origin, and small documents as trees. */
@NullMarked
package io.ntrail.formats.xml;

import org.jspecify.annotations.NullMarked;

/**
 * Opens inputs whatever they are packed in. Not a format: it is above the formats, and chooses one
 * of them by the first bytes.
 */
@NullMarked
package io.ntrail.formats.archives;

import org.jspecify.annotations.NullMarked;

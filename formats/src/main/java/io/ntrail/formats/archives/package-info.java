/**
 * Opens inputs whatever they are packed in. No format: it stands above them, and chooses by the
 * first bytes which of them is asked.
 */
@NullMarked
package io.ntrail.formats.archives;

import org.jspecify.annotations.NullMarked;

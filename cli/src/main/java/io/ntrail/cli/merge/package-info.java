/** {@code ntrail merge}: one recording out of several. */
@NullMarked
package io.ntrail.cli.merge;

import org.jspecify.annotations.NullMarked;

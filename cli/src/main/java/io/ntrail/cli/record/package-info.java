/** {@code ntrail record}: kernel sessions of ETW; so far only files that set up boot recordings. */
@NullMarked
package io.ntrail.cli.record;

import org.jspecify.annotations.NullMarked;

/** {@code ntrail dump}: minidumps of running programs. */
@NullMarked
package io.ntrail.cli.dump;

import org.jspecify.annotations.NullMarked;

/**
 * The program {@code ntrail}: {@link io.ntrail.cli.Main} answers {@code --version} and {@code -h}
 * at once and builds only the command that was requested.
 */
@NullMarked
package io.ntrail.cli;

import org.jspecify.annotations.NullMarked;

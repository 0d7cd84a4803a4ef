/** Holds the compiled classes of all modules against the tables of ARCHITECTURE.md. */
@NullMarked
package io.ntrail.cli.architecture;

import org.jspecify.annotations.NullMarked;

/** {@code ntrail symbols}: names for addresses, and where PDBs of a recording are found. */
@NullMarked
package io.ntrail.cli.symbols;

import org.jspecify.annotations.NullMarked;

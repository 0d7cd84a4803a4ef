/** Names for addresses of images: finding their PDBs, and reading names from PDBs and exports. */
@NullMarked
package io.ntrail.programs.symbols;

import org.jspecify.annotations.NullMarked;

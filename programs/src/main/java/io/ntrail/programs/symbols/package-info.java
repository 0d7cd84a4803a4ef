/** Names for addresses of images: where their PDBs are found, and what these or exports say. */
@NullMarked
package io.ntrail.programs.symbols;

import org.jspecify.annotations.NullMarked;

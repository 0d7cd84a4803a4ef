/**
 * PDB: the symbols of a program, beside it in a file of its own.
 *
 * <pre>
 * {@link io.ntrail.formats.pdb.PdbFile}       one PDB: identity, modules, access to everything else
 * {@link io.ntrail.formats.pdb.PdbSymbolizer}  function, file and line of an address
 * </pre>
 *
 * <p>A PDB is a container of streams ({@link io.ntrail.formats.pdb.msf}). Stream 1 has the identity
 * ({@link io.ntrail.formats.pdb.PdbInfo}), stream 3 (DBI) what the program was linked from:
 * modules, which of them contributed which bytes ({@link
 * io.ntrail.formats.pdb.SectionContributions}), and the numbers of further streams: publics and
 * globals, one stream per module with its procedures and lines, frame data, and the maps of
 * programs that were rearranged after linking ({@link io.ntrail.formats.pdb.Omap}). Streams 2 and 4
 * are types and items.
 *
 * <p>Everything is read on demand: a cold address costs the directory, a search in the
 * contributions, and the stream of one module.
 *
 * <p>Sources: Microsoft's microsoft-pdb (PDB/dbi, langapi/include/pdb.h), LLVM's docs/PDB; real
 * files where both are silent or differ.
 */
@NullMarked
package io.ntrail.formats.pdb;

import org.jspecify.annotations.NullMarked;

/**
 * CodeView: the records in PDBs.
 *
 * <p>Symbols ({@link io.ntrail.formats.pdb.codeview.CodeViewCursor}, {@link
 * io.ntrail.formats.pdb.codeview.Symbol}), lines of both generations ({@link
 * io.ntrail.formats.pdb.codeview.C13Lines}, {@link io.ntrail.formats.pdb.codeview.C11Lines}),
 * inline sites ({@link io.ntrail.formats.pdb.codeview.InlineSiteLines}) and types ({@link
 * io.ntrail.formats.pdb.codeview.TypeTable}). Numbers of sections count from 1; offsets in sections
 * are those of the program as it was linked.
 *
 * <p>Sources: Microsoft's microsoft-pdb (include/cvinfo.h, cvdump), LLVM's docs/PDB/CodeViewSymbols
 * and CodeViewTypes; where these differ from real files, the files are followed and the class says
 * so.
 */
@NullMarked
package io.ntrail.formats.pdb.codeview;

import org.jspecify.annotations.NullMarked;

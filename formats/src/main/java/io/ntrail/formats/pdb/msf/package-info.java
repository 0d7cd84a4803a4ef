/**
 * MSF 7, the container of a PDB: a file system of numbered streams in one file.
 *
 * <p>The file consists of blocks of one size, a power of two. Block 0 starts with the superblock;
 * it lists the blocks of the directory map, these list the blocks of the directory, and the
 * directory has the size and the blocks of each stream. A stream is read in place, by pages:
 * nothing but the directory is read in advance.
 *
 * <p>Sources: Microsoft's microsoft-pdb (PDB/msf/msf.cpp), LLVM's docs/PDB/MsfFile.rst.
 */
@NullMarked
package io.ntrail.formats.pdb.msf;

import org.jspecify.annotations.NullMarked;

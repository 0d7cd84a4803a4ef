/**
 * MSF 7, the container of a PDB: a file system of numbered streams in one file.
 *
 * <p>The file consists of blocks of one size, a power of two. Block 0 begins with the superblock;
 * it names the blocks of the directory map, these name the blocks of the directory, and the
 * directory names the size and the blocks of each stream. A stream is read by pages where it lies:
 * nothing but the directory is read before it is asked for.
 *
 * <p>Sources: Microsoft's microsoft-pdb (PDB/msf/msf.cpp), LLVM's docs/PDB/MsfFile.rst.
 */
@NullMarked
package io.ntrail.formats.pdb.msf;

import org.jspecify.annotations.NullMarked;

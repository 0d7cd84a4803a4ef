package io.ntrail.formats.ntr;

import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import org.jspecify.annotations.Nullable;

/**
 * An image in the address space of a process of a recording.
 *
 * @param number its id in this file; 0 is none
 * @param process the number of its process; 0 if it is in all of them
 * @param base its load address
 * @param image its identity; the size is SizeOfImage
 * @param loaded ticks, 0 if before the recording
 * @param unloaded ticks, 0 if it stayed
 * @param path as the system has it
 * @param pdb identity of its PDB, or null if it has none
 * @param pdbName the file name of the PDB, empty without one
 */
public record TracedModule(
    long number,
    long process,
    long base,
    ImageId image,
    long loaded,
    long unloaded,
    String path,
    @Nullable PdbId pdb,
    String pdbName) {}

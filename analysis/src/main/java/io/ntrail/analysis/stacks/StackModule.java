package io.ntrail.analysis.stacks;

import io.ntrail.analysis.naming.PdbReference;
import java.util.Optional;

/**
 * Image in the address space of stacks.
 *
 * @param name last part of its path
 * @param base first address
 * @param size bytes; 0 if unknown
 * @param pdb the one that belongs to it; empty if not recorded
 * @param isUnloaded whether it was there earlier, and is not any more
 */
public record StackModule(
    String name, long base, long size, Optional<PdbReference> pdb, boolean isUnloaded) {}

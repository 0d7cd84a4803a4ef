/**
 * Fixups: places of a PE image that the loader changes.
 *
 * <pre>
 * {@link io.ntrail.formats.pe.fixups.Relocations}          base relocations: addresses that depend on the image base
 * {@link io.ntrail.formats.pe.fixups.DynamicRelocations}   the dynamic value relocation table of the load configuration
 * </pre>
 *
 * <p>Both are stored as blocks, one per page: {@code u32 page RVA, u32 size}, then entries ({@code
 * RelocationBlocks}). A {@link io.ntrail.formats.pe.fixups.DynamicFixup} is one entry of the second
 * table: retpolines, import optimization, function overrides, ARM64X, and the rest. Nothing is held
 * in memory: every use walks the stored bytes.
 *
 * <p>Sources: Microsoft's "PE Format"; ntimage.h; phlib of System Informer for function overrides.
 */
@NullMarked
package io.ntrail.formats.pe.fixups;

import org.jspecify.annotations.NullMarked;

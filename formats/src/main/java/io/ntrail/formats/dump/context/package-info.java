/**
 * Registers of threads as dumps hold them: the CONTEXT of Windows for x86, x64 and ARM64, and the
 * extended state (XSAVE) after it.
 *
 * <p>{@link io.ntrail.formats.dump.context.ProcessorContext} finds out which layout some bytes have
 * and reads registers by name or number; the layouts are tables, in the spelling of winnt.h. Bits
 * of {@code ContextFlags} say which groups of registers were saved.
 */
@NullMarked
package io.ntrail.formats.dump.context;

import org.jspecify.annotations.NullMarked;

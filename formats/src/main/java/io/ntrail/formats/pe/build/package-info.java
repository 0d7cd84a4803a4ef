/**
 * Builder of PE images: executables, DLLs and drivers, for tests and for live tracing.
 *
 * <p>{@link io.ntrail.formats.pe.build.PeBuilder} is the entry point. The caller writes the content
 * of sections through {@link io.ntrail.formats.pe.build.PeSectionContent}, which has labels and
 * references to labels, and declares imports, exports, functions, resources and the other
 * directories; {@link io.ntrail.formats.pe.build.UnwindInfoBuilder} makes the unwind information of
 * an x64 function. {@code build()} lays the sections out ({@code PeLayout}), makes the tables
 * ({@code PeTables}, {@code ResourceTreeBuilder}), resolves the references, and writes the headers
 * ({@code PeFileHeaders}). Equal declarations give equal bytes. {@link
 * io.ntrail.formats.pe.build.TypicalLibrary} is one that is like those of Windows.
 *
 * <p>Source of the layout: Microsoft's "PE Format".
 */
@NullMarked
package io.ntrail.formats.pe.build;

import org.jspecify.annotations.NullMarked;

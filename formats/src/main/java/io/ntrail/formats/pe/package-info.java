/**
 * PE images: the programs, libraries and drivers of Windows.
 *
 * <p>A file starts with an MZ header, whose word at 3Ch is the offset of {@code PE\0\0}; the file
 * header, the optional header with sixteen directories, and the section table follow it. The loader
 * maps headers and sections to the addresses in the section table; everything else in an image is
 * found through RVAs, addresses relative to the image base.
 *
 * <pre>
 * {@link io.ntrail.formats.pe.PeImage}     headers, sections, and access to the bytes
 * {@link io.ntrail.formats.pe.ImageView}   the bytes by RVA, from a file or from memory
 * </pre>
 *
 * <p>Directories are classes with a method {@code of(PeImage)}. They read as far as the data is
 * plausible and add a {@link io.ntrail.formats.bytes.Gap} to the image where it is not: a hostile
 * image has an answer too. This package holds the directories that describe the image as a whole
 * (imports, exports, resources, TLS, load configuration, debug directory, certificates, CLR header,
 * ...). The others are chapters of their own, which use this one and which it does not use:
 *
 * <pre>
 * pe.fixups     base relocations, dynamic relocations
 * pe.unwind     function tables and unwind information
 * pe.handlers   the data of language-specific exception handlers
 * pe.build      a writer of images
 * </pre>
 *
 * <p>Sources: Microsoft's "PE Format" and the structures of winnt.h; where loaders are known to
 * differ from the description, the loader is followed and the class says so.
 */
@NullMarked
package io.ntrail.formats.pe;

import org.jspecify.annotations.NullMarked;

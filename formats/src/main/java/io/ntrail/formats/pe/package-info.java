/**
 * PE images: the programs, libraries and drivers of Windows.
 *
 * <p>A file begins with an MZ header, whose word at 3Ch says where {@code PE\0\0} stands; behind it
 * lie the file header, the optional header with sixteen directories, and the section table. The
 * loader maps headers and sections to the addresses that the table names; everything else in an
 * image is found through RVAs, addresses counted from where it was mapped.
 *
 * <pre>
 * {@link io.ntrail.formats.pe.PeImage}     headers, sections, and the way to the bytes
 * {@link io.ntrail.formats.pe.ImageView}   the bytes by RVA, from a file or from memory
 * {@link io.ntrail.formats.pe.PeBuilder}   builds programs and libraries
 * </pre>
 *
 * <p>Directories are classes with a method {@code of(PeImage)}. They read what is there, stop at
 * what cannot be, and leave a gap with the image then: a hostile image has an answer too.
 *
 * <p>Sources: Microsoft's description of the format and the structures of its headers; where
 * loaders are known to do otherwise than the description, the loader is followed, and it is said
 * there.
 */
@NullMarked
package io.ntrail.formats.pe;

import org.jspecify.annotations.NullMarked;

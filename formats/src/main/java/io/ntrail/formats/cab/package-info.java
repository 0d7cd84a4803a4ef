/**
 * Microsoft cabinets: {@code .cab}, and the single files that symbol servers and installers keep
 * packed ({@code .pd_}, {@code .dl_}, {@code .ex_}, {@code .sy_}).
 *
 * <p>{@link io.ntrail.formats.cab.Cabinet} lists the files of a cabinet, or of a set of them, and
 * unpacks one at a time as a stream; of a file of any size no more than a window of its data is in
 * memory. Stored data, MSZIP and LZX are read, Quantum is refused by name. The layout is that of
 * MS-CAB, LZX that of MS-PATCH with the frames of cabinets; names of fields are Microsoft's.
 */
@NullMarked
package io.ntrail.formats.cab;

import org.jspecify.annotations.NullMarked;

/**
 * ntrail's own recordings of function calls ({@code .ntr}): writer and reader of the format in
 * docs/ntr.md.
 *
 * <p>A file is chunks, each with a header and two checksums: subject and clock of the recording
 * ({@link io.ntrail.formats.ntr.NtrHeader}), definitions ({@link
 * io.ntrail.formats.ntr.TracedModule} and its neighbours), events of one thread, statistics ({@link
 * io.ntrail.formats.ntr.RecorderCounter}), at the end an index.
 *
 * <p>{@link io.ntrail.formats.ntr.NtrWriter} appends; {@link io.ntrail.formats.ntr.NtrFile} opens
 * by the index or by going through the file, and {@link io.ntrail.formats.ntr.ThreadEventCursor}
 * walks the events of a thread as a flyweight. Events come as they were recorded: entries and exits
 * are paired elsewhere. Damage becomes a {@link io.ntrail.formats.bytes.Gap}, and reading continues
 * at the next chunk.
 */
@NullMarked
package io.ntrail.formats.ntr;

import org.jspecify.annotations.NullMarked;

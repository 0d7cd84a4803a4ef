/**
 * A writer of minidumps: header, directory and the streams that debuggers read of an x64 process.
 *
 * <p>Everything but the memory of a full dump is placed by 32-bit offsets and written first; that
 * memory comes last and may be of any size.
 */
@NullMarked
package io.ntrail.formats.dump.write;

import org.jspecify.annotations.NullMarked;

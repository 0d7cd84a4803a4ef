/**
 * Windows, as an agent asks it by its API: memory, modes and clocks of processes, names of files.
 * Nothing here knows which programs are watched.
 */
@NullMarked
package io.ntrail.live.windows;

import org.jspecify.annotations.NullMarked;

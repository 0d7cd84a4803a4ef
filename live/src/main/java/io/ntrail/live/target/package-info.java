/**
 * A program for Windows that is watched: its process, threads, modules and memory, seen from the
 * outside through an agent. Nothing here knows what is done with it.
 */
@NullMarked
package io.ntrail.live.target;

import org.jspecify.annotations.NullMarked;

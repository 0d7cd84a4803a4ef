/**
 * Windows program that is watched from the outside through an agent: its process, threads, modules
 * and memory. Nothing here knows what is done with it.
 */
@NullMarked
package io.ntrail.live.target;

import org.jspecify.annotations.NullMarked;

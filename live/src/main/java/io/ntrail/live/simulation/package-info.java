/**
 * Simulated system on which a trace can be set up without Windows or Wine, so that the start cache
 * learns what runs before a program's first instruction.
 */
package io.ntrail.live.simulation;

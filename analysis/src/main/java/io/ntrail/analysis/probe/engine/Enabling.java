package io.ntrail.analysis.probe.engine;

/**
 * Clause at one of its probes.
 *
 * @param id from 1, in the order of the program
 */
public record Enabling(int id, Probe probe, CompiledClause clause) {}

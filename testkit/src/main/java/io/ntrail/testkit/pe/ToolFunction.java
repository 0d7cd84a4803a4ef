package io.ntrail.testkit.pe;

/**
 * A row of the function table as a tool printed it; all are RVAs.
 *
 * @param begin first byte
 * @param end past the last byte
 * @param unwind where its UNWIND_INFO lies
 */
public record ToolFunction(long begin, long end, long unwind) {}

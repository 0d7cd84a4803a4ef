package io.ntrail.live.code;

/** Bytes to write into a target. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record MemoryWrite(long address, byte[] bytes) {}

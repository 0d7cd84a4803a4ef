package io.ntrail.formats.dump;

/**
 * A thread (MINIDUMP_THREAD).
 *
 * @param id of the thread
 * @param suspendCount how often it was suspended; 0: it runs
 * @param priorityClass of the process
 * @param priority relative to it
 * @param teb address of its environment block; 0 if unknown
 * @param stackStart lowest address of the part of its stack that is in use
 * @param stack bytes of that part; its offset is 0 if they are among the memory of the dump alone
 * @param context its registers
 * @param backingStart address of its register backing store (IA-64); 0 if it has none
 * @param backingStore bytes of that
 */
public record DumpThread(
    long id,
    long suspendCount,
    long priorityClass,
    long priority,
    long teb,
    long stackStart,
    FileRange stack,
    FileRange context,
    long backingStart,
    FileRange backingStore) {}

package io.ntrail.formats.elf;

/**
 * Bytes of a file that are mapped: a program header of the type PT_LOAD.
 *
 * @param address of the first byte, as the linker gave it
 * @param memorySize bytes in memory; what is not in the file is zero
 * @param offset of the bytes in the file
 * @param fileSize bytes in the file, at most as many as in memory
 * @param flags {@link #EXECUTE}, {@link #WRITE}, {@link #READ}
 */
public record ElfSegment(long address, long memorySize, long offset, long fileSize, int flags) {
  public static final int EXECUTE = 1;
  public static final int WRITE = 2;
  public static final int READ = 4;
}

package io.ntrail.live.code;

/**
 * Content of the runtime block: routines that all stubs and slots use, and routines that threads of
 * their own run. All offsets count from the beginning of the block.
 *
 * @param data offset of the memory that the code writes; it ends where the code begins
 * @param code offset of the code
 * @param end offset of the end of the memory that is needed
 * @param bytes everything from {@code code} on
 * @param table offset of the function table; its addresses count from {@code code}
 * @param entries number of entries of the function table
 * @param routines offsets of the routines
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record RuntimeImage(
    int data, int code, int end, byte[] bytes, int table, int entries, Routines routines) {
  /**
   * Offsets of routines that threads of their own run. Each takes the address of its parameters,
   * which have 64 bits each.
   *
   * @param register registers function tables: count, address of RtlAddGrowableFunctionTable, then
   *     the six arguments of each call; returns the first status that is a failure, or 0
   * @param unregister deletes function tables: count, address of RtlDeleteGrowableFunctionTable,
   *     then the handles
   * @param touch touches pages: address, size
   * @param copyAreas copies an area to those that follow it: address, number of the others
   * @param selfTest runs an {@link UnwindTest}
   * @param overhead runs an {@link OverheadTest}
   */
  public record Routines(
      int register, int unregister, int touch, int copyAreas, int selfTest, int overhead) {}
}

package io.ntrail.live.capture;

import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.x64.RegisteredFunctions;

/**
 * Function table that a program registered for code that is of no module.
 *
 * @param begin first address of the code
 * @param end address after the code
 * @param base address that the offsets in the table count from
 * @param table address of the table, entries of RUNTIME_FUNCTION
 * @param entries their number
 */
public record DynamicTable(long begin, long end, long base, long table, int entries) {
  /** Returns the table for lookups, read from memory when it is needed. */
  RegisteredFunctions.Table in(AddressSpace memory) {
    return new RegisteredFunctions.Table(
        begin,
        end,
        base,
        () -> RegisteredFunctions.entries(memory.readUpTo(table, RuntimeFunction.SIZE * entries)));
  }
}

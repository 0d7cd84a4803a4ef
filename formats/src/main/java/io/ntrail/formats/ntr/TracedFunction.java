package io.ntrail.formats.ntr;

import java.util.List;

/**
 * A function of a recording.
 *
 * @param number its id in events; 0 is none
 * @param module the number of its module; 0 if it is in none
 * @param rva its address relative to the module's base; without a module its address
 * @param name empty if unknown to the recorder
 * @param arguments sources of the values of its entries, by the numbers of docs/ntr.md section 4;
 *     empty if arguments are not recorded
 */
public record TracedFunction(
    long number, long module, long rva, String name, List<Integer> arguments) {
  /** Copies the list. */
  public TracedFunction {
    arguments = List.copyOf(arguments);
  }
}

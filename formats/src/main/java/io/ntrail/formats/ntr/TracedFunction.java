package io.ntrail.formats.ntr;

import java.util.List;

/**
 * A function of a recording.
 *
 * @param number what stands for it in events; 0 is none
 * @param module the number of its module; 0 if it lies in none
 * @param rva its address from the module's base on; without a module its address
 * @param name empty if the recorder knew none
 * @param arguments where the values of its entries come from, by the numbers of docs/ntr.md section
 *     4; empty if arguments are not recorded
 */
public record TracedFunction(
    long number, long module, long rva, String name, List<Integer> arguments) {
  /** Copies the list. */
  public TracedFunction {
    arguments = List.copyOf(arguments);
  }
}

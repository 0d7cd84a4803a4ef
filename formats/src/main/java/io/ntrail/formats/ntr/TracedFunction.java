package io.ntrail.formats.ntr;

import io.ntrail.formats.identity.CallPrototype;
import java.util.List;
import java.util.Optional;

/**
 * A function of a recording.
 *
 * @param number its id in events; 0 is none
 * @param module the number of its module; 0 if it is in none
 * @param rva its address relative to the module's base; without a module its address
 * @param name empty if unknown to the recorder
 * @param arguments sources of the values of its entries, by the numbers of docs/ntr.md section 4;
 *     empty if arguments are not recorded
 * @param prototype which of these sources are its arguments; empty if the recorder did not know
 */
public record TracedFunction(
    long number,
    long module,
    long rva,
    String name,
    List<Integer> arguments,
    Optional<CallPrototype> prototype) {
  /** Copies the list. */
  public TracedFunction {
    arguments = List.copyOf(arguments);
  }

  /** Creates a function whose prototype is not known. */
  public TracedFunction(long number, long module, long rva, String name, List<Integer> arguments) {
    this(number, module, rva, name, arguments, Optional.empty());
  }

  /** Returns this function with the places of values that a session records. */
  public TracedFunction recording(List<Integer> places) {
    return new TracedFunction(
        number, module, rva, name, places, places.isEmpty() ? Optional.empty() : prototype);
  }
}

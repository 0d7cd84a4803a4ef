package io.ntrail.analysis.calls;

import io.ntrail.formats.ntr.TracedFunction;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A routine.
 *
 * @param module in which it lies; null if in none that is known
 * @param address where it begins
 * @param name as the recording has it; null if it has none
 */
public record CallFunction(@Nullable CallModule module, long address, @Nullable String name) {
  /**
   * Returns a recorded function as calls have it.
   *
   * @param functions by their numbers
   * @param modules by their numbers
   */
  public static CallFunction of(
      long function, Map<Long, TracedFunction> functions, Map<Long, CallModule> modules) {
    TracedFunction traced = functions.get(function);
    if (traced == null) {
      // Its definition was in a chunk that is damaged.
      return new CallFunction(null, 0, "(function " + Long.toUnsignedString(function) + ")");
    }
    @Nullable CallModule module = modules.get(traced.module());
    long address = module == null ? traced.rva() : module.base() + traced.rva();
    return new CallFunction(module, address, traced.name().isEmpty() ? null : traced.name());
  }

  /** Its address from the start of the module, or its address if that is unknown. */
  public long rva() {
    return module == null ? address : address - module.base();
  }
}

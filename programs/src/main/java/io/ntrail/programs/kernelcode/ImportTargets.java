package io.ntrail.programs.kernelcode;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Addresses that imports of a driver had when it was loaded. */
@FunctionalInterface
public interface ImportTargets {
  /** Knows no address. */
  ImportTargets NONE = (_, _, _) -> OptionalLong.empty();

  /**
   * Returns the address of an imported function, forwarders followed.
   *
   * @param module as the import names it, with extension
   * @param name of the function; null: it is imported by ordinal
   * @param ordinal counts if there is no name
   * @return empty if it is not known
   */
  OptionalLong address(String module, @Nullable String name, int ordinal);
}

package io.ntrail.programs.unwind;

import io.ntrail.formats.collections.Search;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Modules of an address space by address. */
@FunctionalInterface
public interface LoadedModules {
  /** Returns the module that contains an address; the same object each time. */
  Optional<LoadedModule> at(long address);

  /**
   * Returns modules of a list by address. Of modules that overlap the one with the higher base
   * counts, as far as it reaches.
   */
  static LoadedModules of(Collection<LoadedModule> modules) {
    List<Optional<LoadedModule>> sorted =
        modules.stream()
            .sorted(Comparator.comparingLong(module -> module.base() ^ Long.MIN_VALUE))
            .map(Optional::of)
            .toList();
    long[] bases = sorted.stream().mapToLong(module -> module.orElseThrow().base()).toArray();
    return address -> {
      int at = Search.floorUnsigned(bases, bases.length, address);
      return at >= 0 && sorted.get(at).orElseThrow().contains(address)
          ? sorted.get(at)
          : Optional.empty();
    };
  }
}

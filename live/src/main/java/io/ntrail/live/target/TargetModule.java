package io.ntrail.live.target;

import org.jspecify.annotations.Nullable;

/**
 * Module of a running program.
 *
 * @param base where it lies
 * @param size bytes of address space
 * @param path as the loader has it
 * @param name the last part of it
 */
public record TargetModule(long base, long size, String path, String name) {
  // The methods that the JVM makes for a record take several milliseconds at their first call.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TargetModule its
        && base == its.base
        && size == its.size
        && path.equals(its.path)
        && name.equals(its.name);
  }

  @Override
  public int hashCode() {
    return (Long.hashCode(base) * 31 + Long.hashCode(size)) * 31 + path.hashCode();
  }

  /** Returns whether an address lies in it. */
  public boolean contains(long address) {
    return address - base >= 0 && address - base < size;
  }

  /** Returns the name without its extension, as in {@code ntdll!NtClose}. */
  public String stem() {
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }
}

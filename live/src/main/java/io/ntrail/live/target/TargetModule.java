package io.ntrail.live.target;

/**
 * Module of a running program.
 *
 * @param base where it lies
 * @param size bytes of address space
 * @param path as the loader has it
 * @param name the last part of it
 */
public record TargetModule(long base, long size, String path, String name) {
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

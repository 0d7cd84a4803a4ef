package io.ntrail.programs.services;

import io.ntrail.formats.bytes.ResourceFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of system services that ship with the program, by their hash. A hash that two names had
 * would mean neither; so far there is none.
 */
public final class ServiceNames {
  private static final String RESOURCE = "names.txt";

  private final List<String> list;
  private final Map<Integer, String> byHash;

  private ServiceNames(List<String> list) {
    this.list = List.copyOf(list);
    this.byHash = new HashMap<>(2 * list.size());
    for (String name : list) {
      byHash.put(ServiceNameHash.of(name.substring(2)), name);
    }
  }

  /** Reads the list; it is not kept anywhere else. */
  public static ServiceNames load() {
    return new ServiceNames(
        ResourceFile.text(ServiceNames.class, RESOURCE)
            .lines()
            .filter(line -> !line.startsWith("#"))
            .toList());
  }

  /** All names with their {@code Nt}, in order. */
  public List<String> list() {
    return list;
  }

  /** The name that has a hash, null if none of the list has it. */
  public @Nullable String name(int hash) {
    return byHash.get(hash);
  }

  /** The hashes of all names, for callers with millions of numbers to compare. */
  int[] hashes() {
    return byHash.keySet().stream().mapToInt(Integer::intValue).toArray();
  }
}

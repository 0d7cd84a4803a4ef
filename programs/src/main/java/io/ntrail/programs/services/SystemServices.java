package io.ntrail.programs.services;

import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.services.StubForm.Stub;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The system services of an image.
 *
 * @param source where they were found
 * @param list by {@link SystemService#index}, then by address
 * @param named number of those with a name
 */
public record SystemServices(Source source, List<SystemService> list, int named) {
  /** Places with services. */
  public enum Source {
    /** Nowhere. */
    NONE,
    /** Exported stubs that enter the kernel; the index is the number of the service. */
    STUBS,
    /** KiServicesTab of a kernel; the index is the place in that table. */
    SERVICES_TAB
  }

  /**
   * Finds them. A kernel has stubs too (its Zw routines): the table, which has more, comes first.
   */
  public static SystemServices of(PeImage image) {
    ServiceNames names = ServiceNames.load();
    Optional<List<SystemService>> table = ServicesTab.find(image, names);
    List<SystemService> list = table.orElseGet(() -> stubs(image));
    Source found = table.isPresent() ? Source.SERVICES_TAB : Source.STUBS;
    return new SystemServices(
        list.isEmpty() ? Source.NONE : found,
        list,
        (int) list.stream().filter(service -> service.name() != null).count());
  }

  /** Names of an address that starts like a stub. */
  private static final class Exported {
    private final Stub stub;
    private @Nullable String name;

    Exported(Stub stub) {
      this.stub = stub;
    }

    /** Adds a name: the one with Nt counts, else that with Zw, else the first one. */
    void call(@Nullable String other) {
      if (other != null && (name == null || rank(other) < rank(name))) {
        name = other;
      }
    }

    private static int rank(String name) {
      return !ServiceNameHash.isPrefixed(name) ? 2 : name.startsWith("Nt") ? 0 : 1;
    }
  }

  private static List<SystemService> stubs(PeImage image) {
    CodeRanges code = CodeRanges.of(image);
    Map<Long, Exported> stubs = new HashMap<>();
    for (Export export : Exports.of(image).list()) {
      String name = export.name();
      if (export.forward() != null || !code.contains(export.rva())) {
        continue;
      }
      Exported known = stubs.get(export.rva());
      if (known == null) {
        Optional<Stub> stub =
            StubForm.read(image, export.rva(), name != null && ServiceNameHash.isPrefixed(name));
        if (stub.isEmpty()) {
          continue;
        }
        known = new Exported(stub.get());
        stubs.put(export.rva(), known);
      }
      known.call(name);
    }
    List<SystemService> list = new ArrayList<>(stubs.size());
    stubs.forEach((rva, exported) ->
        list.add(
            new SystemService(
                exported.stub.number(),
                hash(exported.name),
                exported.stub.arguments(),
                rva,
                exported.name)));
    list.sort(Comparator.comparingInt(SystemService::index).thenComparingLong(SystemService::rva));
    return List.copyOf(list);
  }

  private static OptionalInt hash(@Nullable String name) {
    return name != null && ServiceNameHash.isPrefixed(name)
        ? OptionalInt.of(ServiceNameHash.of(name.substring(2)))
        : OptionalInt.empty();
  }
}

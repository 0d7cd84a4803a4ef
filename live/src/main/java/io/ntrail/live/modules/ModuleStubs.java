package io.ntrail.live.modules;

import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stubs of a library at one address, for whenever it is loaded there. */
final class ModuleStubs {
  private final PlannedModule module;
  private final List<Patcher.Patched> functions;

  /** Functions that are patched whatever is selected, and not traced. */
  private final List<Patcher.Patched> own = new ArrayList<>();

  private final TracingMemory.@Nullable Table table;
  private boolean registered;
  private boolean defined;

  /** Addresses of the functions that are selected now. */
  private LongSet selected;

  /** Identity of a build of a library. */
  record Library(String path, long timestamp, long size, long checksum) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Library its
          && path.equals(its.path)
          && timestamp == its.timestamp
          && size == its.size
          && checksum == its.checksum;
    }

    @Override
    public int hashCode() {
      return path.hashCode() * 31 + Long.hashCode(timestamp ^ size ^ checksum);
    }
  }

  /** A build of a library at an address. */
  record LoadAddress(Library library, long base) {
    static LoadAddress of(TargetModule module, PeHeaders headers) {
      return new LoadAddress(
          new Library(
              module.path(), headers.timestamp(), headers.sizeOfImage(), headers.checksum()),
          module.base());
    }

    // The methods that the JVM makes for a record take several milliseconds at their first call.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof LoadAddress its && base == its.base && library.equals(its.library);
    }

    @Override
    public int hashCode() {
      return library.hashCode() * 31 + Long.hashCode(base);
    }
  }

  /**
   * Keeps the stubs of a library.
   *
   * @param functions the functions with stubs; all of them are selected
   * @param table function table of the stubs; null: there is none of its own
   * @param known whether the table is registered, if there is one, and the recording has the
   *     functions
   */
  ModuleStubs(
      PlannedModule module,
      Collection<Patcher.Patched> functions,
      TracingMemory.@Nullable Table table,
      boolean known) {
    this.module = module;
    this.functions = new ArrayList<>(functions);
    this.table = table;
    this.registered = known || table == null;
    this.defined = known;
    this.selected = rvas(functions.stream().map(Patcher.Patched::function));
  }

  /** Returns the stubs of a module that was there when they were written. */
  static ModuleStubs present(
      PlannedModule module, List<Patcher.Patched> functions, Patcher patcher) {
    Map<Boolean, List<Patcher.Patched>> byOwn =
        functions.stream().collect(Collectors.partitioningBy(patcher::isOwn));
    ModuleStubs its = new ModuleStubs(module, byOwn.getOrDefault(false, List.of()), null, true);
    its.addOwn(byOwn.getOrDefault(true, List.of()));
    return its;
  }

  /** Adds functions that are patched whatever is selected, and not traced. */
  void addOwn(List<Patcher.Patched> more) {
    own.addAll(more);
  }

  /** Returns whether nothing of the module is patched. */
  boolean isEmpty() {
    return functions.isEmpty() && own.isEmpty();
  }

  /** Returns the addresses of functions. */
  static LongSet rvas(Stream<PlannedFunction> functions) {
    LongSet rvas = new LongSet();
    functions.forEach(function -> rvas.add(function.rva()));
    return rvas;
  }

  /** Returns the library as it was planned. */
  PlannedModule module() {
    return module;
  }

  /** Returns all traced functions that have stubs. */
  List<Patcher.Patched> all() {
    return functions;
  }

  /** Returns the functions that are to be patched now, or the others. */
  List<Patcher.Patched> functions(boolean isSelected) {
    return Stream.concat(
            isSelected ? own.stream() : Stream.empty(),
            functions.stream()
                .filter(patched -> selected.contains(patched.function().rva()) == isSelected))
        .toList();
  }

  /** Selects the functions of a plan. */
  void select(TracePlan now) {
    selected = rvas(now.functions().stream().filter(PlannedFunction::isTraced));
  }

  /** Adds functions that have stubs. */
  void add(List<Patcher.Patched> more) {
    functions.addAll(more);
  }

  /** Returns the function table of the stubs; null: there is none of its own. */
  TracingMemory.@Nullable Table table() {
    return table;
  }

  /** Returns whether the function table is registered. */
  boolean isRegistered() {
    return registered;
  }

  /** Sets whether the function table is registered. */
  void registered(boolean now) {
    registered = now;
  }

  /** Returns whether the recording has the functions. */
  boolean isDefined() {
    return defined;
  }

  /** Sets that the recording has the functions. */
  void define() {
    defined = true;
  }
}

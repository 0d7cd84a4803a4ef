package io.ntrail.live.modules;

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
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What was made for a library at one place, to be used again when it comes to that place again. */
final class ModuleStubs {
  private final PlannedModule module;
  private final List<Patcher.Patched> functions;
  private final TracingMemory.@Nullable Table table;
  private boolean registered;
  private boolean told;

  /** Where those of its functions begin that are asked for now. */
  private Set<Long> wanted;

  /** A build of a library. */
  record Library(String path, long timestamp, long size, long checksum) {}

  /** A build of a library at an address. */
  record Place(Library library, long base) {
    static Place of(TargetModule module, PeHeaders headers) {
      return new Place(
          new Library(
              module.path(), headers.timestamp(), headers.sizeOfImage(), headers.checksum()),
          module.base());
    }
  }

  /**
   * Takes what was made.
   *
   * @param functions whose stubs are written; all of them are asked for
   * @param table of unwind data for the stubs; null: there is none of its own
   * @param known whether it is registered, and the recording knows it
   */
  ModuleStubs(
      PlannedModule module,
      Collection<Patcher.Patched> functions,
      TracingMemory.@Nullable Table table,
      boolean known) {
    this.module = module;
    this.functions = new ArrayList<>(functions);
    this.table = table;
    this.registered = known;
    this.told = known;
    this.wanted = functions.stream().map(p -> p.function().rva()).collect(Collectors.toSet());
  }

  /** The library as it was looked at. */
  PlannedModule module() {
    return module;
  }

  /** All functions that have stubs. */
  List<Patcher.Patched> all() {
    return functions;
  }

  /** Functions that are asked for now, or those that are not. */
  List<Patcher.Patched> functions(boolean asked) {
    return functions.stream()
        .filter(patched -> wanted.contains(patched.function().rva()) == asked)
        .toList();
  }

  /** From now on the functions of a plan are asked for. */
  void want(TracePlan now) {
    wanted =
        now.functions().stream()
            .filter(PlannedFunction::isTraced)
            .map(PlannedFunction::rva)
            .collect(Collectors.toSet());
  }

  /** More functions have stubs. */
  void add(List<Patcher.Patched> more) {
    functions.addAll(more);
  }

  /** Unwind data of the stubs; null: there are none of its own. */
  TracingMemory.@Nullable Table table() {
    return table;
  }

  /** Whether the target's system knows the unwind data. */
  boolean isRegistered() {
    return registered;
  }

  /** The target's system knows the unwind data, or does not. */
  void registered(boolean now) {
    registered = now;
  }

  /** Whether the recording knows the functions. */
  boolean isTold() {
    return told;
  }

  /** The recording knows the functions. */
  void tell() {
    told = true;
  }
}

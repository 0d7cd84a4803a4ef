package io.ntrail.live.modules;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.branches.AgentBranches;
import io.ntrail.live.modules.ModuleStubs.Library;
import io.ntrail.live.modules.ModuleStubs.LoadAddress;
import io.ntrail.live.patch.CodePatching;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.PlansAhead;
import io.ntrail.live.plan.SkipReason;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Plans modules that are loaded while a program is traced, and writes their stubs; those of a
 * library stay when it is unloaded and are used again when it is loaded at the same address.
 */
public final class StubPreparation {
  /** Maximum number of addresses at which one library is given stubs. */
  public static final int MAX_ADDRESSES = 16;

  private final TargetProcess process;
  private final CodePatching patching;
  private final boolean exits;
  private final PlansAhead ahead;
  private final Consumer<TracePlan> planned;
  private final BiConsumer<TargetModule, String> untraceable;
  private final Map<LoadAddress, ModuleStubs> stubs = new HashMap<>();
  private final Set<Library> refused = new HashSet<>();

  /** Modules without selected functions: they need not be planned again while nothing changes. */
  private final Set<LoadAddress> unselected = new HashSet<>();

  private final AgentBranches branches;

  private TracePlan plan;

  /**
   * Prepares nothing yet.
   *
   * @param exits whether exits are recorded where they can be
   * @param plan of the modules that were there at first
   * @param ahead plans for libraries that may be loaded
   * @param planned takes the plans for further modules
   * @param untraceable takes modules with selected functions that cannot be traced, and why
   */
  StubPreparation(
      TargetProcess process,
      CodePatching patching,
      boolean exits,
      TracePlan plan,
      PlansAhead ahead,
      Consumer<TracePlan> planned,
      BiConsumer<TargetModule, String> untraceable) {
    this.process = process;
    this.patching = patching;
    this.exits = exits;
    this.plan = plan;
    this.branches = new AgentBranches(process.calls());
    if (plan.choice().filter(its -> its.mayComeLater(plan.modules())).isPresent()) {
      branches.prepare();
    }
    this.ahead = ahead;
    this.planned = planned;
    this.untraceable = untraceable;
  }

  /** Adds the stubs of a module that was there at first. */
  void add(ModuleStubs known) {
    PlannedModule module = known.module();
    stubs.put(LoadAddress.of(module.module(), module.image().headers()), known);
  }

  /**
   * Returns the stubs of a module, prepared now or before; empty if none of its functions is
   * selected or can be traced, and tracing itself patches none.
   *
   * @param isFresh true if none of its code has run yet
   */
  Optional<ModuleStubs> of(TargetModule module, boolean isFresh) {
    boolean isWanted = mayWant(module.path());
    if (!isWanted && !patching.own().mayBeIn(module)) {
      return Optional.empty();
    }
    try {
      PeImage image = TargetImage.headers(process.memory(), module);
      LoadAddress address = LoadAddress.of(module, image.headers());
      ModuleStubs its = stubs.get(address);
      if (its == null && !unselected.contains(address) && mayAdd(address.library(), module)) {
        Optional<ModuleStubs> prepared =
            withOwn(
                module,
                isWanted
                    ? prepare(module, Optional.of(image).filter(_ -> isFresh))
                    : Optional.empty());
        prepared.ifPresentOrElse(one -> stubs.put(address, one), () -> unselected.add(address));
        its = prepared.orElse(null);
      }
      return Optional.ofNullable(its).filter(prepared -> !prepared.isEmpty());
    } catch (CannotGoOn | DamagedInput e) {
      // This affects no other module, unless the agent is gone.
      process.exitCode();
      planned.accept(
          plan.remark("%s could not be traced: %s".formatted(module.name(), e.getMessage())));
      untraceable.accept(module, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /** Adds the functions of a module that tracing itself patches. */
  private Optional<ModuleStubs> withOwn(TargetModule module, Optional<ModuleStubs> prepared) {
    if (!patching.own().mayBeIn(module)) {
      return prepared;
    }
    List<Patcher.Patched> own = patching.own().in(module, prepared.map(ModuleStubs::module));
    if (own.isEmpty()) {
      return prepared;
    }
    ModuleStubs its =
        prepared.orElseGet(
            () -> new ModuleStubs(own.getFirst().function().module(), List.of(), null, false));
    its.addOwn(own);
    return Optional.of(its);
  }

  /** Does what a thread that loaded a library need not wait for. */
  void release() {
    branches.release();
  }

  /** Returns true if functions of a module of this path can be selected. */
  boolean mayWant(String path) {
    TargetModule module = new TargetModule(0, 0, path, WindowsPath.lastPart(path));
    return plan.choice().filter(selection -> selection.mayWant(module)).isPresent();
  }

  private boolean mayAdd(Library library, TargetModule module) {
    long addresses = stubs.keySet().stream().filter(at -> at.library().equals(library)).count();
    if (addresses < MAX_ADDRESSES) {
      return true;
    }
    untraceable.accept(module, "it was loaded at more than %d addresses".formatted(MAX_ADDRESSES));
    if (refused.add(library)) {
      planned.accept(
          plan.remark(
              "%s was loaded at more than %d addresses: not traced at further ones"
                  .formatted(module.name(), MAX_ADDRESSES)));
    }
    return false;
  }

  /** Plans a module and writes its stubs; empty if none of its functions is selected. */
  private Optional<ModuleStubs> prepare(TargetModule module, Optional<PeImage> fresh) {
    TracePlan more =
        plan.later(process, module, fresh, ahead, branches)
            .withoutExits(its -> !patching.isPassable(its), SkipReason.Kind.UNWINDER);
    if (more.functions().isEmpty()) {
      planned.accept(more);
      return Optional.empty();
    }
    List<TracingMemory.Table> tables = new ArrayList<>();
    List<Patcher.Patched> functions = write(more, new LongSet(), tables::add);
    if (functions.isEmpty() && more.patched() > 0) {
      // Also where the program has ended, whose memory is not free then, but gone.
      throw new CannotGoOn(
          process.exitCode().isPresent()
              ? "the program ended before it was patched"
              : "there is no free memory near it",
          "");
    }
    return Optional.of(
        new ModuleStubs(
            more.functions().getFirst().module(),
            functions,
            tables.isEmpty() ? null : tables.getFirst(),
            functions.isEmpty()));
  }

  /**
   * Writes the stubs of functions of one module.
   *
   * @param present addresses of the functions that have stubs
   */
  private List<Patcher.Patched> write(
      TracePlan more, LongSet present, Consumer<TracingMemory.Table> tables) {
    List<PlannedFunction> wanted =
        more.functions().stream()
            .filter(function -> function.isTraced() && !present.contains(function.rva()))
            .map(function -> exits ? function : function.entriesOnly())
            .toList();
    List<Patcher.Patched> functions =
        wanted.isEmpty()
            ? List.of()
            : patching.patcher().prepare(wanted.getFirst().module(), wanted, tables);
    LongSet reached = ModuleStubs.rvas(functions.stream().map(Patcher.Patched::function));
    planned.accept(
        more.without(
            wanted.stream().filter(function -> !reached.contains(function.rva())).toList(),
            SkipReason.Kind.OUT_OF_REACH));
    return functions;
  }

  /**
   * Applies a new selection: writes the stubs that it needs in all modules that were prepared.
   *
   * @param added takes further functions of modules that the recording knows
   */
  void extend(Consumer<List<Patcher.Patched>> added) {
    for (ModuleStubs its : List.copyOf(stubs.values())) {
      TracePlan now =
          plan.again(process, its.module())
              .withoutExits(one -> !patching.isPassable(one), SkipReason.Kind.UNWINDER);
      its.select(now);
      LongSet present = ModuleStubs.rvas(its.all().stream().map(Patcher.Patched::function));
      List<Patcher.Patched> more = write(now, present, patching.memory()::table);
      if (its.isDefined()) {
        added.accept(more);
      }
      its.add(more);
    }
  }

  /** Sets the selection for everything that is prepared from now on. */
  void select(TracePlan.Selection selection) {
    plan = plan.choosing(selection);
    unselected.clear();
  }
}

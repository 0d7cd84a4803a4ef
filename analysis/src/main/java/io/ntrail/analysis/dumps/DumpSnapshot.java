package io.ntrail.analysis.dumps;

import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.analysis.stacks.ProcessSnapshot;
import io.ntrail.analysis.stacks.SnapshotModule;
import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.formats.dump.SystemInfo;
import io.ntrail.formats.dump.context.ShadowStack;
import io.ntrail.formats.dump.streams.DynamicFunctionTable;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.x64.DynamicFunctions;
import io.ntrail.programs.unwind.x64.RegisteredFunctions;
import io.ntrail.programs.unwind.x64.WindowsBehavior;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One side of a dumped process, for the stacks of its threads. For one thread. */
public final class DumpSnapshot implements ProcessSnapshot {
  private static final long BUILD_1809 = 17763;
  private static final long BUILD_20H2 = 19042;
  private static final long BUILD_WINDOWS_11 = 22000;

  private final DumpRecording dump;
  private final DumpView view;
  private final List<SnapshotModule> modules = new ArrayList<>();
  private final Map<Long, SnapshotModule> byBase = new HashMap<>();
  private final DynamicFunctions dynamic;

  /**
   * @param view one of the sides of the dump
   */
  public DumpSnapshot(DumpRecording dump, DumpView view) {
    this.dump = dump;
    this.view = view;
    for (DumpedModule module : view.modules().list()) {
      SnapshotModule described = describe(module);
      modules.add(described);
      byBase.putIfAbsent(module.base(), described);
    }
    this.dynamic =
        view.is64Bit()
            ? new RegisteredFunctions(registered(dump), view.memory())
            : DynamicFunctions.NONE;
  }

  /** Returns the tables of functions that the process registered for code that it made. */
  private static List<RegisteredFunctions.Table> registered(DumpRecording dump) {
    return DynamicFunctionTable.of(dump.dump()).stream()
        .filter(table -> table.entryBytes() == RuntimeFunction.SIZE)
        .map(table ->
            new RegisteredFunctions.Table(
                table.minimum(),
                table.maximum(),
                table.base(),
                () -> RegisteredFunctions.entries(table.entries())))
        .toList();
  }

  private static SnapshotModule describe(DumpedModule module) {
    ImageId id = module.id();
    // Other systems separate folders by slashes; names of files are the last parts here.
    String path = module.path().replace('/', '\\');
    return new SnapshotModule(
        module.base(),
        module.size(),
        new ImageFile(path, id.size(), (int) id.timestamp()),
        module.pdb().map(pdb -> new PdbReference(pdb, pdbName(module))),
        module::image);
  }

  /** Returns the path of a PDB; a dump that does not have it has at least the program's name. */
  private static String pdbName(DumpedModule module) {
    String path = module.pdbPath();
    return path.isEmpty() ? module.name().replaceFirst("\\.[^.]*$", "") + ".pdb" : path;
  }

  /** Returns the side of the dump. */
  public DumpView view() {
    return view;
  }

  @Override
  public boolean is64Bit() {
    return view.is64Bit();
  }

  @Override
  public AddressSpace memory() {
    return view.memory();
  }

  @Override
  public LoadedModules modules() {
    return view.modules();
  }

  @Override
  public List<SnapshotModule> moduleList() {
    return modules;
  }

  @Override
  public Optional<SnapshotModule> describe(LoadedModule module) {
    return Optional.ofNullable(byBase.get(module.base()));
  }

  @Override
  public Optional<String> unloadedAt(long address) {
    return view.modules().unloadedPlaces(address);
  }

  @Override
  public List<SnapshotThread> threads() {
    List<SnapshotThread> threads = new ArrayList<>();
    for (DumpedThread thread : dump.threads()) {
      Optional<StackBounds> stack = view.stack(thread);
      Optional<FrameRegisters> start = view.registers(thread);
      threads.add(
          new SnapshotThread(
              thread.tid(),
              thread.name(),
              thread.isFaulting(),
              start,
              start.isPresent() ? "" : view.noRegisters(thread),
              stack.map(StackBounds::reserved).orElse(0L),
              stack.map(StackBounds::high).orElse(0L),
              view.teb(thread),
              view.shadowStack(thread)
                  .filter(ShadowStack::isEnabled)
                  .map(ShadowStack::pointer)
                  .orElse(0L)));
    }
    threads.sort(Comparator.comparing(thread -> !thread.isFaulting()));
    return threads;
  }

  @Override
  public DynamicFunctions dynamicFunctions() {
    return dynamic;
  }

  @Override
  public WindowsBehavior behavior() {
    long build = dump.system().filter(SystemInfo::isWindows).map(SystemInfo::build).orElse(0L);
    if (build == 0 || build >= BUILD_WINDOWS_11) {
      return WindowsBehavior.newest();
    }
    return build >= BUILD_20H2
        ? WindowsBehavior.SINCE_20H2
        : build >= BUILD_1809 ? WindowsBehavior.SINCE_1809 : WindowsBehavior.BEFORE_1809;
  }
}

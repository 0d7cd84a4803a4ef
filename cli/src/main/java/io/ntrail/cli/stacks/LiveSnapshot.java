package io.ntrail.cli.stacks;

import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.analysis.stacks.ProcessSnapshot;
import io.ntrail.analysis.stacks.SnapshotModule;
import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView.Pdb70;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.capture.ProcessCapture;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.x64.DynamicFunctions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Snapshot of a running program: its threads as they were copied, each at an instant of its own.
 * Names come from the files that the modules were loaded from, where this machine has them: symbol
 * tables are not in memory.
 */
final class LiveSnapshot implements ProcessSnapshot {
  private final ProcessCapture capture;
  private final List<SnapshotModule> modules = new ArrayList<>();
  private final Map<Long, SnapshotModule> byBase = new HashMap<>();
  private final Set<Path> folders = new LinkedHashSet<>();

  /** Describes what was captured; asks the process for the files of its modules. */
  LiveSnapshot(TargetProcess process, ProcessCapture capture) {
    this.capture = capture;
    for (TargetModule module : capture.modules()) {
      Optional<Path> file = process.file(module).filter(Files::isRegularFile);
      file.map(Path::toAbsolutePath).map(Path::getParent).ifPresent(folders::add);
      SnapshotModule described = describe(module, file);
      modules.add(described);
      byBase.put(module.base(), described);
    }
  }

  private SnapshotModule describe(TargetModule module, Optional<Path> file) {
    Optional<PeImage> outline = capture.outline(module);
    return new SnapshotModule(
        module.base(),
        module.size(),
        new ImageFile(
            module.path(),
            module.size(),
            outline.map(image -> (int) image.headers().timestamp()).orElse(0)),
        outline.flatMap(LiveSnapshot::pdb),
        () -> file.flatMap(path -> stored(path, outline)).or(() -> inMemory(module)));
  }

  private static Optional<PdbReference> pdb(PeImage outline) {
    try {
      return DebugDirectory.of(outline)
          .codeView()
          .flatMap(view -> view instanceof Pdb70 pdb ? Optional.of(pdb) : Optional.empty())
          .map(pdb -> new PdbReference(new PdbId(pdb.guid(), pdb.age()), pdb.path()));
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }

  /** Reads a file, which counts if it is the build that was loaded. */
  private static Optional<PeImage> stored(Path path, Optional<PeImage> outline) {
    try {
      PeImage image = PeImage.ofFile(InputFile.copy(path, path.toString()));
      return outline.isPresent() && image.headers().isSameBuild(outline.get().headers())
          ? Optional.of(image)
          : Optional.empty();
    } catch (IOException | CannotGoOn | DamagedInput e) {
      return Optional.empty();
    }
  }

  private Optional<PeImage> inMemory(TargetModule module) {
    return capture.loaded().at(module.base()).flatMap(LoadedModule::image);
  }

  /**
   * Returns the folders of this machine that modules were loaded from: PDBs may lie beside them.
   */
  List<Path> folders() {
    return List.copyOf(folders);
  }

  @Override
  public boolean is64Bit() {
    return capture.is64Bit();
  }

  @Override
  public AddressSpace memory() {
    return capture.memory();
  }

  @Override
  public LoadedModules modules() {
    return capture.loaded();
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
  public List<SnapshotThread> threads() {
    return capture.threads().stream().map(LiveSnapshot::thread).toList();
  }

  private static SnapshotThread thread(CapturedThread thread) {
    return new SnapshotThread(
        thread.tid(),
        thread.name().isEmpty() ? null : thread.name(),
        false,
        Optional.of(thread.registers()),
        "",
        thread.stackLimit(),
        thread.stackBase(),
        thread.environmentBlock(),
        0);
  }

  @Override
  public DynamicFunctions dynamicFunctions() {
    return capture.functions();
  }
}

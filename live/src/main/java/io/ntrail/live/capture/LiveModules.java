package io.ntrail.live.capture;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Modules of a running process; the image of one is copied when an address in it is asked for. */
final class LiveModules implements LoadedModules {
  private final TargetMemory memory;
  private final List<TargetModule> modules;
  private final Map<TargetModule, LoadedModule> loaded = new HashMap<>();

  LiveModules(TargetMemory memory, List<TargetModule> modules) {
    this.memory = memory;
    this.modules = List.copyOf(modules);
  }

  @Override
  public Optional<LoadedModule> at(long address) {
    return modules.stream()
        .filter(module -> module.contains(address))
        .findFirst()
        .map(module -> loaded.computeIfAbsent(module, this::load));
  }

  private LoadedModule load(TargetModule module) {
    try {
      return new LoadedModule(
          module.path(),
          module.base(),
          module.size(),
          Optional.of(TargetImage.read(memory, module)));
    } catch (CannotGoOn e) {
      // Its headers are not there, or damaged.
      return new LoadedModule(module.path(), module.base(), module.size(), Optional.empty());
    }
  }
}

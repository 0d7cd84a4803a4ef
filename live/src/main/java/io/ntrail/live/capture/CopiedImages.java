package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import java.util.EnumSet;
import java.util.Optional;

/** Memory of a process in which images of modules were copied: those, and behind them the rest. */
final class CopiedImages implements AddressSpace {
  private final LoadedModules modules;
  private final AddressSpace rest;

  CopiedImages(LoadedModules modules, AddressSpace rest) {
    this.modules = modules;
    this.rest = rest;
  }

  @Override
  public String name() {
    return rest.name();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    Optional<LoadedModule> module = modules.at(address);
    Optional<PeImage> image = module.flatMap(LoadedModule::image);
    if (image.isEmpty()) {
      return rest.regionAt(address);
    }
    long base = module.get().base();
    return image
        .get()
        .section(address - base)
        .map(section ->
            new MemoryRegion(
                base + section.rva(),
                section.end() - section.rva(),
                access(section),
                module.get().name()));
  }

  private static EnumSet<Access> access(Section section) {
    EnumSet<Access> access = EnumSet.noneOf(Access.class);
    if (section.is(Section.READ)) {
      access.add(Access.READ);
    }
    if (section.is(Section.EXECUTE)) {
      access.add(Access.EXECUTE);
    }
    return access;
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Optional<LoadedModule> module = modules.at(address);
    Optional<PeImage> image = module.flatMap(LoadedModule::image);
    if (image.isEmpty()) {
      return rest.readUpTo(address, most);
    }
    long rva = address - module.get().base();
    int length = (int) Math.min(most, image.get().view().available(rva));
    return length == 0 ? Bytes.copyOf(new byte[0], name()) : image.get().view().bytes(rva, length);
  }
}

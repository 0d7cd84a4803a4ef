package io.ntrail.analysis.dumps;

import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.dump.DumpModule;
import io.ntrail.formats.dump.UnloadedModule;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The modules of a process, or of one side of it, by address. Of those that overlap, the one with
 * the higher base counts, as far as it reaches, and behind its end the other one again. May be used
 * by several threads.
 */
public final class DumpModules implements LoadedModules {
  private static final int MOST_PLACES = 8;

  private final List<DumpedModule> list;
  private final List<UnloadedModule> unloaded;
  private final ModuleImages images;
  private final DumpedModule[] byAddress;
  private final long[] bases;

  /** For each of them the nearest one before it that reaches further; -1 if there is none. */
  private final int[] wider;

  private DumpModules(List<DumpedModule> list, List<UnloadedModule> unloaded, ModuleImages images) {
    this.list = List.copyOf(list);
    this.unloaded = List.copyOf(unloaded);
    this.images = images;
    // An entry that lost its address, which is a gap of the dump, has no code at that address.
    List<DumpedModule> placed = list.stream().filter(module -> module.base() != 0).toList();
    int[] order =
        RowSort.sorted(
            placed.size(),
            (a, b) -> Long.compareUnsigned(placed.get(a).base(), placed.get(b).base()));
    byAddress = new DumpedModule[order.length];
    bases = new long[order.length];
    wider = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      byAddress[i] = placed.get(order[i]);
      bases[i] = byAddress[i].base();
      wider[i] = i - 1;
      while (wider[i] >= 0 && last(byAddress[wider[i]]) <= last(byAddress[i])) {
        wider[i] = wider[wider[i]];
      }
    }
  }

  static DumpModules of(
      List<DumpModule> modules, List<UnloadedModule> unloaded, ModuleImages images) {
    List<DumpedModule> list = new ArrayList<>();
    for (DumpModule module : modules) {
      // One without a size has at least its first page; none goes round the end of memory.
      long size = module.size() == 0 && module.base() != 0 ? 0x1000 : module.size();
      long room = -module.base();
      long kept = room != 0 && Long.compareUnsigned(size, room) > 0 ? room : size;
      list.add(new DumpedModule(module, kept, images));
    }
    return new DumpModules(list, unloaded, images);
  }

  /** Returns the modules of which a part is wanted, with the same images. */
  DumpModules only(List<DumpedModule> some) {
    return new DumpModules(some, unloaded, images);
  }

  /** Returns the modules in the order of the dump: the program first. */
  public List<DumpedModule> list() {
    return list;
  }

  /** Returns the modules that had been unloaded. */
  public List<UnloadedModule> unloaded() {
    return unloaded;
  }

  /** Returns the program; empty if the dump lists no modules. */
  public Optional<DumpedModule> program() {
    return list.isEmpty() ? Optional.empty() : Optional.of(list.getFirst());
  }

  /** Returns the last address of a module; as numbers with a sign they are in their order. */
  private static long last(DumpedModule module) {
    return module.base() + module.size() - 1 + Long.MIN_VALUE;
  }

  @Override
  public Optional<LoadedModule> at(long address) {
    return moduleAt(address).map(DumpedModule::loaded);
  }

  /** Returns the module that contains an address. */
  public Optional<DumpedModule> moduleAt(long address) {
    int at = Search.floorUnsigned(bases, bases.length, address);
    while (at >= 0 && !byAddress[at].contains(address)) {
      at = wider[at];
    }
    return at < 0 ? Optional.empty() : Optional.of(byAddress[at]);
  }

  /** Returns the first of the list that contained an address before it was unloaded. */
  public Optional<UnloadedModule> unloadedAt(long address) {
    return unloaded.stream()
        .filter(module -> Long.compareUnsigned(address - module.base(), module.size()) < 0)
        .findFirst();
  }

  /**
   * Returns the places that an address was at before modules were unloaded, in the order of the
   * list: one address can have been in several, one after the other.
   */
  Optional<String> unloadedPlaces(long address) {
    List<String> places =
        unloaded.stream()
            .filter(module -> Long.compareUnsigned(address - module.base(), module.size()) < 0)
            .map(module ->
                DumpedModule.nameOf(module.path())
                    + "+0x"
                    + Long.toHexString(address - module.base()))
            .distinct()
            .limit(MOST_PLACES)
            .toList();
    return places.isEmpty() ? Optional.empty() : Optional.of(String.join(" or ", places));
  }

  /**
   * Returns modules by name: the file name with or without {@code .dll} or {@code .exe}, or the
   * whole path; case does not matter.
   */
  public List<DumpedModule> named(String name) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return list.stream()
        .filter(module -> {
          String file = module.name().toLowerCase(Locale.ROOT);
          int dot = file.lastIndexOf('.');
          return file.equals(wanted)
              || dot > 0 && file.substring(0, dot).equals(wanted)
              || module.path().toLowerCase(Locale.ROOT).equals(wanted);
        })
        .toList();
  }

  /** Returns true if files of modules are looked for at all. */
  boolean haveFiles() {
    return images.haveSource();
  }

  /** Returns the module at an address if its file is found. */
  Optional<DumpedModule> withFileAt(long address) {
    return moduleAt(address).filter(DumpedModule::hasFile);
  }
}

package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackWalk;
import java.util.IdentityHashMap;
import java.util.Optional;

/**
 * RtlLookupFunctionEntry: the function entry of an address, from the table of the image that it is
 * in, else from what the program registered. Function tables are read when an address in their
 * image is first asked for, and kept. Not safe for several threads.
 */
public final class FunctionLookup {
  private final LoadedModules modules;
  private final DynamicFunctions dynamic;

  /** By identity: two modules can have the same name and image. */
  private final IdentityHashMap<LoadedModule, FunctionTable> tables = new IdentityHashMap<>();

  /** Answers of a lookup. */
  public sealed interface Answer {}

  /** The address is in the range of an entry. */
  public record Found(FunctionEntry entry) implements Answer {}

  /** The address is in an image whose table has no entry for it: a leaf function, or no code. */
  public record Leaf(LoadedModule module) implements Answer {}

  /**
   * It is not known whether there is an entry.
   *
   * @param end kind of the reason
   * @param why in words, with addresses
   */
  public record Unknown(StackWalk.End end, String why) implements Answer {}

  /** Makes a lookup over what is loaded and what is registered. */
  public FunctionLookup(LoadedModules modules, DynamicFunctions dynamic) {
    this.modules = modules;
    this.dynamic = dynamic;
  }

  /** Returns the answer for an address. */
  public Answer find(long address) {
    Optional<LoadedModule> module = modules.at(address);
    if (module.isPresent()) {
      return inModule(module.get(), address);
    }
    Optional<FunctionEntry> registered = dynamic.find(address);
    return registered.isPresent()
        ? new Found(registered.get())
        : new Unknown(StackWalk.End.UNKNOWN_CODE, "0x%x is in no module".formatted(address));
  }

  /** Returns the entry for an address; empty if there is none or it is not known. */
  Optional<FunctionEntry> entry(long address) {
    return find(address) instanceof Found found ? Optional.of(found.entry) : Optional.empty();
  }

  /** Returns the begin of the function that an address lies in; 0 if no unwind data tell it. */
  public long begin(long address) {
    return entry(address).map(entry -> entry.base() + entry.primary().begin()).orElse(0L);
  }

  /** Returns the modules that are searched. */
  LoadedModules modules() {
    return modules;
  }

  private Answer inModule(LoadedModule module, long address) {
    if (module.image().isEmpty()) {
      return new Unknown(
          StackWalk.End.UNKNOWN_CODE,
          "0x%x is in %s, whose unwind data are not at hand".formatted(address, module.name()));
    }
    PeImage image = module.image().get();
    if (image.headers().machine() != MachineType.AMD64) {
      return new Unknown(
          StackWalk.End.UNSUPPORTED,
          "0x%x is in %s, which is not for x64".formatted(address, module.name()));
    }
    FunctionTable table = tables.computeIfAbsent(module, _ -> FunctionTable.inPlace(image));
    Optional<RuntimeFunction> function = table.entry(address - module.base());
    if (function.isPresent()) {
      return new Found(new FunctionEntry(module.base(), function.get(), image.view()));
    }
    if (!table.isWhole()) {
      return new Unknown(
          StackWalk.End.MEMORY_MISSING,
          "0x%x is in %s, whose function table is not all there".formatted(address, module.name()));
    }
    return new Leaf(module);
  }
}

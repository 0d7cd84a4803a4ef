package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSet;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.FunctionLookup;
import io.ntrail.programs.unwind.x64.RegisteredFunctions;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.programs.unwind.x64.VirtualUnwinder;
import io.ntrail.programs.unwind.x64.WindowsBehavior;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Code of a running program, for walks of stacks that were copied a moment ago: images of modules
 * are copied once, and stay when the program has ended. Not safe for several threads.
 */
public final class ProgramCode {
  /** Bytes of images that are copied before they are needed. */
  private static final long AHEAD = 64L << 20;

  private static final int MOST_BEGINS = 1 << 16;

  /** Memory without a byte. */
  private final ImageSet nothing = new ImageSet("copied stack", List.of());

  private final TargetProcess process;
  private final LongPredicate isTracing;
  private final Map<TargetModule, LoadedModule> images = new LinkedHashMap<>();
  private List<TargetModule> modules = List.of();
  private AddressSpace live = nothing;
  private StackWalker walker;
  private FunctionLookup lookup;
  private final Map<Long, Long> begins = new HashMap<>();
  private boolean ended;

  /**
   * Copies the modules that are loaded, up to a limit.
   *
   * @param isTracing tells addresses of code that belongs to tracing
   */
  public ProgramCode(TargetProcess process, LongPredicate isTracing) {
    this.process = process;
    this.isTracing = isTracing;
    VirtualUnwinder unwinder = refreshed(List.of());
    this.walker = new StackWalker(unwinder);
    this.lookup = unwinder.lookup();
    long copied = 0;
    for (TargetModule module : modules) {
      copied += module.size();
      if (copied <= AHEAD) {
        image(module);
      }
    }
  }

  /**
   * Looks for modules and function tables again.
   *
   * @param handles of tables that are known
   */
  public void refresh(Collection<Long> handles) {
    if (!ended) {
      VirtualUnwinder unwinder = refreshed(handles);
      walker = new StackWalker(unwinder);
      lookup = unwinder.lookup();
    }
  }

  /** Notes that the program has ended: only what was copied is there. */
  public void end() {
    ended = true;
    live = nothing;
  }

  private VirtualUnwinder refreshed(Collection<Long> handles) {
    modules = process.modules();
    begins.clear();
    images.keySet().retainAll(modules);
    List<DynamicTable> tables =
        DynamicTables.of(process, modules, handles).stream()
            .filter(table -> !isTracing.test(table.begin()))
            .toList();
    live = new LiveMemory("process " + process.pid(), process.memory(), modules);
    AddressSpace code = new CopiedImages(this::at, new Uncopied());
    return new VirtualUnwinder(
        code,
        this::at,
        new RegisteredFunctions(tables.stream().map(table -> table.in(code)).toList(), code),
        WindowsBehavior.newest());
  }

  /** Returns the frames of the callers, beginning with the return address. */
  public StackWalk callers(SampledStack stack) {
    return walker.walkCallers(
        stack.caller(), new CopiedMemory(List.of(stack.stack()), nothing), stack.limits());
  }

  /** Returns the distance of a return address from the begin of its function; 0 if unknown. */
  public long offset(long address) {
    if (begins.size() > MOST_BEGINS) {
      begins.clear();
    }
    // A call may be the last instruction of a function.
    long begin = begins.computeIfAbsent(address, at -> lookup.begin(at - 1));
    return begin == 0 ? 0 : address - begin;
  }

  /** Returns the module that contains an address. */
  public Optional<TargetModule> module(long address) {
    return modules.stream().filter(module -> module.contains(address)).findFirst();
  }

  /** Returns the image of a module; empty if it could not be copied. */
  public Optional<PeImage> image(TargetModule module) {
    LoadedModule known = images.get(module);
    if (known == null) {
      known = new LoadedModule(module.path(), module.base(), module.size(), copy(module));
      images.put(module, known);
    }
    return known.image();
  }

  private Optional<PeImage> copy(TargetModule module) {
    try {
      return ended ? Optional.empty() : Optional.of(TargetImage.read(process.memory(), module));
    } catch (CannotGoOn e) {
      // Its headers are not there, or damaged.
      return Optional.empty();
    }
  }

  private Optional<LoadedModule> at(long address) {
    return module(address)
        .map(module -> {
          image(module);
          return images.get(module);
        });
  }

  /** Memory that is in no copied image, as long as the program runs. */
  private final class Uncopied implements AddressSpace {
    @Override
    public String name() {
      return live.name();
    }

    @Override
    public Optional<MemoryRegion> regionAt(long address) {
      return live.regionAt(address);
    }

    @Override
    public Bytes readUpTo(long address, int most) {
      return live.readUpTo(address, most);
    }
  }
}

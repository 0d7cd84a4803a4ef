package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSet;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.FunctionLookup;
import io.ntrail.programs.unwind.x64.RegisteredFunctions;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.programs.unwind.x64.VirtualUnwinder;
import io.ntrail.programs.unwind.x64.WindowsBehavior;
import io.ntrail.programs.unwind.x86.FrameDataTable;
import io.ntrail.programs.unwind.x86.PdbFrameData;
import io.ntrail.programs.unwind.x86.X86Walker;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
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
  private final NavigableMap<Long, TracedCode> traced;
  private Walker walker;
  private final Map<Long, Long> begins = new HashMap<>();
  private boolean ended;

  /**
   * Copies the modules that are loaded, up to a limit.
   *
   * @param isTracing tells addresses of code that belongs to tracing
   * @param traced functions whose first instructions are changed, by address; it may grow
   */
  public ProgramCode(
      TargetProcess process, LongPredicate isTracing, NavigableMap<Long, TracedCode> traced) {
    this.process = process;
    this.isTracing = isTracing;
    this.traced = traced;
    this.walker = refreshed(List.of());
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
      walker = refreshed(handles);
    }
  }

  /** Notes that the program has ended: only what was copied is there. */
  public void end() {
    ended = true;
    live = nothing;
  }

  /** Walk from an entry to all its callers. */
  private interface Walker {
    StackWalk callers(SampledStack stack, AddressSpace memory, long function);

    /** Returns whether a walk met code that is not known. */
    boolean isLost(StackWalk walk);

    /** Returns the begin of the function of an address; 0 if unknown. */
    long begin(long address);
  }

  private Walker refreshed(Collection<Long> handles) {
    modules = process.modules();
    begins.clear();
    images.keySet().retainAll(modules);
    live = new LiveMemory("process " + process.pid(), process.memory(), modules);
    AddressSpace code = new CopiedImages(this::at, new Uncopied());
    return process.is32Bit()
        ? new WalkerOf32Bits(new OriginalCode(traced, code))
        : unwinder(handles, code);
  }

  private Walker unwinder(Collection<Long> handles, AddressSpace code) {
    List<DynamicTable> tables =
        DynamicTables.of(process, modules, handles).stream()
            .filter(table -> !isTracing.test(table.begin()))
            .toList();
    return new WalkerOf64Bits(
        new VirtualUnwinder(
            code,
            this::at,
            new RegisteredFunctions(tables.stream().map(table -> table.in(code)).toList(), code),
            WindowsBehavior.newest()));
  }

  /**
   * Returns the frames of the callers, beginning with the return address.
   *
   * @param function its address; 0 if unknown. It matters in 32-bit code, where functions may
   *     remove arguments
   */
  public StackWalk callers(SampledStack stack, long function) {
    AddressSpace memory = new CopiedMemory(List.of(stack.stack()), nothing);
    return walker.callers(stack, memory, function);
  }

  /** Returns whether a walk met code that is not known. */
  public boolean isLost(StackWalk walk) {
    return walk.end() == StackWalk.End.UNKNOWN_CODE || walker.isLost(walk);
  }

  /** Returns the distance of a return address from the begin of its function; 0 if unknown. */
  public long offset(long address) {
    if (begins.size() > MOST_BEGINS) {
      begins.clear();
    }
    // A call may be the last instruction of a function.
    long begin = begins.computeIfAbsent(address, at -> walker.begin(at - 1));
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

  /** Walks by unwind data. */
  private static final class WalkerOf64Bits implements Walker {
    private final StackWalker walker;
    private final FunctionLookup lookup;

    WalkerOf64Bits(VirtualUnwinder unwinder) {
      this.walker = new StackWalker(unwinder);
      this.lookup = unwinder.lookup();
    }

    @Override
    public StackWalk callers(SampledStack stack, AddressSpace memory, long function) {
      return walker.walkCallers(stack.caller(), memory, stack.limits());
    }

    @Override
    public boolean isLost(StackWalk walk) {
      return walk.frames().stream()
          .anyMatch(frame -> frame.trust() == FrameTrust.SCAN || frame.trust() == FrameTrust.FRAME);
    }

    @Override
    public long begin(long address) {
      return lookup.begin(address);
    }
  }

  /** Walks by frame data of images, code and frame pointers. */
  private final class WalkerOf32Bits implements Walker {
    private final X86Walker walker;

    WalkerOf32Bits(AddressSpace code) {
      IdentityHashMap<LoadedModule, FrameDataTable> tables = new IdentityHashMap<>();
      this.walker =
          new X86Walker(
              code,
              ProgramCode.this::at,
              module ->
                  tables.computeIfAbsent(
                      module, its -> new PdbFrameData(Optional.empty(), its.image())));
    }

    @Override
    public StackWalk callers(SampledStack stack, AddressSpace memory, long function) {
      FrameRegisters entered = stack.caller().copy();
      entered.setSp(stack.key() - Integer.BYTES);
      entered.setIp(function);
      return walker.walkCallers(entered, memory, stack.limits());
    }

    @Override
    public boolean isLost(StackWalk walk) {
      return walk.frames().stream().anyMatch(frame -> module(frame.ip()).isEmpty());
    }

    @Override
    public long begin(long address) {
      return 0;
    }
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

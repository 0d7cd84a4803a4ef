package io.ntrail.analysis.profile;

import io.ntrail.analysis.machine.AddressSpaces;
import io.ntrail.analysis.machine.ImageFile;
import io.ntrail.analysis.stacks.Frames;
import io.ntrail.analysis.symbols.RecordingSymbols;
import io.ntrail.analysis.symbols.SymbolAt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for what addresses mean: a method or a function with a name, or a range of {@value
 * #RANGE} bytes of a module where nobody names the function. Remembers what it has looked up.
 */
public final class Functions {
  /** Bytes of a range. */
  public static final int RANGE = 256;

  /** Module of code that lies in no image. */
  public static final int UNKNOWN = 0;

  /** Module of code that was compiled while the program ran. */
  public static final int JITTED = 1;

  /** Module of weights that have no stack. */
  public static final int NO_STACK = 2;

  /** Function of addresses of which nothing is known. */
  static final int UNKNOWN_FUNCTION = 0;

  /** Function of weights that have no stack. */
  static final int NO_STACK_FUNCTION = 1;

  /** Layouts whose addresses are remembered, each in 64 KiB and more. */
  private static final int MOST_LAYOUTS = 128;

  /** Processes that are remembered, a power of two. */
  private static final int MOST_PROCESSES = 1 << 12;

  /** Layouts with numbers, some 100 bytes each. */
  private static final int MOST_NUMBERED = 1 << 16;

  /** Addresses of a layout that are remembered, 32 bytes each. */
  private static final int MOST_ADDRESSES = 1 << 14;

  /** Addresses with numbers that are remembered by these. */
  private static final int MOST_NUMBERS = 1 << 14;

  /** What was looked up where the same lies at the same addresses: often in many processes. */
  private static final class Looked {
    private final LongIndex known = new LongIndex(64);

    /** By the number of an address, that of its function and 1; 0 if it is not known. */
    private int[] numbered = {};

    int get(int number) {
      return number < numbered.length ? numbered[number] - 1 : -1;
    }

    int get(long address) {
      return known.get(address);
    }

    void put(int number, long address, int function) {
      if (number < 0 || number >= MOST_NUMBERS) {
        if (known.size() >= MOST_ADDRESSES) {
          known.clear();
        }
        known.put(address, function);
        return;
      }
      if (number >= numbered.length) {
        numbered = Arrays.copyOf(numbered, Math.min(MOST_NUMBERS, 2 * number + 64));
      }
      numbered[number] = function + 1;
    }
  }

  /** What lies where in both halves. */
  private record Layouts(AddressSpaces.Layout user, AddressSpaces.Layout kernel) {}

  /** A process, and what lies in it since it last changed. */
  private static final class Process {
    final int id;
    final AddressSpaces.Space space;
    private int changes;
    private Layouts layouts;

    /** Numbers of both layouts, -2 if they were not looked up yet. */
    int userNumber = -2;

    int kernelNumber = -2;

    Process(int id, AddressSpaces.Space space) {
      this.id = id;
      this.space = space;
      this.changes = space.changes();
      this.layouts = layoutsNow();
    }

    private Layouts layoutsNow() {
      return new Layouts(space.layout(false), space.layout(true));
    }

    Layouts at(long key) {
      space.moveTo(key);
      if (space.changes() != changes) {
        changes = space.changes();
        layouts = layoutsNow();
        userNumber = -2;
        kernelNumber = -2;
      }
      return layouts;
    }
  }

  private final AddressSpaces spaces;
  private final @Nullable RecordingSymbols symbols;
  private final @Nullable Process[] processes = new Process[MOST_PROCESSES];

  /** The longest unused go first. */
  private final Map<Layouts, Looked> looked =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Layouts, Looked> eldest) {
          return size() > MOST_LAYOUTS;
        }
      };

  private @Nullable Layouts lastLayouts;
  private Looked lastLooked = new Looked();

  private final Map<AddressSpaces.Layout, Integer> layoutNumbers = new HashMap<>();
  private int[] layoutProcesses = new int[16];
  private long[] layoutKeys = new long[16];
  private final Map<String, String> spellings;
  private final @Nullable Set<String> inBothHalves;
  private final BitSet modulesInBothHalves = new BitSet();
  private final BitSet kernelModules = new BitSet();
  private final BitSet managed = new BitSet();

  private final List<String> moduleNames = new ArrayList<>();
  private final Map<String, Integer> modulesByName = new HashMap<>();
  private int[] moduleOfFile = {};

  private int size;
  private int[] modules = new int[256];
  private long[] rvas = new long[256];
  private String[] names = new String[256];
  private final LongIndex ranges = new LongIndex(1024);
  private final Map<String, Integer> named = new HashMap<>();
  private final LongIndex methods = new LongIndex(256);

  Functions(AddressSpaces spaces, @Nullable RecordingSymbols symbols) {
    this.spaces = spaces;
    this.symbols = symbols;
    this.spellings = spaces.spellings();
    this.inBothHalves = spaces.namesInBothHalves();
    module("(unknown)");
    module("(jitted)");
    module("(no stack)");
    add(UNKNOWN, -1, "");
    add(NO_STACK, -1, "");
  }

  private int module(String name) {
    return modulesByName.computeIfAbsent(
        name.toLowerCase(Locale.ROOT),
        small -> {
          moduleNames.add(spellings.getOrDefault(small, name));
          Set<String> both = inBothHalves;
          if (both == null || both.contains(small)) {
            modulesInBothHalves.set(moduleNames.size() - 1);
          }
          return moduleNames.size() - 1;
        });
  }

  private int add(int module, long rva, String name) {
    if (size == modules.length) {
      modules = Arrays.copyOf(modules, 2 * size);
      rvas = Arrays.copyOf(rvas, 2 * size);
      names = Arrays.copyOf(names, 2 * size);
    }
    modules[size] = module;
    rvas[size] = rva;
    names[size] = name;
    return size++;
  }

  /**
   * Resolves the frames of a stack.
   *
   * @param into receives a number for each frame; made longer if need be
   * @return the array with the numbers
   */
  int[] resolve(int process, long key, Frames frames, int[] into) {
    int count = frames.count();
    int[] result = into.length >= count ? into : new int[Math.max(count, 2 * into.length)];
    Process owner = process(process);
    Layouts layouts = owner.at(key);
    if (!layouts.equals(lastLayouts)) {
      lastLayouts = layouts;
      lastLooked = looked.computeIfAbsent(layouts, _ -> new Looked());
    }
    Looked here = lastLooked;
    for (int i = 0; i < count; i++) {
      int number = frames.number(i);
      int function = number >= 0 ? here.get(number) : -1;
      result[i] = function >= 0 ? function : resolve(owner, frames.address(i), number);
    }
    return result;
  }

  private int resolve(Process owner, long address, int number) {
    boolean numbered = number >= 0 && number < MOST_NUMBERS;
    int function = numbered ? -1 : lastLooked.get(address);
    if (function < 0) {
      function = lookUp(owner.space, address);
      if (spaces.isKernel(address)) {
        kernelModules.set(modules[function]);
      }
      lastLooked.put(number, address, function);
    }
    return function;
  }

  /**
   * A number for what lies where in one half of a process at a time: the same ones mean that every
   * address of the half resolves to the same function. -1 if there are too many.
   */
  int layout(int process, long key, boolean kernel) {
    Process owner = process(process);
    Layouts layouts = owner.at(key);
    int number = kernel ? owner.kernelNumber : owner.userNumber;
    if (number == -2) {
      number = number(kernel ? layouts.kernel : layouts.user, process, key);
      if (kernel) {
        owner.kernelNumber = number;
      } else {
        owner.userNumber = number;
      }
    }
    return number;
  }

  private int number(AddressSpaces.Layout layout, int process, long key) {
    int next = layoutNumbers.size();
    Integer known = next < MOST_NUMBERED ? null : layoutNumbers.getOrDefault(layout, -1);
    if (known == null) {
      known = layoutNumbers.computeIfAbsent(layout, _ -> next);
      if (known == next) {
        if (next == layoutKeys.length) {
          layoutProcesses = Arrays.copyOf(layoutProcesses, 2 * next);
          layoutKeys = Arrays.copyOf(layoutKeys, 2 * next);
        }
        layoutProcesses[next] = process;
        layoutKeys[next] = key;
      }
    }
    return known;
  }

  /** Resolves frames of one half under one of its layouts. See {@link #layout}. */
  int[] resolve(int layout, Frames frames, int[] into) {
    return resolve(layoutProcesses[layout], layoutKeys[layout], frames, into);
  }

  /** Whether a function, or one of the same module, may be found in both halves. */
  boolean mayBeInBothHalves(int function) {
    return modules[function] <= NO_STACK || modulesInBothHalves.get(modules[function]);
  }

  private Process process(int id) {
    // Ids are multiples of 4.
    int slot = (id >>> 2 ^ id >>> 14) & MOST_PROCESSES - 1;
    Process found = processes[slot];
    if (found == null || found.id != id) {
      found = new Process(id, spaces.space(id));
      processes[slot] = found;
    }
    return found;
  }

  private int lookUp(AddressSpaces.Space space, long address) {
    if (!space.find(address)) {
      return UNKNOWN_FUNCTION;
    }
    ImageFile image = space.image();
    if (image != null && symbols != null) {
      Optional<SymbolAt> symbol = symbols.at(space.imageNumber(), space.rva());
      if (symbol.isPresent()) {
        return named(
            module(image.name()), symbol.get().begin(), symbol.get().function().function());
      }
    }
    if (space.methodNumber() >= 0) {
      long key = (long) space.methodNumber() << 32 | space.imageNumber() + 1;
      int known = methods.get(key);
      if (known >= 0) {
        return known;
      }
      String name = space.method();
      if (name != null) {
        int function = named(image, space, name);
        managed.set(function);
        methods.put(key, function);
        return function;
      }
    }
    return image == null ? named(null, space, "") : range(image, space);
  }

  private int named(@Nullable ImageFile image, AddressSpaces.Space space, String name) {
    return image == null
        ? named(JITTED, -1, name)
        : named(module(image.name()), space.methodRva(), name);
  }

  private int named(int module, long rva, String name) {
    String key = module + "!" + name;
    Integer known = named.get(key);
    if (known != null) {
      // Whichever of several places of one name comes first.
      rvas[known] = Math.min(rvas[known], rva);
      return known;
    }
    int function = add(module, rva, name);
    named.put(key, function);
    return function;
  }

  private int range(ImageFile image, AddressSpaces.Space space) {
    int file = space.imageNumber();
    if (file >= moduleOfFile.length) {
      int before = moduleOfFile.length;
      moduleOfFile = Arrays.copyOf(moduleOfFile, Math.max(file + 1, 2 * before));
      Arrays.fill(moduleOfFile, before, moduleOfFile.length, -1);
    }
    if (moduleOfFile[file] < 0) {
      moduleOfFile[file] = module(image.name());
    }
    long rva = space.rva() & -RANGE;
    // Images are at most 4 GiB. Those of one name are one module: see decisions/0013.
    long key = (long) moduleOfFile[file] << 32 | rva & 0xFFFF_FFFFL;
    int function = ranges.get(key);
    if (function < 0) {
      function = add(moduleOfFile[file], rva, "");
      ranges.put(key, function);
    }
    return function;
  }

  /** Number of functions so far. */
  public int count() {
    return size;
  }

  /** Number of modules so far. */
  public int moduleCount() {
    return moduleNames.size();
  }

  /** The module of a function. */
  public int module(int function) {
    return modules[function];
  }

  /** Name of a module: the last part of the image's path. */
  public String moduleName(int module) {
    return moduleNames.get(module);
  }

  /** Name of a function; null if nobody names it. */
  public @Nullable String name(int function) {
    return names[function].isEmpty() ? null : names[function];
  }

  /** What a function is, as pictures tell it apart. */
  public FrameKind kind(int function) {
    return managed.get(function) ? FrameKind.MANAGED : kindOfModule(modules[function]);
  }

  /** What most functions of a module are. */
  public FrameKind kindOfModule(int module) {
    if (module == JITTED) {
      return FrameKind.MANAGED;
    }
    return module > NO_STACK && kernelModules.get(module) ? FrameKind.KERNEL : FrameKind.NATIVE;
  }

  /** Where a function, or the range, begins in its module; -1 outside of images. */
  public long rva(int function) {
    return rvas[function];
  }

  /** As people read it: {@code module!name}, {@code module+0x1200}, {@code (unknown)}. */
  public String text(int function) {
    String module = moduleNames.get(modules[function]);
    if (!names[function].isEmpty()) {
      return module + "!" + names[function];
    }
    return rvas[function] < 0 ? module : module + "+0x" + Long.toHexString(rvas[function]);
  }
}

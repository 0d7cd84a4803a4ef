package io.ntrail.analysis.profile;

import io.ntrail.analysis.machine.AddressSpaces;
import io.ntrail.analysis.machine.ImageFile;
import io.ntrail.analysis.stacks.Frames;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for what addresses mean: a method with a name, or a range of {@value #RANGE} bytes of a
 * module as long as nobody names its functions. Remembers what it has looked up.
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

  private static final int MOST_PROCESSES = 256;

  /** Addresses of a process that are remembered, 32 bytes each. */
  private static final int MOST_ADDRESSES = 1 << 14;

  /** Addresses with numbers that are remembered by these. */
  private static final int MOST_NUMBERS = 1 << 14;

  /** Functions of addresses that have numbers. */
  private static final class Numbered {
    /** By the number of an address, that of its function and 1; 0 if it is not known. */
    int[] functions = {};

    int get(int number) {
      return number < functions.length ? functions[number] - 1 : -1;
    }

    void put(int number, int function) {
      if (number >= functions.length) {
        functions = Arrays.copyOf(functions, Math.min(MOST_NUMBERS, 2 * number + 64));
      }
      functions[number] = function + 1;
    }

    void clear() {
      Arrays.fill(functions, 0);
    }
  }

  /** What was looked up in one process. */
  private static final class Process {
    final AddressSpaces.Space space;
    final LongIndex known = new LongIndex(64);
    int changes = -1;
    final Numbered numbered = new Numbered();

    Process(AddressSpaces.Space space) {
      this.space = space;
    }
  }

  private final AddressSpaces spaces;

  /** Processes whose addresses are remembered, the longest unused go first. */
  private final Map<Integer, Process> processes =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Process> eldest) {
          return size() > MOST_PROCESSES;
        }
      };

  private final LongIndex kernel = new LongIndex(1024);
  private final Numbered numberedKernel = new Numbered();
  private int kernelChanges = -1;
  private int lastProcess = RecordCursor.NO_ID;
  private @Nullable Process last;

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

  Functions(AddressSpaces spaces) {
    this.spaces = spaces;
    module("(unknown)");
    module("(jitted)");
    module("(no stack)");
    add(UNKNOWN, -1, "");
    add(NO_STACK, -1, "");
  }

  private int module(String name) {
    return modulesByName.computeIfAbsent(
        name.toLowerCase(Locale.ROOT),
        _ -> {
          moduleNames.add(name);
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
    owner.space.moveTo(key);
    if (owner.space.changes() != owner.changes || owner.known.size() > MOST_ADDRESSES) {
      owner.changes = owner.space.changes();
      owner.known.clear();
      owner.numbered.clear();
    }
    if (owner.space.kernelChanges() != kernelChanges || kernel.size() > 8 * MOST_ADDRESSES) {
      kernelChanges = owner.space.kernelChanges();
      kernel.clear();
      numberedKernel.clear();
    }
    for (int i = 0; i < count; i++) {
      int number = frames.number(i);
      int function = -1;
      if (number >= 0) {
        function = numberedKernel.get(number);
        if (function < 0) {
          function = owner.numbered.get(number);
        }
      }
      result[i] = function >= 0 ? function : resolve(owner, frames.address(i), number);
    }
    return result;
  }

  private int resolve(Process owner, long address, int number) {
    boolean isKernel = spaces.isKernel(address);
    boolean isNumbered = number >= 0 && number < MOST_NUMBERS;
    LongIndex known = isKernel ? kernel : owner.known;
    int function = isNumbered ? -1 : known.get(address);
    if (function < 0) {
      function = lookUp(owner.space, address);
      // What the kernel's half does not know may be the process's own.
      if (!isKernel || function != UNKNOWN_FUNCTION && owner.space.kernelFound()) {
        if (isNumbered) {
          (isKernel ? numberedKernel : owner.numbered).put(number, function);
        } else {
          known.put(address, function);
        }
      }
    }
    return function;
  }

  /** Whether an address is one of the kernel. */
  boolean isKernel(long address) {
    return spaces.isKernel(address);
  }

  private Process process(int id) {
    Process found = last;
    if (found == null || id != lastProcess) {
      found = processes.computeIfAbsent(id, i -> new Process(spaces.space(i)));
      last = found;
      lastProcess = id;
    }
    return found;
  }

  private int lookUp(AddressSpaces.Space space, long address) {
    if (!space.find(address)) {
      return UNKNOWN_FUNCTION;
    }
    ImageFile image = space.image();
    if (space.methodNumber() >= 0) {
      int known = methods.get(space.methodNumber());
      if (known >= 0) {
        return known;
      }
      String name = space.method();
      if (name != null) {
        int function = named(image, space, name);
        methods.put(space.methodNumber(), function);
        return function;
      }
    }
    return image == null ? named(null, space, "") : range(image, space);
  }

  private int named(@Nullable ImageFile image, AddressSpaces.Space space, String name) {
    int module = image == null ? JITTED : module(image.name());
    String key = module + "!" + name;
    Integer known = named.get(key);
    if (known != null) {
      return known;
    }
    long rva = image == null ? -1 : space.methodRva();
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

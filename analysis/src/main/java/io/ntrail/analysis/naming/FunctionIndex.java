package io.ntrail.analysis.naming;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.collections.ObjectColumn;
import io.ntrail.formats.identity.WindowsPath;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for what addresses mean: a method or a function with a name, or a range of {@value
 * #RANGE} bytes of a module where the function has no name.
 */
public final class FunctionIndex {
  /** Bytes of a range. */
  public static final int RANGE = 256;

  /** Module of code that lies in no image. */
  public static final int UNKNOWN = 0;

  /** Module of code that was compiled while the program ran. */
  public static final int JITTED = 1;

  /** Module of weights that have no stack. */
  public static final int NO_STACK = 2;

  /** Module of weights all of whose frames were folded. */
  public static final int FOLDED = 3;

  /** Function of addresses of which nothing is known. */
  static final int UNKNOWN_FUNCTION = 0;

  /** Function of weights that have no stack. */
  public static final int NO_STACK_FUNCTION = 1;

  /** Function of weights all of whose frames were folded. */
  static final int FOLDED_FUNCTION = 2;

  /**
   * A place in source code.
   *
   * @param file where it lay when the program was built
   * @param line from 1
   */
  public record SourceLine(String file, int line) {
    /** Returns it as people read it: {@code stock.cpp:41}. */
    public String text() {
      return WindowsPath.lastPart(file) + ":" + line;
    }
  }

  private final Map<String, String> spellings;
  private final @Nullable Set<String> inBothHalves;
  private final BitSet modulesInBothHalves = new BitSet();
  private final BitSet kernelModules = new BitSet();
  private final BitSet managed = new BitSet();

  private final List<String> moduleNames = new ArrayList<>();
  private final Map<String, Integer> modulesByName = new HashMap<>();

  private final Columns rows = new Columns(256);
  private final IntColumn modules = rows.ints();
  private final LongColumn rvas = rows.longs();
  private final ObjectColumn<String> names = rows.objects();
  private final Map<Integer, SourceLine> lines = new HashMap<>();
  private final LongIntMap ranges = new LongIntMap(512);
  private final Map<String, Integer> named = new HashMap<>();

  /**
   * @param spellings of modules by their names in small letters
   * @param inBothHalves modules that lie in both halves, in small letters; null if any may
   */
  FunctionIndex(Map<String, String> spellings, @Nullable Set<String> inBothHalves) {
    this.spellings = spellings;
    this.inBothHalves = inBothHalves;
    module("(unknown)");
    module("(jitted)");
    module("(no stack)");
    module("(folded)");
    add(UNKNOWN, -1, "");
    add(NO_STACK, -1, "");
    add(FOLDED, -1, "");
  }

  /** Returns the number of a module. */
  int module(String name) {
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
    int row = rows.add();
    modules.set(row, module);
    rvas.set(row, rva);
    names.set(row, name);
    return row;
  }

  /** Returns whether a function, or one of the same module, may be found in both halves. */
  public boolean mayBeInBothHalves(int function) {
    return modules.get(function) <= FOLDED || modulesInBothHalves.get(modules.get(function));
  }

  /**
   * Returns the number of a function with a name, of a line of it, or of a group.
   *
   * @param rva where it begins; -1 if it has no place of its own
   * @param name empty for all of a module
   * @param line null for all of its lines
   */
  int named(int module, long rva, String name, @Nullable SourceLine line) {
    String key = module + "!" + name + (line == null ? "" : "\n" + line.line + "\n" + line.file);
    Integer known = named.get(key);
    if (known != null) {
      // Whichever of several places of one name comes first; what is inlined has none.
      if (rva >= 0 && (rvas.get(known) < 0 || rva < rvas.get(known))) {
        rvas.set(known, rva);
      }
      return known;
    }
    int function = add(module, rva, name);
    named.put(key, function);
    if (line != null) {
      lines.put(function, line);
    }
    return function;
  }

  private static long rangeKey(int module, long begin) {
    // Images are at most 4 GiB. Those of one name are one module: see decisions/0013.
    return (long) module << 32 | begin & 0xFFFF_FFFFL;
  }

  /** Returns the number of the range of a module that an address lies in. */
  int range(int module, long rva) {
    long begin = rva & -RANGE;
    long key = rangeKey(module, begin);
    int function = ranges.get(key);
    if (function < 0) {
      function = add(module, begin, "");
      ranges.put(key, function);
    }
    return function;
  }

  /**
   * Returns the numbers here of all functions of another index of the same recording; those that
   * are new here are added.
   */
  public int[] numbers(FunctionIndex other) {
    int[] modulesHere = moduleNumbers(other);
    int[] numbers = new int[other.count()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i <= FOLDED_FUNCTION ? i : number(other, i, modulesHere[other.module(i)]);
    }
    return numbers;
  }

  private int number(FunctionIndex other, int function, int moduleHere) {
    long rva = other.rvas.get(function);
    long range = rangeKey(other.module(function), rva);
    if (other.ranges.get(range) == function) {
      return range(moduleHere, rva);
    }
    int number = named(moduleHere, rva, other.names.get(function), other.line(function));
    if (other.managed.get(function)) {
      isMethod(number);
    }
    return number;
  }

  /** Returns the numbers here of all modules of another index of the same recording. */
  public int[] moduleNumbers(FunctionIndex other) {
    int[] numbers = new int[other.moduleCount()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = module(other.moduleName(i));
      if (other.kernelModules.get(i)) {
        kernelModules.set(numbers[i]);
      }
    }
    return numbers;
  }

  /** Returns the number of functions so far. */
  public int count() {
    return rows.rows();
  }

  /** Returns the number of modules so far. */
  public int moduleCount() {
    return moduleNames.size();
  }

  /** Returns the module of a function. */
  public int module(int function) {
    return modules.get(function);
  }

  /** Returns the name of a module: the last part of the image's path, or the name of a group. */
  public String moduleName(int module) {
    return moduleNames.get(module);
  }

  /** Returns the name of a function; null if it has no name. */
  public @Nullable String name(int function) {
    return names.get(function).isEmpty() ? null : names.get(function);
  }

  /** Returns the kind of a function for flame graphs. */
  public FrameKind kind(int function) {
    return managed.get(function)
        ? FrameKind.MANAGED
        : isInlined(function) ? FrameKind.INLINED : kindOfModule(modules.get(function));
  }

  /** Returns whether a function was only seen where it was inlined: it has no place of its own. */
  private boolean isInlined(int function) {
    return modules.get(function) > FOLDED
        && rvas.get(function) < 0
        && !names.get(function).isEmpty();
  }

  /** Returns the kind of most functions of a module. */
  public FrameKind kindOfModule(int module) {
    if (module == JITTED) {
      return FrameKind.MANAGED;
    }
    return module > FOLDED && kernelModules.get(module) ? FrameKind.KERNEL : FrameKind.NATIVE;
  }

  /** Notes that a function was seen in the kernel's half. */
  void seenInKernel(int function) {
    kernelModules.set(modules.get(function));
  }

  /** Notes that a function is a method of a runtime. */
  void isMethod(int function) {
    managed.set(function);
  }

  /**
   * Returns the RVA at which a function, or the range, begins in its module; -1 if it has no place
   * there.
   */
  public long rva(int function) {
    return rvas.get(function);
  }

  /** Returns the line that is meant; null if all of the function is. */
  public @Nullable SourceLine line(int function) {
    return lines.get(function);
  }

  /**
   * Returns a function as people read it: {@code module!name}, {@code module+0x1200}, {@code
   * (unknown)}.
   */
  public String text(int function) {
    SourceLine line = lines.get(function);
    return withoutLine(function) + (line == null ? "" : " " + line.text());
  }

  private String withoutLine(int function) {
    String module = moduleNames.get(modules.get(function));
    if (!names.get(function).isEmpty()) {
      return module + "!" + names.get(function);
    }
    return rvas.get(function) < 0 ? module : module + "+0x" + Long.toHexString(rvas.get(function));
  }

  /**
   * Returns whether a pattern means a function: {@code module!function}, with the module's suffix
   * or without, {@code module+0x1200}, a module, or a function's name; of lines also with the line.
   * Code without a name is {@code module!0x1200}, too, so that {@code module!*} means all of it.
   */
  public boolean isMeant(int function, NamePattern pattern) {
    String module = moduleName(modules.get(function));
    // Who tells lines apart means all of a function's lines by its name.
    return isText(withoutLine(function), module, pattern)
        || lines.containsKey(function) && isText(text(function), module, pattern)
        || isModule(module, pattern)
        || pattern.matches(name(function))
        || isUnnamed(function)
            && isText(module + "!0x" + Long.toHexString(rvas.get(function)), module, pattern);
  }

  private boolean isUnnamed(int function) {
    return names.get(function).isEmpty() && rvas.get(function) >= 0;
  }

  private static boolean isText(String text, String module, NamePattern pattern) {
    int dot = module.lastIndexOf('.');
    return pattern.matches(text)
        || dot >= 0 && pattern.matches(module.substring(0, dot) + text.substring(module.length()));
  }

  /** Returns whether a pattern means a module, with its suffix or without. */
  public static boolean isModule(String module, NamePattern pattern) {
    int dot = module.lastIndexOf('.');
    return pattern.matches(module) || dot > 0 && pattern.matches(module.substring(0, dot));
  }
}

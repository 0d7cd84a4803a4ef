package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.CallerStack;
import io.ntrail.formats.decoration.CallConvention;
import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.formats.ntr.TracedFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The names of routines, each found once. For one thread of the reader. */
public final class CallNames {
  /** Name of a routine that lies in no image. */
  public static final String UNKNOWN = "(unknown)";

  private static final int MOST = 1 << 16;

  /** Number of the first word of the stack above the return address (docs/ntr.md section 4). */
  private static final int FIRST_WORD = 17;

  /** A routine's name and what it consists of. */
  public record Name(String module, String function, long rva) {
    /** {@code module.dll!name}. */
    public String text() {
      return module + "!" + function;
    }
  }

  private final CallSource source;
  private final CallImageSymbols images;
  private final Map<Long, Name> known = new HashMap<>();
  private final Map<Long, Optional<Arguments>> arguments = new HashMap<>();

  /** Creates names from the recording, else from images. */
  public CallNames(CallSource source, CallImageSymbols images) {
    this.source = source;
    this.images = images;
  }

  /** The name of a routine; {@code 0xRVA} for one without a name. */
  public Name of(long function) {
    Name name = known.get(function);
    if (name == null) {
      if (known.size() >= MOST) {
        known.clear();
      }
      name = find(source.function(function));
      known.put(function, name);
    }
    return name;
  }

  /**
   * Arguments of a 32-bit function.
   *
   * @param convention by its PDB or its name, and whether it is assumed only
   * @param indexes which values of its entries they are, in their order
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Arguments(String convention, int[] indexes) {}

  /**
   * Returns which values of a routine's entries are its arguments; empty if the values are the
   * arguments.
   */
  public Optional<Arguments> arguments(long function) {
    if (arguments.size() >= MOST) {
      arguments.clear();
    }
    return arguments.computeIfAbsent(
        function,
        its -> {
          Optional<TracedFunction> definition = source.definition(its);
          List<Integer> places = definition.map(TracedFunction::arguments).orElse(List.of());
          if (!CallConvention.isOf(places)) {
            return Optional.empty();
          }
          return Optional.of(
              arguments(definition.flatMap(TracedFunction::prototype), of(its).function, places));
        });
  }

  /**
   * Returns which values of the entries of a 32-bit function are its arguments.
   *
   * @param prototype as its PDB tells it
   * @param name as it is in its module, decorated or not; empty if unknown
   * @param places of the values (docs/ntr.md section 4)
   */
  public static Arguments arguments(
      Optional<CallPrototype> prototype, String name, List<Integer> places) {
    if (prototype.isPresent()) {
      return arguments(prototype.get(), places);
    }
    CallConvention convention = CallConvention.ofExport(name);
    return new Arguments(convention.text(), convention.arguments(places));
  }

  /**
   * Returns whether arguments of a 32-bit function may be in registers where {@link
   * #arguments(Optional, String, List)} takes words of the stack for them.
   */
  public static boolean mayUseRegisters(Optional<CallPrototype> prototype, String name) {
    return prototype
        .map(CallPrototype::isAssumed)
        .orElseGet(() -> CallConvention.ofExport(name).mayUseRegisters());
  }

  /** Finds the arguments of a prototype among what was recorded: up to one that was not. */
  private static Arguments arguments(CallPrototype prototype, List<Integer> places) {
    List<Integer> indexes = new ArrayList<>();
    boolean hasAll = true;
    for (int place : prototype.places()) {
      int index = places.indexOf(place);
      hasAll &= index >= 0;
      if (hasAll) {
        indexes.add(index);
      }
    }
    if (hasAll && prototype.mayHaveMore()) {
      for (int i = 0; i < places.size(); i++) {
        if (places.get(i) >= FIRST_WORD && !prototype.places().contains(places.get(i))) {
          indexes.add(i);
        }
      }
    }
    return new Arguments(prototype.text(), indexes.stream().mapToInt(index -> index).toArray());
  }

  /**
   * Returns what a routine returned: of 32-bit code eax, or edx:eax of functions that are known to
   * return 64 bits.
   */
  public long returned(long function, long value) {
    if (source.pointerBytes(function) != Integer.BYTES) {
      return value;
    }
    boolean isWide =
        source
            .definition(function)
            .flatMap(TracedFunction::prototype)
            .map(CallPrototype::returnsWide)
            .orElseGet(() -> CallConvention.returnsWide(of(function).function));
    return isWide ? value : value & 0xFFFF_FFFFL;
  }

  private Name find(CallFunction function) {
    CallModule module = function.module();
    String name = function.name();
    if (name == null && module != null) {
      name = images.name(module, function.rva());
    }
    if (name == null) {
      name = "0x" + Long.toHexString(function.rva());
    }
    return new Name(module == null ? UNKNOWN : module.name(), name, function.rva());
  }

  /**
   * The name of the function that a frame of a caller lies in; empty if it has none.
   *
   * @param module in which it lies
   */
  public Optional<String> of(CallModule module, CallerStack.Frame frame) {
    if (frame.offset() == 0) {
      return Optional.empty();
    }
    return at(module, frame.address() - module.base() - frame.offset());
  }

  /**
   * Returns the name of the function that begins at a place of a module; empty if it has none.
   *
   * @param rva bytes from the begin of the module
   */
  public Optional<String> at(CallModule module, long rva) {
    return source.nameAt(module, rva).or(() -> Optional.ofNullable(images.name(module, rva)));
  }

  /** {@code module.dll!name}, or {@code module.dll!0xRVA}. */
  public String text(long function) {
    return of(function).text();
  }

  /** The module's name without what follows its last dot. */
  static String withoutExtension(String module) {
    int dot = module.lastIndexOf('.');
    return dot <= 0 ? module : module.substring(0, dot);
  }

  /** The forms that people may write for a routine. */
  public String[] forms(long function) {
    Name name = of(function);
    return new String[] {
      name.text(), withoutExtension(name.module) + "!" + name.function, name.function
    };
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}

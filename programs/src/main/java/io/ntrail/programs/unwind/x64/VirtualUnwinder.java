package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.UnwindDecision.NoRule;
import io.ntrail.programs.unwind.x64.UnwindStep.Caller;
import io.ntrail.programs.unwind.x64.UnwindStep.Failed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * RtlVirtualUnwind: undoes frames one by one. Keeps the rule of every address that it was asked
 * for, so that walks through the same code read neither unwind data nor code again. Not safe for
 * several threads.
 *
 * {@snippet :
 * VirtualUnwinder unwinder = new VirtualUnwinder(space, modules);
 * StackMemory stack = new StackMemory(space);
 * if (unwinder.unwind(registers, stack) instanceof UnwindStep.Caller caller) {
 *   long returnAddress = registers.ip();
 * }
 * }
 */
public final class VirtualUnwinder {
  /** Bound of the addresses and of the functions that are kept; then both begin anew. */
  private static final int MOST_KEPT = 1 << 20;

  private final AddressSpace code;
  private final FunctionLookup lookup;
  private final WindowsBehavior behavior;

  /** Number of the decision by address. */
  private final LongIntMap byAddress = new LongIntMap();

  private final List<UnwindDecision> decisions = new ArrayList<>();

  /** Number of the decision by return address. */
  private final LongIntMap byReturn = new LongIntMap();

  /** Number of the rules by start of the function. */
  private final LongIntMap byFunction = new LongIntMap();

  private final List<FunctionRules> functions = new ArrayList<>();

  /** Makes an unwinder for code of images alone, which does as the newest Windows does. */
  public VirtualUnwinder(AddressSpace code, LoadedModules modules) {
    this(code, modules, DynamicFunctions.NONE, WindowsBehavior.newest());
  }

  /**
   * Makes an unwinder.
   *
   * @param code has the bytes of the code, where the images of modules do not have them
   * @param modules what is loaded; of images that changed in memory, the image there
   * @param dynamic what the program registered
   * @param behavior the version of Windows to do as
   */
  public VirtualUnwinder(
      AddressSpace code,
      LoadedModules modules,
      DynamicFunctions dynamic,
      WindowsBehavior behavior) {
    this.code = code;
    this.lookup = new FunctionLookup(modules, dynamic);
    this.behavior = behavior;
  }

  /** Returns the lookup of function entries. */
  public FunctionLookup lookup() {
    return lookup;
  }

  /** Returns the address space that code is read from. */
  AddressSpace code() {
    return code;
  }

  /** Returns the rule for a frame whose instruction pointer is an address. */
  public UnwindDecision decide(long address) {
    int known = byAddress.get(address);
    return known >= 0 ? decisions.get(known) : decideAnew(address);
  }

  /**
   * Returns the rule at a return address. A call that never returns may be the last instruction of
   * a function: what follows it is another one, or none.
   */
  UnwindDecision decideAfterCall(long address) {
    int known = byReturn.get(address);
    if (known >= 0) {
      return decisions.get(known);
    }
    UnwindDecision decision = decide(address);
    boolean isOther =
        decision instanceof UnwindRule rule
            && (rule.place() == UnwindRule.Place.LEAF || isFirstByte(address));
    if (isOther
        && decide(address - 1) instanceof UnwindRule before
        && before.place() != UnwindRule.Place.LEAF) {
      decision = before;
    }
    byReturn.put(address, decisions.size());
    decisions.add(decision);
    return decision;
  }

  /**
   * Returns the rule for a frame in a function whose entry is given, whatever a lookup would find.
   * Nothing is kept.
   */
  public UnwindDecision decide(FunctionEntry entry, long address) {
    return new FunctionRules(entry, code, lookup, behavior).at(address);
  }

  /**
   * Makes the registers of a frame those of its caller. Volatile registers become unknown.
   *
   * @return what was done; after a failure the registers are not to be used
   */
  public UnwindStep unwind(FrameRegisters registers, StackMemory stack) {
    return switch (decide(registers.ip())) {
      case UnwindRule rule -> run(rule, registers, stack);
      case NoRule none -> new Failed(none.end(), none.why());
    };
  }

  /**
   * Makes the registers of a frame those of its caller, by a rule that was decided for it.
   *
   * @return what was done; after a failure the registers are not to be used
   */
  public static UnwindStep run(UnwindRule rule, FrameRegisters registers, StackMemory stack) {
    try {
      return new Caller(rule, rule.run(registers, stack));
    } catch (DamagedInput e) {
      return new Failed(StackWalk.End.MEMORY_MISSING, e.what());
    } catch (UnknownRegister e) {
      return new Failed(StackWalk.End.MEMORY_MISSING, String.valueOf(e.getMessage()));
    }
  }

  /** Returns true if an address is the first byte of a function entry that it was decided for. */
  private boolean isFirstByte(long address) {
    return byFunction.get(address) >= 0;
  }

  /** Returns true if code can run at an address of a module, as far as its image says. */
  boolean isExecutable(long address) {
    Optional<LoadedModule> module = lookup.modules().at(address);
    return module
        .flatMap(LoadedModule::image)
        .map(image -> image.isExecutable(address - module.get().base()))
        .orElse(true);
  }

  private UnwindDecision decideAnew(long address) {
    if (byAddress.size() == MOST_KEPT || byFunction.size() == MOST_KEPT) {
      byAddress.clear();
      byReturn.clear();
      byFunction.clear();
      decisions.clear();
      functions.clear();
    }
    UnwindDecision decision =
        switch (lookup.find(address)) {
          case FunctionLookup.Found found -> rules(found.entry()).at(address);
          case FunctionLookup.Leaf _ -> UnwindRule.LEAF;
          case FunctionLookup.Unknown unknown -> new NoRule(unknown.end(), unknown.why());
        };
    byAddress.put(address, decisions.size());
    decisions.add(decision);
    return decision;
  }

  private FunctionRules rules(FunctionEntry entry) {
    int known = byFunction.get(entry.begin());
    if (known >= 0) {
      return functions.get(known);
    }
    FunctionRules rules = new FunctionRules(entry, code, lookup, behavior);
    byFunction.put(entry.begin(), functions.size());
    functions.add(rules);
    return rules;
  }
}

package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.unwind.FrameRegisters.BP;
import static io.ntrail.programs.unwind.FrameRegisters.SP;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.FrameProgram;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.programs.unwind.LoadedModule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decides by address which rules find the caller of a frame, and keeps them: programs by their
 * record, what code says by its address. Not for several threads.
 */
final class RuleFinder {
  /** Entries of a cache, after which it is started anew. */
  static final int MOST_CACHED = 65_536;

  private static final int PUSH_EBP = 0x55;

  /** {@code mov edi, edi}, the first instruction of functions that can be hot-patched. */
  private static final int HOT_PATCH = 0xFF8B;

  /** {@code mov ebp, esp} in both encodings. */
  private static final int MOV_EBP_ESP = 0xEC8B;

  private static final int MOV_EBP_ESP_STORE = 0xE589;

  /** The rule at the first instruction of a function. */
  static final PathToReturn ENTERED = entered(0);

  private static final PathToReturn PUSHED = entered(1);

  private final CodeReader code;
  private final FrameDataTables tables;
  private final PathFinder paths;
  private final PrologueReader prologues;
  private final Map<FrameData.Frame, FrameRule> programs = new HashMap<>();
  private final Map<Long, List<FrameRule>> data = new HashMap<>();
  private final Map<Long, Optional<PathToReturn>> returns = new HashMap<>();

  RuleFinder(CodeReader code, Words words, FrameDataTables tables) {
    this.code = code;
    this.tables = tables;
    this.paths = new PathFinder(code, words);
    this.prologues = new PrologueReader(code);
  }

  /**
   * Returns the rules of the frame data for an address, best first.
   *
   * @param address an address in the instruction that is executed: of a caller, in its call
   */
  List<FrameRule> data(long address) {
    List<FrameRule> known = data.get(address);
    if (known == null) {
      known = decideData(address);
      put(data, address, known);
    }
    return known;
  }

  private List<FrameRule> decideData(long address) {
    Optional<LoadedModule> module = code.module(address);
    if (module.isEmpty()) {
      return List.of();
    }
    long rva = address - module.get().base();
    FrameDataTable table = tables.of(module.get());
    List<FrameRule> rules = new ArrayList<>(2);
    table.program(rva).ifPresent(frame -> rules.add(program(frame, module.get())));
    table.fpo(rva).ifPresent(fpo -> rules.add(fpo(fpo, rva, module.get().base())));
    return List.copyOf(rules);
  }

  private FrameRule program(FrameData.Frame frame, LoadedModule module) {
    FrameRule rule = programs.get(frame);
    if (rule == null) {
      rule = new FrameRule.Program(frame, FrameProgram.of(frame.program()), module.name());
      put(programs, frame, rule);
    }
    return rule;
  }

  private FrameRule fpo(FpoTable.Fpo fpo, long rva, long base) {
    long into = rva - fpo.begin();
    if (!fpo.contains(rva)) {
      // The program was rearranged: its prologue is elsewhere.
      return new FrameRule.Fpo(fpo, Optional.empty(), false);
    }
    boolean inProlog = into < fpo.prolog();
    long end = inProlog ? into : fpo.prolog();
    return new FrameRule.Fpo(fpo, prologues.read(base + fpo.begin(), (int) end), inProlog);
  }

  /**
   * Returns the bytes of parameters of the function at an address, where something else than its
   * frame data says them; empty if nothing does.
   */
  OptionalInt parameterBytes(long address) {
    Optional<LoadedModule> module = code.module(address);
    return module.isEmpty()
        ? OptionalInt.empty()
        : tables.of(module.get()).parameterBytes(address - module.get().base());
  }

  /**
   * Returns the rule that instructions say for an address; empty if their bytes are not at hand or
   * say nothing.
   *
   * @param address of the next instruction: of a caller, its return address
   */
  Optional<PathToReturn> code(long address) {
    Optional<PathToReturn> known = returns.get(address);
    if (known == null) {
      known = paths.find(address);
      put(returns, address, known);
    }
    return known;
  }

  /**
   * Returns the rule for an address in a prologue that sets up a frame pointer, or in an epilogue;
   * empty in the rest of a function.
   */
  Optional<PathToReturn> atEdge(long address) {
    Optional<PathToReturn> prologue = inPrologue(address);
    return prologue.isPresent() ? prologue : code(address).filter(PathToReturn::isStraight);
  }

  private Optional<PathToReturn> inPrologue(long address) {
    Bytes next = code.read(address, 5);
    int at = next.length() >= 5 && next.u16(0) == HOT_PATCH ? 2 : 0;
    if (next.length() >= at + 3 && next.u8(at) == PUSH_EBP && setsFramePointer(next, at + 1)) {
      return Optional.of(ENTERED);
    }
    Bytes before = code.read(address - 1, 3);
    if (before.length() == 3 && before.u8(0) == PUSH_EBP && setsFramePointer(before, 1)) {
      return Optional.of(PUSHED);
    }
    return Optional.empty();
  }

  private static boolean setsFramePointer(Bytes bytes, int at) {
    int word = bytes.u16(at);
    return word == MOV_EBP_ESP || word == MOV_EBP_ESP_STORE;
  }

  /** Returns the rule for a function that has pushed nothing, or the frame pointer. */
  private static PathToReturn entered(int pushed) {
    List<SymbolicValue> registers = new ArrayList<>(8);
    for (int i = 0; i < 8; i++) {
      registers.add(SymbolicValue.of(i));
    }
    SymbolicValue top = SymbolicValue.of(SP);
    if (pushed > 0) {
      registers.set(BP, top.word());
    }
    SymbolicValue returnAddress = top.plus(4 * pushed);
    registers.set(SP, returnAddress);
    return new PathToReturn(returnAddress, registers, 0, true);
  }

  private static <K, V> void put(Map<K, V> cache, K key, V value) {
    if (cache.size() >= MOST_CACHED) {
      cache.clear();
    }
    cache.put(key, value);
  }
}

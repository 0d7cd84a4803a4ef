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

  /** Records of the prologue of one function. */
  private static final int MOST_NESTED = 32;

  /** Bytes of a prologue that are believed. */
  private static final int MOST_PROLOG = 4096;

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
  private final Map<FrameData.Frame, FrameProgram> programs = new HashMap<>();
  private final Map<Long, List<FrameRule>> data = new HashMap<>();
  private final Map<Long, List<PathToReturn>> returns = new HashMap<>();

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
    table.program(rva).ifPresent(frame -> rules.add(program(frame, address, module.get())));
    table.fpo(rva).ifPresent(fpo -> rules.add(fpo(fpo, rva, module.get().base())));
    return List.copyOf(rules);
  }

  private FrameRule program(FrameData.Frame frame, long address, LoadedModule module) {
    FrameProgram program = programs.get(frame);
    if (program == null) {
      program = FrameProgram.of(frame.program());
      put(programs, frame, program);
    }
    long end = module.base() + frame.begin() + frame.prolog();
    return new FrameRule.Program(frame, program, module.name(), prologue(address, end));
  }

  /** Returns what a prologue that ends at an address has done up to an address in it. */
  private Optional<Prologue> prologue(long address, long end) {
    long function = address < end ? functionAt(address) : CodeReader.UNKNOWN_FUNCTION;
    return function == CodeReader.UNKNOWN_FUNCTION || end - function > MOST_PROLOG
        ? Optional.empty()
        : prologues.read(function, (int) (address - function));
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
   * Returns the first address of the function at an address, as its frame data says it, or {@link
   * CodeReader#UNKNOWN_FUNCTION}.
   */
  long functionAt(long address) {
    Optional<LoadedModule> module = code.module(address);
    if (module.isEmpty()) {
      return CodeReader.UNKNOWN_FUNCTION;
    }
    long base = module.get().base();
    long rva = address - base;
    FrameDataTable table = tables.of(module.get());
    Optional<FrameData.Frame> outermost = Optional.empty();
    Optional<FrameData.Frame> record = table.program(rva);
    // Records of a prologue begin one after the other and reach to the end of the function.
    for (int i = 0; i < MOST_NESTED && record.isPresent() && record.get().contains(rva); i++) {
      outermost = record;
      record = record.get().begin() == 0 ? Optional.empty() : before(table, record.get());
    }
    return outermost
        .map(frame -> base + frame.begin())
        .or(() -> table.fpo(rva).filter(fpo -> fpo.contains(rva)).map(fpo -> base + fpo.begin()))
        .orElse(CodeReader.UNKNOWN_FUNCTION);
  }

  private static Optional<FrameData.Frame> before(FrameDataTable table, FrameData.Frame record) {
    return record.isFunctionStart() ? Optional.empty() : table.program(record.begin() - 1);
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
   * Returns the rules that instructions say for an address, the one to be tried first; empty if
   * their bytes are not at hand or say nothing.
   *
   * @param address of the next instruction: of a caller, its return address
   */
  List<PathToReturn> code(long address) {
    List<PathToReturn> known = returns.get(address);
    if (known == null) {
      known = paths.find(address);
      put(returns, address, known);
    }
    return known;
  }

  /**
   * Returns the rule for the next instruction of the first frame, if it is in a prologue or in an
   * epilogue; empty in the rest of a function.
   */
  Optional<PathToReturn> atEdge(long address) {
    if (functionAt(address) == address) {
      return Optional.of(ENTERED);
    }
    return inProlog(address)
        .or(() -> atFramePointer(address))
        .or(() -> code(address).stream().filter(PathToReturn::isStraight).findFirst());
  }

  /** Returns the rule for an instruction in the prologue of a function with frame data. */
  Optional<PathToReturn> inProlog(long address) {
    return data(address).stream()
        .flatMap(rule -> prologue(rule).stream())
        .flatMap(prologue -> prologue.back().stream())
        .findFirst();
  }

  /**
   * Returns the bytes that the function at an address removes from the stack when it returns,
   * besides the return address; negative if its code is not at hand.
   */
  int removedByReturn(long address) {
    return paths.returnSize(address);
  }

  private static Optional<Prologue> prologue(FrameRule rule) {
    return switch (rule) {
      case FrameRule.Program program -> program.prologue();
      case FrameRule.Fpo fpo -> fpo.isInProlog() ? fpo.prologue() : Optional.empty();
      case FrameRule.Code _, FrameRule.FramePointer _ -> Optional.empty();
    };
  }

  private Optional<PathToReturn> atFramePointer(long address) {
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
    return new PathToReturn(returnAddress, registers, 0, true, false);
  }

  private static <K, V> void put(Map<K, V> cache, K key, V value) {
    if (cache.size() >= MOST_CACHED) {
      cache.clear();
    }
    cache.put(key, value);
  }
}

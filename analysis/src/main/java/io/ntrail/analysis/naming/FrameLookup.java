package io.ntrail.analysis.naming;

import io.ntrail.analysis.naming.FunctionIndex.SourceLine;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.programs.symbols.SymbolFrame;
import io.ntrail.programs.symbols.SymbolizedAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks up which functions the addresses of stacks are in, and remembers it. A return address means
 * the call before it. One thread at a time.
 */
public final class FrameLookup {
  /** Layouts whose addresses are remembered, each in 64 KiB and more. */
  private static final int MOST_LAYOUTS = 128;

  /** Processes that are remembered, a power of two. */
  private static final int MOST_PROCESSES = 1 << 12;

  /** Addresses of a layout that are remembered, 32 bytes each. */
  private static final int MOST_ADDRESSES = 1 << 14;

  /** Addresses with numbers that are remembered by these. */
  private static final int MOST_NUMBERS = 1 << 14;

  /** No layout. */
  private static final int NONE = -1;

  /** Results of some addresses. */
  private static final class Codes {
    private final LongIntMap known = new LongIntMap(32);

    /** Code of an address and 1, by the number of the address; 0 if it is not known. */
    private final IntList numbered = new IntList();

    int get(int number) {
      return number < numbered.size() ? numbered.get(number) - 1 : -1;
    }

    int get(long address) {
      return known.get(address);
    }

    void put(int number, long address, int code) {
      if (number < 0 || number >= MOST_NUMBERS) {
        if (known.size() >= MOST_ADDRESSES) {
          known.clear();
        }
        known.put(address, code);
        return;
      }
      numbered.extend(number + 1, 0);
      numbered.set(number, code + 1);
    }
  }

  /**
   * Results of one layout of one half of an address space: often that of many processes.
   *
   * @param places of addresses that ran
   * @param returns of return addresses
   */
  private record Looked(Codes places, Codes returns) {
    Looked() {
      this(new Codes(), new Codes());
    }
  }

  /** Layouts of both halves of an address space. */
  private record Layouts(CodeMap.Layout user, CodeMap.Layout kernel) {}

  /** Process with its layouts since they last changed. */
  private static final class Process {
    final int id;
    final CodeMap.Space space;
    private int changes;
    private Layouts layouts;

    /** The time from which and the one before which nothing changes. */
    private long from = Long.MAX_VALUE;

    private long until = Long.MIN_VALUE;

    /** Numbers of both layouts, -2 if they were not looked up yet. */
    int userNumber = -2;

    int kernelNumber = -2;

    Process(int id, CodeMap.Space space) {
      this.id = id;
      this.space = space;
      this.changes = space.changes();
      this.layouts = layoutsNow();
    }

    private Layouts layoutsNow() {
      return new Layouts(space.layout(false), space.layout(true));
    }

    /** Returns true if its layouts are those of a time, too. */
    boolean isAlso(long key) {
      return from <= key && key < until;
    }

    Layouts at(long key) {
      space.moveTo(key);
      if (space.changes() != changes) {
        changes = space.changes();
        layouts = layoutsNow();
        userNumber = -2;
        kernelNumber = -2;
      }
      from = space.from();
      until = space.until();
      return layouts;
    }
  }

  private final CodeMap spaces;
  private final @Nullable RecordingSymbols symbols;
  private final @Nullable Process[] processes = new Process[MOST_PROCESSES];

  /** Results by layout; the longest unused go first. */
  private final Map<CodeMap.Layout, Looked> looked =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<CodeMap.Layout, Looked> eldest) {
          return size() > MOST_LAYOUTS;
        }
      };

  private CodeMap.@Nullable Layout lastUser;
  private CodeMap.@Nullable Layout lastKernel;
  private Looked ofUser = new Looked();
  private Looked ofKernel = new Looked();

  private final LayoutNumbers numbered = new LayoutNumbers();

  /** The layout under which stacks were resolved last, and its process; or none. */
  private int layoutNow = NONE;

  private @Nullable Process ownerNow;

  private final FrameRules rules;
  private final FrameRuleMatcher ruled;
  private final LongPredicate isKernel;
  private final FunctionIndex functions;
  private final IntList moduleOfFile = new IntList();
  private final LongIntMap methods = new LongIntMap(128);

  /** Frames that are none or several, by their number: inlined functions, what is folded. */
  private final FrameExpansions lists = new FrameExpansions();

  private final IntList one = new IntList();

  /**
   * @param symbols names functions of images; null for no names
   */
  public FrameLookup(CodeMap spaces, @Nullable RecordingSymbols symbols, FrameRules rules) {
    this.spaces = spaces;
    this.symbols = symbols;
    this.rules = rules;
    this.functions = new FunctionIndex(spaces.spellings(), spaces.namesInBothHalves());
    this.ruled = new FrameRuleMatcher(functions, rules);
    this.isKernel = spaces::isKernel;
  }

  /** Returns a lookup of the same names for another thread, with numbers of its own. */
  public FrameLookup another() {
    return new FrameLookup(spaces.another(), symbols, rules);
  }

  /** Returns whether an address is of the kernel's half. */
  public boolean isKernel(long address) {
    return spaces.isKernel(address);
  }

  /** Returns the index of the numbers. */
  public FunctionIndex functions() {
    return functions;
  }

  /** Returns the patterns of rules that mean no function. */
  public List<UnmatchedTerm> unmatchedRules() {
    return ruled.unmatched();
  }

  /** Returns whether the functions of a stack are those of its parts, one after the other. */
  public boolean isAdditive() {
    return rules.isAdditive();
  }

  /**
   * Resolves the frames of a stack.
   *
   * @param into receives the numbers of functions, innermost first; more than there are frames
   *     where functions were inlined, fewer where they are folded
   */
  public void resolve(int process, long key, StackAddresses frames, IntList into) {
    resolve(process, key, frames, 0, frames.count(), into);
  }

  private void resolve(
      int process, long key, StackAddresses frames, int from, int to, IntList into) {
    into.clear();
    Process owner = moveTo(process, key);
    layoutNow = NONE;
    boolean isInnerOfKernel = false;
    for (int i = from; i < to; i++) {
      long address = frames.address(i);
      // As StackAddresses.isReturn tells it, with one question for each frame.
      boolean kernel = isKernel.test(address);
      boolean isReturn = i > from && (kernel || !isInnerOfKernel);
      isInnerOfKernel = kernel;
      Looked half = kernel ? ofKernel : ofUser;
      Codes here = isReturn ? half.returns : half.places;
      int number = frames.number(i);
      int code = number >= 0 ? here.get(number) : here.get(address);
      if (code < 0) {
        code = code(owner, here, address, number, isReturn);
      }
      lists.add(code, into);
    }
    if (into.isEmpty() && to > from) {
      into.add(FunctionIndex.FOLDED_FUNCTION);
    }
  }

  /** Goes to a process at a time. */
  private Process moveTo(int process, long key) {
    Process owner = process(process);
    Layouts layouts = owner.at(key);
    if (!layouts.user.equals(lastUser)) {
      lastUser = layouts.user;
      ofUser = looked.computeIfAbsent(layouts.user, _ -> new Looked());
    }
    if (!layouts.kernel.equals(lastKernel)) {
      lastKernel = layouts.kernel;
      ofKernel = looked.computeIfAbsent(layouts.kernel, _ -> new Looked());
    }
    return owner;
  }

  private int code(Process owner, Codes here, long address, int number, boolean isReturn) {
    boolean numbered = number >= 0 && number < MOST_NUMBERS;
    int code = numbered ? -1 : here.get(address);
    if (code < 0) {
      one.clear();
      lookUp(owner.space, address, isReturn);
      if (spaces.isKernel(address)) {
        for (int i = 0; i < one.size(); i++) {
          functions.seenInKernel(one.get(i));
        }
      }
      code = lists.code(one);
      here.put(number, address, code);
    }
    return code;
  }

  /**
   * Returns a number for the layout of one half of a process at a time: the same ones mean that
   * every address of the half resolves to the same function. -1 if there are too many.
   */
  public int layout(int process, long key, boolean kernel) {
    Process owner = process(process);
    int known = kernel ? owner.kernelNumber : owner.userNumber;
    if (known != -2 && owner.isAlso(key)) {
      return known;
    }
    Layouts layouts = owner.at(key);
    layoutNow = NONE;
    int number = kernel ? owner.kernelNumber : owner.userNumber;
    if (number == -2) {
      number = numbered.number(kernel ? layouts.kernel : layouts.user, process, key);
      if (kernel) {
        owner.kernelNumber = number;
      } else {
        owner.userNumber = number;
      }
    }
    return number;
  }

  /** Returns the numbers here of all layouts that another lookup of the same names has numbered. */
  public int[] layoutNumbers(FrameLookup other) {
    return numbered.numbers(other.numbered);
  }

  /** Returns of each layout with a number its place in the order of the times when it was met. */
  public int[] layoutRanks() {
    return numbered.ranks();
  }

  /**
   * Resolves the stack that some of the frames are, all of one half, under one of its layouts. See
   * {@link #layout}.
   */
  public void resolve(int layout, StackAddresses frames, int from, int to, IntList into) {
    into.clear();
    Process owner = ownerNow;
    if (owner == null || layoutNow != layout) {
      owner = moveTo(numbered.process(layout), numbered.key(layout));
      ownerNow = owner;
      layoutNow = layout;
    }
    Looked half = from < to && isKernel.test(frames.address(from)) ? ofKernel : ofUser;
    Codes here = half.places;
    for (int i = from; i < to; i++) {
      long address = frames.address(i);
      int number = frames.number(i);
      int code = number >= 0 ? here.get(number) : here.get(address);
      if (code < 0) {
        code = code(owner, here, address, number, i > from);
      }
      lists.add(code, into);
      here = half.returns;
    }
    if (into.isEmpty() && to > from) {
      into.add(FunctionIndex.FOLDED_FUNCTION);
    }
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

  /** Puts what lies at an address into {@link #one}. */
  private void lookUp(CodeMap.Space space, long address, boolean isReturn) {
    if (!space.find(address)) {
      add(null, null, FunctionIndex.UNKNOWN_FUNCTION);
      return;
    }
    ImageFile image = space.image();
    String method = space.method();
    if (image != null && symbols != null) {
      Optional<SymbolizedAddress> symbol = symbol(symbols, space, isReturn);
      if (symbol.isPresent()) {
        addAll(image, method == null ? null : space.methodModule(), symbol.get());
        return;
      }
    }
    String module = method == null ? null : space.methodModule();
    if (method != null) {
      add(image, module, method(image, space, method));
    } else if (image == null) {
      add(null, null, functions.named(FunctionIndex.JITTED, -1, "", null));
    } else {
      add(image, null, functions.range(module(image, space.imageNumber()), space.rva()));
    }
  }

  private static Optional<SymbolizedAddress> symbol(
      RecordingSymbols symbols, CodeMap.Space space, boolean isReturn) {
    // Lookups of several threads share them.
    synchronized (symbols) {
      return symbols.at(space.imageNumber(), space.codeRva(isReturn));
    }
  }

  /** Place that was hit, without its stack. Used again. */
  public static final class Hit {
    private int module;
    private int file;
    private long rva;
    private int function;
    private int bucketFunction;

    /** Creates a hit of nothing. */
    public Hit() {}

    /** Returns the module's number in the {@link FunctionIndex}. */
    public int module() {
      return module;
    }

    /** Returns the number of the image's file; -1 in no image. */
    public int file() {
      return file;
    }

    /** Returns the RVA of the address; -1 in no image. */
    public long rva() {
      return rva;
    }

    /** Returns the function of the address; -1 if it has no name. */
    public int function() {
      return function;
    }

    /** Returns the function of the first byte of the address's bucket; -1 if it has no name. */
    public int bucketFunction() {
      return bucketFunction;
    }
  }

  /**
   * Looks up an address that ran, without any rules.
   *
   * @param bucket bytes of a bucket, a power of two
   */
  public void hit(int process, long key, long address, int bucket, Hit into) {
    Process owner = process(process);
    owner.at(key);
    layoutNow = NONE;
    into.function = plain(owner.space, address);
    into.bucketFunction = into.function;
    into.module = functions.module(into.function);
    ImageFile image = owner.space.image();
    into.file = owner.space.imageNumber();
    into.rva = image == null ? -1 : owner.space.rva();
    if (image != null && bucket > 1) {
      into.bucketFunction = plain(owner.space, address & -bucket);
    }
    into.function = functions.name(into.function) == null ? -1 : into.function;
    into.bucketFunction = functions.name(into.bucketFunction) == null ? -1 : into.bucketFunction;
  }

  private int plain(CodeMap.Space space, long address) {
    one.clear();
    lookUp(space, address, false);
    return one.get(one.size() - 1);
  }

  private void addAll(ImageFile image, @Nullable String methodModule, SymbolizedAddress symbol) {
    List<SymbolFrame> frames = symbol.frames();
    int module = functions.module(image.name());
    for (int i = rules.inlines() ? 0 : frames.size() - 1; i < frames.size(); i++) {
      SymbolFrame frame = frames.get(i);
      boolean hasLine = rules.lines() && frame.line() > 0 && !frame.file().isEmpty();
      SourceLine line = hasLine ? new SourceLine(frame.file(), frame.line()) : null;
      long rva = frame.isInlined() ? -1 : symbol.begin();
      add(image, methodModule, functions.named(module, rva, frame.function(), line));
    }
  }

  private void add(@Nullable ImageFile image, @Nullable String methodModule, int function) {
    int shown = ruled.shown(image, methodModule, function);
    if (shown >= 0) {
      one.add(shown);
    }
  }

  private int method(@Nullable ImageFile image, CodeMap.Space space, String name) {
    long key = (long) space.methodNumber() << 32 | space.imageNumber() + 1;
    int known = methods.get(key);
    if (known < 0) {
      known =
          image == null
              ? functions.named(FunctionIndex.JITTED, -1, name, null)
              : functions.named(functions.module(image.name()), space.methodRva(), name, null);
      functions.isMethod(known);
      methods.put(key, known);
    }
    return known;
  }

  private int module(ImageFile image, int file) {
    moduleOfFile.extend(file + 1, -1);
    if (moduleOfFile.get(file) < 0) {
      moduleOfFile.set(file, functions.module(image.name()));
    }
    return moduleOfFile.get(file);
  }
}

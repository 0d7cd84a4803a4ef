package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import io.ntrail.testkit.unicorn.UnicornRun.End;
import io.ntrail.testkit.unicorn.UnicornRun.Reason;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs the functions of an image in Unicorn from their first byte, with values in all registers
 * that can be recognised, and unwinds from every instruction that is executed: the registers of the
 * caller have to be those at the first byte.
 *
 * <p>A function is run to the end of its prologue. From there it is run in its natural course,
 * calls stepped over, until it returns, jumps away, fails or has run long enough; then from there
 * to each piece of straight code that ends in a return or a jump out of the function, as if a
 * branch led there: what the prologue saved is still as it was. Parts of a function that are
 * chained to it are reached through the prologues of those that they continue.
 */
final class CodeProof implements AutoCloseable {
  static final long RETURN = 0x6000_0000_0000L;
  private static final long STACK = 0x5000_0000_0000L;
  private static final int STACK_SIZE = 0x20_0000;

  /** Stack pointer on entry to a function: 8 more than a multiple of 16. */
  private static final long ENTRY = STACK + 0x1F_F008;

  private static final int PAGES = 64;
  private static final int MOST_PROLOGUE = 600;
  private static final int MOST_NATURAL = 150;
  private static final int MOST_TAIL = 60;
  private static final int OPTIONS =
      UnicornRun.ADDRESSES
          | UnicornRun.REGISTERS
          | UnicornRun.VECTORS
          | UnicornRun.WRITES
          | UnicornRun.ZERO_RESULT;

  private final UnicornMachine machine;
  private final PeImage image;
  private final long base;
  private final VirtualUnwinder unwinder;
  private final StackMirror stack = new StackMirror(STACK, STACK_SIZE);
  private final FrameRegisters entry = FrameRegisters.x64();
  private final FrameRegisters frame = FrameRegisters.x64();
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final Coverage coverage;

  /** Start of the function that runs, and whether control has left it. */
  private long root;

  private boolean left;

  /** Words of the stack that hold what the prologue saved. */
  private final BitSet guarded = new BitSet();

  private long sp;

  /** Addresses of the function that were unwound from. */
  private final Set<Long> met = new HashSet<>();

  private final Convention convention;

  /** Registers that functions give back as they were. */
  enum Convention {
    /** Of Windows. */
    WINDOWS(0xF0F8, true),
    /** Of Go, which gives back nothing but rsp and rbp. */
    GO(0x30, false);

    private final int general;
    private final boolean hasVectors;

    Convention(int general, boolean hasVectors) {
      this.general = general;
      this.hasVectors = hasVectors;
    }
  }

  private final Map<String, String> failures = new TreeMap<>();

  /** Counts of what was reached. */
  static final class Coverage {
    int functions;
    int version2;
    int parts;
    int wholePrologues;
    int prologue;
    int body;
    int epilogue;
    int ways;
    int waysOut;
    int natural;
    int naturalReturns;

    /** Entries that begin behind other code: natural courses may get there. */
    int unreached;

    /** Epilogues that version 2 describes, and those that were run. */
    int described;

    int describedMet;

    /** Runs that wrote over what the prologue had saved. */
    int destroyed;

    /** Functions whose unwind data cannot be used. */
    int undecided;

    @Override
    public String toString() {
      return ("%d functions and %d parts, of version 2 %d; %d without usable unwind data;"
              + " prologues run to their end %d; unwound from %d instructions of prologues,"
              + " %d of bodies, %d of epilogues; entries behind other code %d; natural courses that returned %d of %d;"
              + " pieces with a way out that left %d of %d; epilogues of version 2 that were run %d of %d; runs that destroyed their frame %d")
          .formatted(
              functions,
              parts,
              version2,
              undecided,
              wholePrologues,
              prologue,
              body,
              epilogue,
              unreached,
              naturalReturns,
              natural,
              waysOut,
              ways,
              describedMet,
              described,
              destroyed);
    }
  }

  CodeProof(UnicornMachine machine, PeImage image, Convention convention, Coverage coverage)
      throws IOException {
    this.machine = machine;
    this.convention = convention;
    this.image = image;
    this.coverage = coverage;
    this.base = image.headers().imageBase();
    ImageSpace space = new ImageSpace(image, base);
    LoadedModule module = new LoadedModule(image.name(), base, space.size(), Optional.of(image));
    this.unwinder = new VirtualUnwinder(space, LoadedModules.of(List.of(module)));
    machine.reset(64);
    machine.map(base, space.size() + 0xFFF & ~0xFFFL);
    for (ImageView.Extent extent : image.view().extents()) {
      int stored = (int) extent.storedLength();
      machine.write(base + extent.rva(), extent.stored().array(0, stored));
    }
    machine.map(STACK, STACK_SIZE);
    machine.map(RETURN, 0x1000);
    setEntry();
  }

  private void setEntry() throws IOException {
    long[] general = new long[16];
    long[] xmms = new long[32];
    for (int i = 0; i < 16; i++) {
      general[i] = 0x2000_0000_0000L + ((long) i << 32) + 0x1_0000;
      xmms[2 * i] = 0x0101_0101_0101_0101L * (i + 0x10);
      xmms[2 * i + 1] = 0x0101_0101_0101_0101L * (i + 0x80);
      entry.set(i, general[i]);
      entry.setVector(i, xmms[2 * i], xmms[2 * i + 1]);
    }
    general[UnicornMachine.SP] = ENTRY;
    machine.setRegisters(general, xmms);
    machine.write(ENTRY, word(RETURN));
    stack.write(ENTRY, 8, RETURN);
    machine.remember();
  }

  private static byte[] word(long value) {
    return new LittleEndian().u64(value).toByteArray();
  }

  /** Returns the functions with a difference, and the place of the first one. */
  Map<String, String> failures() {
    return failures;
  }

  /** Proves an entry of the function table. */
  void prove(RuntimeFunction function) throws IOException {
    FunctionEntry loaded = new FunctionEntry(base, function, image.view());
    UnwindChain chain = loaded.chain();
    if (chain.damage().isPresent()) {
      coverage.undecided++;
      return;
    }
    if (chain.depth() == 0) {
      coverage.functions++;
    } else {
      coverage.parts++;
    }
    met.clear();
    coverage.version2 += chain.info().version() == 2 ? 1 : 0;
    if (isAfterOthers(chain)) {
      coverage.unreached++;
      return;
    }
    root = chain.primary().begin();
    guarded.clear();
    sp = ENTRY;
    int mark = stack.mark();
    boolean ready = true;
    List<UnwindChain.Link> links = chain.links().reversed();
    for (UnwindChain.Link link : links) {
      long begin = base + link.function().begin();
      long end = begin + link.info().prologSize();
      ready = ready && run(begin, end, MOST_PROLOGUE).reason() == Reason.UNTIL;
    }
    if (ready) {
      coverage.wholePrologues++;
      UnwindChain.Link own = chain.links().getFirst();
      afterPrologue(own.function(), base + own.function().begin() + own.info().prologSize());
    }
    machine.goBack();
    stack.undo(mark);
    for (UnwindInfo.Epilog epilog : chain.info().epilogs()) {
      coverage.described++;
      coverage.describedMet += met.contains(base + epilog.startIn(function)) ? 1 : 0;
    }
  }

  /**
   * Returns true if code begins where other code has saved registers already, or in the middle of
   * an epilogue: its start is no start.
   */
  private boolean isAfterOthers(UnwindChain chain) {
    boolean saved =
        chain.links().stream()
            .flatMap(link -> link.info().prologCodes().stream())
            .anyMatch(code -> code.offset() == 0);
    if (saved || chain.depth() == 0) {
      return saved;
    }
    int first = image.view().u8(chain.links().getFirst().function().begin());
    int second = image.view().u8(chain.links().getFirst().function().begin() + 1);
    boolean pop = (first & 0xF8) == 0x58 || (first & 0xF0) == 0x40 && (second & 0xF8) == 0x58;
    return pop || first == 0xC3 || first == 0xF3 && second == 0xC3;
  }

  private void afterPrologue(RuntimeFunction function, long from) throws IOException {
    // Code that keeps a frame pointer may make room after its prologue: pieces are run from where
    // the straight code ends.
    long straight = straightEnd(function, from);
    End body = run(from, straight, MOST_TAIL);
    if (left || body.reason() != Reason.UNTIL) {
      return;
    }
    if (convention == Convention.GO) {
      // Its calls may not return, and go on with another frame if they do.
      return;
    }
    guardSaved();
    machine.remember();
    int mark = stack.mark();
    coverage.natural++;
    if (run(straight, RETURN, MOST_NATURAL).reason() == Reason.UNTIL) {
      coverage.naturalReturns++;
    }
    for (long start : waysOut(function, straight)) {
      machine.goBack();
      stack.undo(mark);
      coverage.ways++;
      End end = run(start, RETURN, MOST_TAIL);
      boolean left = end.reason() == Reason.UNTIL || !function.contains(end.ip() - base);
      coverage.waysOut += left ? 1 : 0;
    }
    machine.goBack();
    stack.undo(mark);
    machine.forget();
  }

  /**
   * Returns the address of the first instruction that branches or calls; the start if it is one
   * that may leave the function.
   */
  private long straightEnd(RuntimeFunction function, long from) {
    Bytes code = code(function);
    Instruction instruction = new Instruction();
    int at = (int) (from - base - function.begin());
    while (at >= 0 && at < code.length()) {
      int size = decoder.decode(code, at, code.length(), instruction);
      FlowClass flow = size == 0 ? FlowClass.EXCEPTION : instruction.flowClass();
      if (flow != FlowClass.NEXT) {
        boolean stays =
            flow == FlowClass.CONDITIONAL_BRANCH
                || flow == FlowClass.DIRECT_CALL
                || flow == FlowClass.INDIRECT_CALL;
        return stays ? base + function.begin() + at : from;
      }
      at += size;
    }
    return from;
  }

  private Bytes code(RuntimeFunction function) {
    int length = (int) Math.min(function.size(), 1 << 16);
    return image.view().has(function.begin(), length)
        ? image.view().bytes(function.begin(), length)
        : Bytes.copyOf(new byte[0], "");
  }

  /**
   * Starts of straight code that ends in a return or in a jump out of the function, or runs into
   * the next part; of code that direct branches lead to, since other bytes may be tables.
   */
  private List<Long> waysOut(RuntimeFunction function, long from) {
    List<Long> starts = new ArrayList<>();
    Bytes code = code(function);
    BitSet seen = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    open.add((int) (from - base - function.begin()));
    while (!open.isEmpty()) {
      int begin = open.remove();
      if (begin < 0 || begin >= code.length() || seen.get(begin)) {
        continue;
      }
      seen.set(begin);
      if (isWayOut(function, code, begin, open)) {
        starts.add(base + function.begin() + begin);
      }
    }
    return starts;
  }

  /** Follows straight code to its end, and adds where it may go on to the open starts. */
  private boolean isWayOut(RuntimeFunction function, Bytes code, int begin, Deque<Integer> open) {
    Instruction instruction = new Instruction();
    int at = begin;
    while (at < code.length()) {
      int size = decoder.decode(code, at, code.length(), instruction);
      FlowClass flow = size == 0 ? FlowClass.EXCEPTION : instruction.flowClass();
      if (flow == FlowClass.CONDITIONAL_BRANCH) {
        open.add(at + size);
      }
      if (flow == FlowClass.CONDITIONAL_BRANCH || flow == FlowClass.DIRECT_JUMP) {
        long target = instruction.branchTarget(function.begin() + at);
        if (function.contains(target)) {
          open.add((int) (target - function.begin()));
        }
        return flow == FlowClass.DIRECT_JUMP && !function.contains(target);
      }
      if (!flow.fallsThrough()) {
        return flow == FlowClass.RETURN;
      }
      at += size;
    }
    return true;
  }

  private End run(long begin, long until, int most) throws IOException {
    left = false;
    return machine.run(
        new UnicornRun(begin, until, 0, 0, most, PAGES, OPTIONS),
        new UnicornRun.Listener() {
          @Override
          public void instruction(long address, long[] general, long[] vectors) {
            check(address, general, vectors);
          }

          @Override
          public void write(long address, int bytes, long value) {
            stack.write(address, bytes, value);
            if (!left && destroys(address, bytes)) {
              left = true;
              coverage.destroyed++;
            }
          }
        });
  }

  /** Notes where the values of registers that the prologue saved are. */
  private void guardSaved() {
    guarded.clear();
    guarded.set((int) (ENTRY - STACK) / 8);
    long low = sp - STACK >= 0 && sp < ENTRY ? sp & -8 : ENTRY;
    for (long at = low; at < ENTRY + 0x28; at += 8) {
      if (isNonvolatile(stack.read(at, 8).i64(0))) {
        guarded.set((int) (at - STACK) / 8);
      }
    }
  }

  private boolean isNonvolatile(long value) {
    for (int i = 0; i < 16; i++) {
      boolean general = (Convention.WINDOWS.general & 1 << i) != 0 && i != FrameRegisters.SP;
      if (general && value == entry.get(i)
          || i >= 6 && (value == entry.vectorLow(i) || value == entry.vectorHigh(i))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if a write hits what the prologue saved, or the return address: through a pointer
   * that is none, since nothing that the function was called with means anything.
   */
  private boolean destroys(long address, int bytes) {
    long at = address - STACK;
    return at >= 0
        && at < STACK_SIZE
        && (guarded.get((int) at / 8) || guarded.get((int) (at + bytes - 1) / 8));
  }

  private void check(long address, long[] general, long[] vectors) {
    sp = general[UnicornMachine.SP];
    left = left || !isOwn(address);
    if (left) {
      return;
    }
    met.add(address);
    for (int i = 0; i < general.length; i++) {
      frame.set(i, general[i]);
    }
    for (int i = 6; i < 16; i++) {
      frame.setVector(i, vectors[2 * i], vectors[2 * i + 1]);
    }
    frame.setIp(address);
    UnwindStep step = unwinder.unwind(frame, new StackMemory(stack));
    if (step instanceof UnwindStep.Caller caller) {
      switch (caller.rule().place()) {
        case PROLOGUE -> coverage.prologue++;
        case EPILOGUE -> coverage.epilogue++;
        case BODY, LEAF -> coverage.body++;
      }
      if (!isEntry()) {
        fail(address, caller.rule().place() + difference());
      }
    } else {
      fail(address, step.toString());
    }
  }

  /** Returns true if an address is in a part of the function that runs. */
  private boolean isOwn(long address) {
    return unwinder
        .lookup()
        .entry(address)
        .filter(found -> found.primary().begin() == root)
        .isPresent();
  }

  private void fail(long address, String what) {
    failures.putIfAbsent(
        "%s %x".formatted(image.name(), root), "%x %s".formatted(address - base, what));
  }

  /**
   * Returns true if the registers are those at the first byte: nonvolatile ones all, volatile ones
   * if they are known.
   */
  private boolean isEntry() {
    boolean equal = frame.ip() == RETURN && frame.sp() == ENTRY + 8;
    for (int i = 0; i < 16; i++) {
      boolean kept = (convention.general & 1 << i) != 0;
      equal &= i == FrameRegisters.SP || !kept || frame.isKnown(i);
      equal &= i == FrameRegisters.SP || !frame.isKnown(i) || isAsAtEntry(i, kept);
      if (i >= 6 && convention.hasVectors) {
        equal &=
            frame.isVectorKnown(i)
                && frame.vectorLow(i) == entry.vectorLow(i)
                && frame.vectorHigh(i) == entry.vectorHigh(i);
      }
    }
    return equal;
  }

  private boolean isAsAtEntry(int number, boolean kept) {
    boolean counts = kept || convention == Convention.WINDOWS;
    return !counts || frame.get(number) == entry.get(number);
  }

  private String difference() {
    StringBuilder text = new StringBuilder(" ip %x".formatted(frame.ip()));
    for (int i = 0; i < 16; i++) {
      if (frame.isKnown(i) && frame.get(i) != entry.get(i)) {
        text.append(" %s %x".formatted(UnwindCode.generalName(i), frame.get(i)));
      }
      if (frame.isVectorKnown(i) && frame.vectorLow(i) != entry.vectorLow(i)) {
        text.append(" xmm%d %x".formatted(i, frame.vectorLow(i)));
      }
    }
    return text.toString();
  }

  @Override
  public void close() {
    stack.close();
  }
}

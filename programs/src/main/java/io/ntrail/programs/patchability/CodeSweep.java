package io.ntrail.programs.patchability;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Decodes code of an image once, all or some segments, from every address that is known to start or
 * end something, and finds what concerns the functions: padding, and branches to their first bytes.
 *
 * <p>Padding is nops, int3 and zeros up to the start of something, if they start after the end of a
 * range of the function table, after an instruction that does not fall through, or, int3 only,
 * after a call or an interrupt that does not return. Else, as where tables between functions keep
 * the decoder from meeting the next function, only a run of CC counts, except its first byte, which
 * could be the last one of a table or a short jump.
 */
final class CodeSweep {
  /** Branches that lead further into a function than this do not concern it. */
  static final int NEAR = 32;

  /** Code that is not in the file cannot be much: beyond this multiple of it nothing is read. */
  private static final long TIMES_FILE = 4;

  private static final long SMALLEST_BUDGET = 16 << 20;

  /** Segments for which another thread is worth its start. */
  private static final int MANY = 1000;

  /** Parts of the code for each thread, as some take longer than others. */
  private static final int PARTS_PER_THREAD = 4;

  private final PeImage image;
  private final ImageFunctions functions;
  private final CodeRanges code;
  private final InstructionDecoder decoder;
  private final boolean narrow;
  private final Instruction instruction = new Instruction();
  private final BitSet hashed;
  private long budget;

  private final CodeSegments segments;

  /** Of each function the padding in front of it. */
  private final int[] own;

  private final byte[] fillers;

  /** End of each function, as far as its code shows; 0 if unknown. */
  private final int[] sizes;

  private final BitSet examined = new BitSet();

  /** Functions that the code before them goes on with. */
  private final BitSet continued = new BitSet();

  private final Gaps gaps = new Gaps();
  private final Branches branches = new Branches();

  /** Runs of padding that end where something starts. */
  static final class Gaps {
    private final Columns gaps = new Columns(64);
    private final LongColumn begins = gaps.longs();
    private final LongColumn ends = gaps.longs();

    private void add(long begin, long end) {
      int gap = gaps.add();
      begins.set(gap, begin);
      ends.set(gap, end);
    }

    private void add(Gaps more) {
      for (int i = 0; i < more.count(); i++) {
        add(more.begin(i), more.end(i));
      }
    }

    int count() {
      return gaps.rows();
    }

    long begin(int gap) {
      return begins.get(gap);
    }

    long end(int gap) {
      return ends.get(gap);
    }
  }

  /** Branches to the first bytes of functions. */
  private static final class Branches {
    private final Columns branches = new Columns(64);
    private final LongColumn sources = branches.longs();

    /** Offset of the target, and above it whether it is a call. */
    private final ByteColumn offsets = branches.bytes();

    /** Function in the upper half, branch in the lower: sorts by function, then as found. */
    private final LongList byFunction = new LongList(64);

    private void add(int function, long source, int offset) {
      int branch = branches.add();
      sources.set(branch, source);
      offsets.set(branch, (byte) offset);
      byFunction.add((long) function << 32 | branch);
    }

    /** Adds those of later code, which are not sorted yet. */
    private void add(Branches more) {
      for (int i = 0; i < more.byFunction.size(); i++) {
        int function = (int) (more.byFunction.get(i) >> 32);
        add(function, more.sources.get(i), more.offsets.get(i));
      }
    }

    private void sort() {
      byFunction.sort();
    }

    /** Returns the place of a function's first branch in {@link #byFunction}. */
    private int first(int function) {
      return Search.ceiling(byFunction.array(), byFunction.size(), (long) function << 32);
    }
  }

  /**
   * Prepares a sweep.
   *
   * @param hashed the functions that have a hash in front of them
   */
  CodeSweep(
      PeImage image,
      ImageFunctions functions,
      CodeSegments segments,
      InstructionDecoder decoder,
      BitSet hashed) {
    this.image = image;
    this.functions = functions;
    this.code = functions.code();
    this.decoder = decoder;
    this.narrow = !image.headers().isWide();
    this.hashed = hashed;
    int count = functions.list().size();
    this.own = new int[count];
    this.fillers = new byte[count];
    this.sizes = new int[count];
    this.budget = image.file().map(file -> TIMES_FILE * file.size()).orElse(Long.MAX_VALUE);
    this.budget = Math.max(budget, SMALLEST_BUDGET);
    this.segments = segments;
  }

  /**
   * Prepares a sweep of a part of the code: what is known of functions is shared, as each segment
   * tells something else of them; the rest is for {@link #add}.
   */
  private CodeSweep(CodeSweep whole) {
    this.image = whole.image;
    this.functions = whole.functions;
    this.code = whole.code;
    this.decoder = InstructionDecoder.of(whole.decoder.codeSize());
    this.narrow = whole.narrow;
    this.hashed = whole.hashed;
    this.own = whole.own;
    this.fillers = whole.fillers;
    this.sizes = whole.sizes;
    this.budget = whole.budget;
    this.segments = whole.segments;
  }

  /** Returns true if all code may be decoded. */
  boolean isAffordable() {
    return code.list().stream().mapToLong(range -> range.end() - range.begin()).sum() <= budget;
  }

  /** Decodes all code. */
  void run() {
    int threads = Runtime.getRuntime().availableProcessors();
    if (threads > 1 && segments.count() >= MANY && isAffordable()) {
      int parts = threads * PARTS_PER_THREAD;
      IntStream.range(0, parts)
          .parallel()
          .mapToObj(part -> part(part, parts))
          .toList()
          .forEach(this::add);
    } else {
      for (int i = 0; i < segments.count() && budget > 0; i++) {
        decode(i);
      }
    }
    branches.sort();
  }

  /** Decodes one of some equal parts of the code. */
  private CodeSweep part(int part, int parts) {
    CodeSweep sweep = new CodeSweep(this);
    int end = (int) ((long) segments.count() * (part + 1) / parts);
    for (int i = (int) ((long) segments.count() * part / parts); i < end; i++) {
      sweep.decode(i);
    }
    return sweep;
  }

  /** Adds what was found in the part of the code after all before. */
  private void add(CodeSweep part) {
    gaps.add(part.gaps);
    branches.add(part.branches);
    examined.or(part.examined);
    continued.or(part.continued);
  }

  /** Decodes some of the code. */
  void run(BitSet some) {
    some.stream().forEach(this::decode);
    branches.sort();
  }

  /** Decodes a segment. */
  void decode(int i) {
    long begin = segments.begin(i);
    long end = segments.end(i);
    long stored = Math.min(end - begin, image.view().stored(begin));
    if (stored > 0) {
      segment(begin, end, Math.min(stored, budget), segments.isFollowed(i));
    }
  }

  private int functionAt(long rva) {
    int i = functions.indexUpTo(rva);
    return i >= 0 && functions.start(i) == rva ? i : -1;
  }

  private void segment(long begin, long end, long stored, boolean starts) {
    int function = functionAt(begin);
    if (function >= 0 && stored == Math.min(end - begin, image.view().stored(begin))) {
      examined.set(function);
    }
    int next = functionAt(end);
    int hash = functionAt(begin + CodeSegments.HASH);
    if (hash >= 0 && hashed.get(hash) && end == begin + CodeSegments.HASH) {
      return;
    }
    boolean covered = functions.reachBefore(begin + 1) > begin;
    Segment segment = new Segment(begin, stored, function, covered);
    segment.decode();
    budget -= stored;
    if (next >= 0 && segment.goesOn()) {
      continued.set(next);
    }
    if (starts && !covered && stored == end - begin) {
      int padding = segment.padding();
      if (padding > 0) {
        gaps.add(end - padding, end);
        if (next >= 0) {
          own[next] = padding;
          fillers[next] = (byte) segment.filler.ordinal();
        }
      }
    }
  }

  /** The code between two marks. */
  private final class Segment {
    private final long begin;
    private final int length;
    private final Bytes bytes;
    private final int function;

    /** True if code starts here; else it may be data, whose branches do not count. */
    private final boolean known;

    private int at;

    /** Start of the current padding, or -1. */
    private int padding = -1;

    private boolean paddingIsSafe;
    private PaddingKind filler = PaddingKind.NONE;

    /** True after an instruction that does not fall through: padding can start. */
    private boolean stopped;

    /** True after an instruction that may not return: int3 can start. */
    private boolean called;

    /** True if the last instruction that is no padding continues with the next one. */
    private boolean falls;

    /** Furthest target of branches of the current function. */
    private int furthest;

    Segment(long begin, long stored, int function, boolean covered) {
      this.begin = begin;
      this.length = (int) Math.min(stored, Integer.MAX_VALUE - 64);
      // The last instruction may be longer than the segment: then the decoder missed a beat.
      this.bytes = image.view().window(begin, length + InstructionDecoder.LONGEST);
      this.function = function;
      this.known = function >= 0 || covered;
      this.stopped = !known;
    }

    void decode() {
      while (at < length) {
        int first = bytes.u8(at);
        PaddingKind single = PaddingKind.ofByte(first);
        if (single == PaddingKind.INT3
            || single == PaddingKind.NOP
            || single == PaddingKind.ZERO && (stopped || padding >= 0)) {
          pad(single, 1);
          continue;
        }
        int size = decoder.decode(bytes, at, bytes.length(), instruction);
        if (size == 0) {
          padding = -1;
          stopped = false;
          called = false;
          falls = false;
          at++;
        } else if (instruction.isNext()) {
          if (PaddingKind.mayBeLongNop(first, narrow)
              && PaddingKind.isLongNop(bytes, at, size, narrow)) {
            pad(PaddingKind.LONG_NOP, size);
          } else {
            padding = -1;
            stopped = false;
            called = false;
            falls = true;
            at += size;
          }
        } else {
          branch(size);
        }
      }
    }

    private void pad(PaddingKind kind, int size) {
      if (padding < 0) {
        padding = at;
        paddingIsSafe = stopped || called && kind == PaddingKind.INT3;
        filler = PaddingKind.NONE;
      }
      filler = filler.and(kind);
      falls &= kind != PaddingKind.INT3;
      at += size;
    }

    private void branch(int size) {
      FlowClass flow = instruction.flowClass();
      if (known && flow.hasTarget()) {
        long target = instruction.branchTarget(begin + at);
        boolean call = flow == FlowClass.DIRECT_CALL;
        reach(target, call);
        if (!call && target > begin + at && target < begin + length) {
          furthest = Math.max(furthest, (int) (target - begin));
        }
      }
      stopped = !flow.fallsThrough();
      falls = flow == FlowClass.CONDITIONAL_BRANCH;
      called =
          flow == FlowClass.DIRECT_CALL
              || flow == FlowClass.INDIRECT_CALL
              || flow == FlowClass.INTERRUPT;
      // A jump through a register can be that of a switch, whose cases follow.
      if (function >= 0
          && stopped
          && sizes[function] == 0
          && at + size > furthest
          && (flow != FlowClass.INDIRECT_JUMP || isThroughSlot(bytes, at))) {
        sizes[function] = at + size;
      }
      padding = -1;
      at += size;
    }

    private void reach(long target, boolean call) {
      int reached = functions.indexUpTo(target);
      if (reached >= 0) {
        long offset = target - functions.start(reached);
        if (offset < NEAR) {
          branches.add(reached, begin + at, (int) offset | (call ? NEAR : 0));
        }
      }
    }

    /** Returns true if code goes on with what starts at the end. */
    boolean goesOn() {
      return known && at == length && falls;
    }

    /** Returns the number of bytes of padding in front of the end. */
    int padding() {
      if (at == length && padding >= 0 && paddingIsSafe) {
        return length - padding;
      }
      int run = 0;
      while (run < length && bytes.u8(length - 1 - run) == 0xCC) {
        run++;
      }
      filler = PaddingKind.INT3;
      return Math.max(0, run - 1);
    }
  }

  /** Returns true if a jump goes through a fixed place in memory: {@code FF 25}, or with REX. */
  static boolean isThroughSlot(Bytes bytes, int at) {
    int opcode = bytes.u8(at) >> 4 == 4 ? at + 1 : at;
    return bytes.has(opcode, 2) && bytes.u8(opcode) == 0xFF && bytes.u8(opcode + 1) == 0x25;
  }

  /** Returns true if the code of a function was decoded. */
  boolean isExamined(int function) {
    return examined.get(function);
  }

  /** Returns true if the code before a function goes on with it, as far as it decodes. */
  boolean isContinued(int function) {
    return continued.get(function);
  }

  /** Returns the size of a function as far as its code shows; 0 if unknown. */
  int size(int function) {
    return sizes[function];
  }

  /** Bytes of padding in front of a function. */
  int own(int function) {
    return own[function];
  }

  /** Returns the content of the padding in front of a function. */
  PaddingKind filler(int function) {
    return PaddingKind.values()[fillers[function]];
  }

  /** All padding, by address. */
  Gaps gaps() {
    return gaps;
  }

  /**
   * Returns the address of the first branch into the overwritten bytes of a function; -1 if there
   * is none. A jump of the function itself to its first byte counts, a call of it does not.
   *
   * @param overwritten the bytes of its first instructions
   * @param entry whether to look for jumps to its first byte, else for those after it
   */
  long branchTo(int function, ImageFunction of, int overwritten, boolean entry) {
    for (int i = branches.first(function);
        i < branches.byFunction.size() && branches.byFunction.get(i) >> 32 == function;
        i++) {
      int branch = (int) branches.byFunction.get(i);
      int offset = branches.offsets.get(branch) & NEAR - 1;
      boolean call = (branches.offsets.get(branch) & NEAR) != 0;
      long source = branches.sources.get(branch);
      if (entry
          ? offset == 0 && !call && isOf(function, of, source)
          : offset > 0 && offset < overwritten) {
        return source;
      }
    }
    return -1;
  }

  /** Returns true if an address is in a function, in parts of it that were moved out as well. */
  private boolean isOf(int function, ImageFunction of, long address) {
    long owner = functions.owner(of.rva());
    if (owner >= 0) {
      return functions.owner(address) == owner;
    }
    boolean isShown = !of.bounded() && sizes[function] > 0;
    long end = isShown ? of.rva() + sizes[function] : of.end();
    return address >= of.rva() && address < end;
  }
}

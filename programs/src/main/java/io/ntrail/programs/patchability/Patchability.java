package io.ntrail.programs.patchability;

import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * Ways to patch the functions of an image while they run. The result depends on the bytes only;
 * whether tracing a function is wise is up to the planner of a trace.
 */
public final class Patchability {
  /** Flag of a guard table entry: a hash of the type is in front of the function. */
  private static final int GUARD_XFG = 8;

  /** Padding that hot-patching needs in front of a function of x64, and of x86. */
  private static final int WANTED_WIDE = 6;

  private static final int WANTED_NARROW = 5;

  private final PeImage image;
  private final ImageFunctions functions;
  private final boolean understood;
  private final BitSet hashed;
  private final CodeSweep sweep;
  private final EntryInstructionReader units;

  /** Of each function where its long jump goes; -1 if nowhere. */
  private final long[] jumps;

  private final List<FunctionPatch> list = new Patches();

  /** Functions that were looked at; null: all. */
  private final @Nullable BitSet wanted;

  private Patchability(
      PeImage image,
      ImageFunctions functions,
      Imports imports,
      Optional<LoadConfig> config,
      @Nullable BitSet wanted,
      BranchFinder finder) {
    this.image = image;
    this.wanted = wanted;
    this.functions = functions;
    this.understood =
        MachineType.isX86(image.headers().machine())
            && image.headers().isWide() == (image.headers().machine() == MachineType.AMD64)
            && config.map(c -> c.value(Field.CHPE_METADATA_POINTER) == 0).orElse(true);
    InstructionDecoder decoder =
        InstructionDecoder.of(image.headers().isWide() ? CodeSize.BITS64 : CodeSize.BITS32);
    this.hashed = hashed(functions, config);
    this.units = new EntryInstructionReader(image, imports, decoder);
    CodeSegments segments = new CodeSegments(functions, hashed);
    this.sweep = new CodeSweep(image, functions, segments, decoder, hashed);
    this.jumps = new long[functions.list().size()];
    Arrays.fill(jumps, -1);
    if (!understood) {
      return;
    }
    // A branch of x86 can have a distance of 16 bits.
    if (wanted != null && image.headers().isWide() && sweep.isAffordable()) {
      CodeSweep trial = new CodeSweep(image, functions, segments, decoder, hashed);
      RelatedCode related = new RelatedCode(image, functions, segments, trial, wanted);
      related.addBranches(finder);
      sweep.run(related.segments());
      place(related.functions());
    } else {
      sweep.run();
      BitSet all = new BitSet();
      all.set(0, jumps.length);
      place(all);
    }
  }

  /** Looks at all functions of an image. */
  public static Patchability of(PeImage image) {
    return of(image, ImageFunctions.of(image), Imports.of(image), LoadConfig.of(image));
  }

  /** Looks at all functions of an image whose parts were read already. */
  public static Patchability of(
      PeImage image, ImageFunctions functions, Imports imports, Optional<LoadConfig> config) {
    return new Patchability(image, functions, imports, config, null, BranchFinder.HERE);
  }

  /**
   * Looks at some functions of an image, with the same result for these as if all were looked at.
   *
   * @param wanted their indexes in the list of functions; {@link #list} has no others
   */
  public static Patchability of(
      PeImage image,
      ImageFunctions functions,
      Imports imports,
      Optional<LoadConfig> config,
      BitSet wanted) {
    return of(image, functions, imports, config, wanted, BranchFinder.HERE);
  }

  /**
   * Looks at some functions of an image.
   *
   * @param finder finds what may branch to them
   */
  public static Patchability of(
      PeImage image,
      ImageFunctions functions,
      Imports imports,
      Optional<LoadConfig> config,
      BitSet wanted,
      BranchFinder finder) {
    BitSet its = (BitSet) wanted.clone();
    return new Patchability(image, functions, imports, config, its, finder);
  }

  /**
   * Returns where the functions of an x64 image start, ascending, whose place for a jump and that
   * of some functions depend on one another.
   *
   * @return empty if nothing less than all code may be looked at
   */
  public static Optional<long[]> related(
      PeImage image, ImageFunctions functions, Optional<LoadConfig> config, BitSet some) {
    BitSet hashed = hashed(functions, config);
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
    CodeSegments segments = new CodeSegments(functions, hashed);
    CodeSweep trial = new CodeSweep(image, functions, segments, decoder, hashed);
    return image.headers().isWide() && trial.isAffordable()
        ? Optional.of(new RelatedCode(image, functions, segments, trial, some).starts())
        : Optional.empty();
  }

  private static BitSet hashed(ImageFunctions functions, Optional<LoadConfig> config) {
    BitSet hashed = new BitSet();
    if (config.isPresent() && (config.get().guardFlags() & LoadConfig.XFG_ENABLED) != 0) {
      List<ImageFunction> all = functions.list();
      for (int i = 0; i < all.size(); i++) {
        if ((all.get(i).guardFlags() & GUARD_XFG) != 0) {
          hashed.set(i);
        }
      }
    }
    return hashed;
  }

  /** Decides where jumps go: into own padding first, then into what is left of that of others. */
  private void place(BitSet among) {
    List<ImageFunction> all = functions.list();
    BitSet without = new BitSet();
    for (int i = among.nextSetBit(0); i >= 0; i = among.nextSetBit(i + 1)) {
      ImageFunction function = all.get(i);
      if (refused(i, function, units.read(function)) == null) {
        if (sweep.own(i) >= FunctionPadding.JUMP) {
          jumps[i] = function.rva() - FunctionPadding.JUMP;
        } else {
          without.set(i);
        }
      }
    }
    PaddingAllocator borrowing = new PaddingAllocator(sweep.gaps());
    for (int i = without.nextSetBit(0); i >= 0; i = without.nextSetBit(i + 1)) {
      jumps[i] = borrowing.take(functions.start(i), this::needed);
    }
  }

  /** Returns the number of bytes in front of an address that the function starting there needs. */
  private int needed(long end) {
    int i = functions.indexUpTo(end);
    return i >= 0 && functions.start(i) == end && jumps[i] == end - FunctionPadding.JUMP
        ? FunctionPadding.JUMP
        : 0;
  }

  /** Returns why a function cannot be patched, whatever the padding in front of it. */
  private @Nullable Because refused(int i, ImageFunction function, EntryInstructions unit) {
    if (!understood) {
      return new Because(PatchRefusal.OTHER_MACHINE, "");
    }
    if (function.inside() && !function.is(Source.FUNCTION_TABLE)) {
      return new Because(PatchRefusal.INSIDE_FUNCTION, at(functions.owner(function.rva() - 1)));
    }
    if (functions.missingOwner(function.rva()) >= 0) {
      return new Because(PatchRefusal.INSIDE_FUNCTION, at(functions.missingOwner(function.rva())));
    }
    PatchRefusal refusal = unit.refusal();
    if (refusal != null) {
      return new Because(refusal, unit.detail());
    }
    if (!image.headers().isWide() && sweep.isContinued(i)) {
      // No table tells such an entry from code that sets its frame up.
      return new Because(PatchRefusal.INSIDE_FUNCTION, "the code before it goes on with it");
    }
    if (!sweep.isExamined(i)) {
      return new Because(PatchRefusal.NOT_EXAMINED, "");
    }
    long loop = sweep.branchTo(i, function, unit.length(), true);
    if (loop >= 0) {
      return new Because(PatchRefusal.LOOPS_TO_ENTRY, "from " + at(loop));
    }
    long branch = sweep.branchTo(i, function, unit.length(), false);
    return branch >= 0 ? new Because(PatchRefusal.BRANCH_INTO_UNIT, "from " + at(branch)) : null;
  }

  private record Because(PatchRefusal refusal, String detail) {}

  private static String at(long rva) {
    return rva < 0 ? "" : "0x" + Long.toHexString(rva);
  }

  /**
   * Returns the functions by address, for any thread. Elements are made on demand; where only some
   * were looked at, the others are {@link IllegalArgumentException}.
   */
  public List<FunctionPatch> list() {
    return list;
  }

  /**
   * Returns the number of functions that can be patched, whatever they were made for, as {@link
   * FunctionPatch#isPossible} says of the elements of {@link #list}.
   */
  public long possible() {
    long possible = 0;
    for (int i = 0; i < jumps.length; i++) {
      boolean isListed = wanted == null || wanted.get(i);
      possible += isListed && jumps[i] >= 0 ? 1 : 0;
    }
    return possible;
  }

  private FunctionPadding padding(int i, long rva) {
    long from = image.section(rva).map(Section::rva).orElse(0L);
    BytewisePadding front = BytewisePadding.of(image.view(), from, rva);
    int run = front.run();
    return new FunctionPadding(
        run, front.fills(), Math.max(run, front.nops()), sweep.own(i), sweep.filler(i));
  }

  private FunctionPatch patch(int i) {
    ImageFunction function = functions.list().get(i);
    EntryInstructions unit = units.read(function);
    FunctionPadding padding = padding(i, function.rva());
    Because because = refused(i, function, unit);
    if (because == null && jumps[i] < 0) {
      because = new Because(hashed.get(i) ? PatchRefusal.TYPE_HASH : PatchRefusal.NO_PADDING, "");
    }
    PatchClass patchClass =
        because != null
            ? PatchClass.D
            : jumps[i] != function.rva() - FunctionPadding.JUMP
                ? PatchClass.C
                : unit.instructions() == 1 ? PatchClass.A : PatchClass.B;
    return new FunctionPatch(
        function,
        patchClass,
        Optional.ofNullable(because).map(Because::refusal),
        because == null ? "" : because.detail(),
        padding,
        unit.firstLength(),
        unit.length(),
        unit.instructions(),
        unit.relative(),
        because == null ? jumps[i] : -1);
  }

  private final class Patches extends AbstractList<FunctionPatch> implements RandomAccess {
    @Override
    public FunctionPatch get(int i) {
      if (i < 0 || i >= jumps.length) {
        throw new IndexOutOfBoundsException(i);
      }
      if (wanted != null && !wanted.get(i)) {
        throw new IllegalArgumentException("not looked at: function " + i);
      }
      return patch(i);
    }

    @Override
    public int size() {
      return jumps.length;
    }
  }

  /**
   * Returns how a function can be patched that is refused only because there is no room for a long
   * jump in front of it or near: the jump overwrites its own first five bytes, which may be several
   * instructions.
   *
   * @param patch an element of {@link #list}
   * @return of class E; if that is not possible either, {@code patch} with the reason as detail;
   *     any other as it is
   */
  public FunctionPatch inPlace(FunctionPatch patch) {
    PatchRefusal refusal = patch.refusal().orElse(null);
    if (refusal != PatchRefusal.NO_PADDING && refusal != PatchRefusal.TYPE_HASH) {
      return patch;
    }
    ImageFunction function = patch.function();
    int i = functions.indexUpTo(function.rva());
    EntryInstructions unit = units.read(function, FunctionPadding.JUMP);
    Because because = refused(i, function, unit);
    String why = because == null ? "" : because.refusal.text();
    if (because == null && unit.length() > room(i, function)) {
      because = new Because(PatchRefusal.TOO_SHORT, room(i, function) + " bytes");
      // A function that ends in a call which does not return, or no function at all.
      why = room(i, function) == 0 ? "no end of it was found" : because.refusal.text();
    }
    return new FunctionPatch(
        function,
        because == null ? PatchClass.E : PatchClass.D,
        because == null ? Optional.empty() : patch.refusal(),
        because == null ? "" : "and in its place: " + why,
        patch.padding(),
        unit.firstLength(),
        unit.length(),
        unit.instructions(),
        unit.relative(),
        because == null ? function.rva() : -1);
  }

  /** Bytes that belong to a function as far as anybody knows; 0 if no end of it was found. */
  private long room(int i, ImageFunction function) {
    long next = i + 1 < jumps.length ? functions.start(i + 1) - function.rva() : Long.MAX_VALUE;
    return Math.min(next, function.bounded() ? function.size() : sweep.size(i));
  }

  /** Counts what hot-patching was made for. */
  public HotPatchStatistics share() {
    int wanted = image.headers().isWide() ? WANTED_WIDE : WANTED_NARROW;
    int[] sums = new int[10];
    for (FunctionPatch patch : list) {
      boolean first = patch.firstLength() >= FunctionPatch.SHORT_JUMP;
      boolean padded = patch.padding().run() >= wanted;
      boolean both = first && padded;
      boolean bothWithNops = first && patch.padding().withNops() >= wanted;
      boolean table = patch.function().is(Source.FUNCTION_TABLE);
      boolean export = patch.function().is(Source.EXPORT);
      boolean[] counts = {
        first,
        padded,
        both,
        bothWithNops,
        first && image.view().u16(patch.function().rva()) == 0xFF8B,
        table,
        table && both,
        export,
        export && both,
        export && bothWithNops
      };
      for (int i = 0; i < counts.length; i++) {
        sums[i] += counts[i] ? 1 : 0;
      }
    }
    return new HotPatchStatistics(
        jumps.length,
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        sums[4],
        sums[5],
        sums[6],
        sums[7],
        sums[8],
        sums[9]);
  }
}

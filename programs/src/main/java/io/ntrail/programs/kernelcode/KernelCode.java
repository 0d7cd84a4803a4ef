package io.ntrail.programs.kernelcode;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.fixups.DynamicFixup;
import io.ntrail.formats.pe.fixups.DynamicRelocations;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Fixups;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import io.ntrail.formats.pe.fixups.Relocations;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.memory.LayeredSpace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The code of a driver as the kernel left it in memory when it loaded the driver, rebuilt from the
 * dynamic relocation records of symbols 3 (imports), 4 (pointers) and 5 (switches).
 *
 * <p>What is written where: {@link SiteForm}. A site is rewritten only if the image has there what
 * its record describes; every other one stays as in the file, with the reason as its outcome.
 */
public final class KernelCode {
  /** The kernels of Windows have some ten thousand sites. */
  private static final int MOST_SITES = 1 << 20;

  private static final Set<Symbol> SYMBOLS =
      Set.of(
          Symbol.GUARD_IMPORT_CONTROL_TRANSFER,
          Symbol.GUARD_INDIR_CONTROL_TRANSFER,
          Symbol.GUARD_SWITCHTABLE_BRANCH);

  private final ImageSpace image;
  private final CodeVariant variant;
  private final List<CodeSite> sites;
  private final RewriteReport report;
  private final AddressSpace space;

  private KernelCode(
      ImageSpace image,
      CodeVariant variant,
      List<CodeSite> sites,
      RewriteReport report,
      AddressSpace space) {
    this.image = image;
    this.variant = variant;
    this.sites = List.copyOf(sites);
    this.report = report;
    this.space = space;
  }

  /**
   * Rewrites the code of an image.
   *
   * @param image read from a file, at the address where the kernel loaded it
   * @param targets addresses of what it imports
   */
  public static KernelCode of(ImageSpace image, ImportTargets targets, CodeVariant variant) {
    Rewriting rewriting = new Rewriting(image, targets, variant);
    rewriting.collect();
    return rewriting.finish();
  }

  /** Returns the variant. */
  public CodeVariant variant() {
    return variant;
  }

  /** Returns every site that was read, by address. */
  public List<CodeSite> sites() {
    return sites;
  }

  /** Returns the numbers of sites. */
  public RewriteReport report() {
    return report;
  }

  /**
   * Returns the memory: the image with what the kernel wrote, and, with retpolines, the synthetic
   * page of thunks behind it, of which only the thunks are there.
   */
  public AddressSpace space() {
    return space;
  }

  /** Returns the RVA of the page of thunks, right behind the image. */
  public long retpolinePage() {
    return RetpolinePage.rva(image.image().headers().sizeOfImage());
  }

  /**
   * A site before it is decided on.
   *
   * @param number index of the slot of an import, or of a register
   */
  private record Found(long rva, SiteForm form, int number) {
    long end() {
      return rva + form.length();
    }
  }

  private static final class Rewriting {
    private final ImageSpace space;
    private final PeImage image;
    private final ImportTargets targets;
    private final CodeVariant variant;
    private final DynamicRelocations dynamic;
    private final long page;
    private final long dispatcher;
    private final Map<Long, OptionalLong> slots = new HashMap<>();
    private final Map<Long, Import> imports = new HashMap<>();
    private final List<Found> found = new ArrayList<>();
    private final List<SiteOutcome> refused = new ArrayList<>();
    private long unread;

    private record Import(Imports.Module module, Imports.Symbol symbol) {}

    Rewriting(ImageSpace space, ImportTargets targets, CodeVariant variant) {
      this.space = space;
      this.image = space.image();
      this.targets = targets;
      this.variant = variant;
      this.dynamic = DynamicRelocations.of(image);
      this.page = RetpolinePage.rva(image.headers().sizeOfImage());
      this.dispatcher =
          LoadConfig.of(image)
              .map(config -> config.rva(LoadConfig.Field.GUARD_CF_DISPATCH_FUNCTION_POINTER))
              .orElse(0L);
      for (Imports.Module module : Imports.of(image).modules()) {
        for (Imports.Symbol symbol : module.symbols()) {
          imports.putIfAbsent(symbol.slot(), new Import(module, symbol));
        }
      }
    }

    /** Reads the records, and finds those that cannot be followed. */
    void collect() {
      for (Fixups list : dynamic.lists()) {
        if (SYMBOLS.contains(list.kind())) {
          dynamic.forEach(list, this::add);
        }
      }
      found.sort(Comparator.comparingLong(Found::rva));
      for (Found site : found) {
        refused.add(contradiction(site));
      }
      markOverlaps();
      markRelocated();
    }

    private void add(DynamicFixup record) {
      if (found.size() == MOST_SITES) {
        unread++;
        return;
      }
      int number =
          switch (record) {
            case DynamicFixup.ImportTransfer(_, _, int index) -> index;
            case DynamicFixup.SwitchBranch(_, int register) -> register;
            default -> 0;
          };
      SiteForm.of(record).ifPresent(form -> found.add(new Found(record.rva(), form, number)));
    }

    /** Returns why a site cannot be what its record says; {@code UNCHANGED} if it can. */
    private SiteOutcome contradiction(Found site) {
      SiteForm form = site.form;
      if (image.headers().machine() != MachineType.AMD64) {
        return SiteOutcome.OTHER_MACHINE;
      }
      if (!image.isExecutable(site.rva)
          || image.view().stored(site.rva) < form.length()
          || site.end() > page) {
        return SiteOutcome.NOT_CODE;
      }
      Bytes code = image.view().window(site.rva, form.length());
      if (!SiteCode.isAsInFile(form, site.number, code)) {
        return SiteOutcome.OTHER_INSTRUCTION;
      }
      if (form == SiteForm.SWITCH_JUMP && RetpolinePage.switchThunk(site.number) < 0) {
        return SiteOutcome.NO_THUNK;
      }
      boolean isOtherSlot =
          switch (form.symbol()) {
            case GUARD_IMPORT_CONTROL_TRANSFER ->
                site.number >= 0
                    && SiteCode.slot(form, site.rva, code) != dynamic.slot(site.number);
            case GUARD_INDIR_CONTROL_TRANSFER ->
                form.isChecked() && SiteCode.slot(form, site.rva, code) != dispatcher;
            default -> false;
          };
      return isOtherSlot ? SiteOutcome.OTHER_SLOT : SiteOutcome.UNCHANGED;
    }

    private boolean isRefused(int index) {
      return refused.get(index) != SiteOutcome.UNCHANGED;
    }

    /** Marks the sites that share bytes: which of them the kernel writes last is not known. */
    private void markOverlaps() {
      int longest = -1;
      for (int i = 0; i < found.size(); i++) {
        if (isRefused(i)) {
          continue;
        }
        if (longest >= 0 && found.get(i).rva < found.get(longest).end()) {
          refused.set(i, SiteOutcome.OVERLAP);
          refused.set(longest, SiteOutcome.OVERLAP);
        }
        if (longest < 0 || found.get(i).end() > found.get(longest).end()) {
          longest = i;
        }
      }
    }

    /** Marks the sites with addresses in them, which no instruction of a site has. */
    private void markRelocated() {
      // They are disjoint: a relocation is looked up among few of them, however many there are.
      int[] kept = IntStream.range(0, found.size()).filter(i -> !isRefused(i)).toArray();
      long[] rvas = IntStream.of(kept).mapToLong(i -> found.get(i).rva).toArray();
      Relocations.of(image)
          .forEach((rva, type, _) -> {
            long end = rva + (type == Relocations.DIR64 ? Long.BYTES : Integer.BYTES);
            int at = Math.max(0, Search.floor(rvas, rvas.length, rva));
            for (; at < rvas.length && rvas[at] < end; at++) {
              if (found.get(kept[at]).end() > rva) {
                refused.set(kept[at], SiteOutcome.RELOCATED);
              }
            }
          });
    }

    KernelCode finish() {
      RewrittenBytes.Builder written = new RewrittenBytes.Builder();
      List<CodeSite> sites = new ArrayList<>();
      for (int i = 0; i < found.size(); i++) {
        Found site = found.get(i);
        Decision decision = isRefused(i) ? Decision.left(refused.get(i)) : decide(site);
        sites.add(new CodeSite(site.rva, site.form, slot(site), decision.outcome, decision.target));
        if (decision.outcome.isRewritten()) {
          Bytes code = image.view().window(site.rva, site.form.length());
          written.add(
              site.rva,
              decision.outcome.isThroughRegister()
                  ? SiteCode.throughRegister(site.form, code)
                  : SiteCode.rewritten(site.form, code, (int) offset(site, decision.target)));
        }
      }
      if (variant == CodeVariant.RETPOLINE) {
        RetpolinePage.thunks().forEach((offset, code) -> written.add(page + offset, code));
      }
      AddressSpace memory =
          variant == CodeVariant.FILE
              ? space
              : new LayeredSpace(
                  space.name(), List.of(written.over(space, space.base(), page), space));
      return new KernelCode(space, variant, sites, new RewriteReport(sites, unread), memory);
    }

    /**
     * Fate of a site.
     *
     * @param target address that it goes to; 0 if it is left as it is
     */
    private record Decision(SiteOutcome outcome, long target) {
      static Decision left(SiteOutcome why) {
        return new Decision(why, 0);
      }
    }

    private Decision decide(Found site) {
      if (variant == CodeVariant.FILE) {
        return Decision.left(SiteOutcome.UNCHANGED);
      }
      return switch (site.form.symbol()) {
        case GUARD_IMPORT_CONTROL_TRANSFER -> ofImport(site);
        case GUARD_SWITCHTABLE_BRANCH ->
            thunk(site, RetpolinePage.switchThunk(site.number), SiteOutcome.UNCHANGED);
        default ->
            thunk(
                site,
                site.form.isChecked() ? RetpolinePage.CHECKED : RetpolinePage.POINTER,
                SiteOutcome.UNCHANGED);
      };
    }

    private Decision ofImport(Found site) {
      OptionalLong target = target(site.number);
      boolean isDirect = target.isPresent() && isNear(offset(site, target.getAsLong()));
      if (variant == CodeVariant.IMPORT_REGISTER && !isDirect) {
        return target.isPresent()
            ? new Decision(SiteOutcome.REGISTER, target.getAsLong())
            : new Decision(SiteOutcome.REGISTER_UNKNOWN_TARGET, 0);
      }
      if (target.isEmpty()) {
        Decision thunk = thunk(site, RetpolinePage.IMPORT, SiteOutcome.UNKNOWN_TARGET);
        return thunk.outcome == SiteOutcome.THUNK
            ? new Decision(SiteOutcome.THUNK_UNKNOWN_TARGET, thunk.target)
            : thunk;
      }
      return isDirect
          ? new Decision(SiteOutcome.DIRECT, target.getAsLong())
          : thunk(site, RetpolinePage.IMPORT, SiteOutcome.OUT_OF_REACH);
    }

    /**
     * Returns that a site goes to a thunk, if there are any.
     *
     * @param without the outcome if there are none
     */
    private Decision thunk(Found site, int offset, SiteOutcome without) {
      if (variant != CodeVariant.RETPOLINE) {
        return Decision.left(without);
      }
      long target = space.base() + page + offset;
      return isNear(offset(site, target))
          ? new Decision(SiteOutcome.THUNK, target)
          : Decision.left(SiteOutcome.OUT_OF_REACH);
    }

    /** Returns the distance of a target from the end of the branch that goes there. */
    private long offset(Found site, long target) {
      return target - (space.base() + site.rva + SiteCode.branchEnd(site.form));
    }

    private static boolean isNear(long offset) {
      return offset == (int) offset;
    }

    private long slot(Found site) {
      return site.form.symbol() == Symbol.GUARD_IMPORT_CONTROL_TRANSFER
          ? dynamic.slot(site.number)
          : 0;
    }

    private OptionalLong target(int index) {
      return slots.computeIfAbsent(
          dynamic.slot(index),
          slot -> {
            Import target = imports.get(slot);
            return target == null
                ? OptionalLong.empty()
                : targets.address(
                    target.module.name(), target.symbol.name(), target.symbol.ordinal());
          });
    }
  }
}

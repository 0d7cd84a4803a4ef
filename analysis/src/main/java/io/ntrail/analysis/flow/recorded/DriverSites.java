package io.ntrail.analysis.flow.recorded;

import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import io.ntrail.programs.kernelcode.CodeSite;
import io.ntrail.programs.kernelcode.ImportTargets;
import io.ntrail.programs.kernelcode.KernelCode;
import io.ntrail.programs.kernelcode.SiteForm;
import io.ntrail.programs.memory.ImageSpace;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sites of a driver in one variant, by the address of the branch in each.
 *
 * @param base of the driver
 * @param page address of the page of thunks behind it
 */
record DriverSites(KernelCode code, long base, long page, Map<Long, Site> byBranch) {
  /** Bytes of the load of the slot that comes first where an import is called directly. */
  private static final int LOAD = 7;

  /**
   * A site.
   *
   * @param start address of its first byte
   * @param end address behind its last byte
   * @param target address that its slot held; 0 if it is none of an import, or not known
   */
  record Site(CodeSite of, long start, long end, long target) {
    boolean isRewritten() {
      return of.outcome().isRewritten();
    }

    boolean isThroughRegister() {
      return of.outcome().isThroughRegister();
    }

    boolean isImport() {
      return of.form().symbol() == Symbol.GUARD_IMPORT_CONTROL_TRANSFER;
    }

    boolean isChecked() {
      return of.form().isChecked();
    }
  }

  static DriverSites of(KernelCode code, ImageSpace image, ImportTargets targets) {
    Map<Long, Long> slots = new HashMap<>();
    if (!code.sites().isEmpty()) {
      for (Imports.Module module : Imports.of(image.image()).modules()) {
        for (Imports.Symbol symbol : module.symbols()) {
          targets
              .address(module.name(), symbol.name(), symbol.ordinal())
              .ifPresent(address -> slots.putIfAbsent(symbol.slot(), address));
        }
      }
    }
    Map<Long, Site> sites = new HashMap<>();
    for (CodeSite site : code.sites()) {
      SiteForm form = site.form();
      boolean isImport = form.symbol() == Symbol.GUARD_IMPORT_CONTROL_TRANSFER;
      long start = image.base() + site.rva();
      boolean isBehindLoad = isImport && site.outcome().isRewritten();
      sites.put(
          start + (isBehindLoad ? LOAD : 0),
          new Site(
              site,
              start,
              start + form.length(),
              isImport ? slots.getOrDefault(site.slot(), 0L) : 0));
    }
    return new DriverSites(code, image.base(), image.base() + code.retpolinePage(), sites);
  }

  boolean isEmpty() {
    return byBranch.isEmpty();
  }

  /** Returns the site whose branch is at an address; null if there is none. */
  @Nullable Site at(long branch) {
    return byBranch.get(branch);
  }

  /** Returns whether an address is in the page of thunks. */
  boolean isThunk(long address) {
    return address - page >= 0 && address - page < 0x1000;
  }
}

package io.ntrail.live.plan;

import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.live.code.TracedCode;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.patchability.SuspensionReason;
import java.util.Optional;

/**
 * Plan for a matching function.
 *
 * @param module where it is
 * @param name what it is called; empty if unknown
 * @param patch how it can be patched
 * @param code what its stub needs; of functions that are patched
 * @param reason why it is skipped, or why only its entries are recorded
 * @param prototype where a 32-bit function has its arguments, if its PDB tells that
 */
public record PlannedFunction(
    PlannedModule module,
    String name,
    FunctionPatch patch,
    Optional<TracedCode> code,
    Optional<SkipReason> reason,
    Optional<CallPrototype> prototype) {
  /** Creates a plan for a function whose prototype is not known or not needed. */
  PlannedFunction(
      PlannedModule module,
      String name,
      FunctionPatch patch,
      Optional<TracedCode> code,
      Optional<SkipReason> reason) {
    this(module, name, patch, code, reason, Optional.empty());
  }

  /** Returns its RVA. */
  public long rva() {
    return patch.function().rva();
  }

  /** Returns whether it is patched. */
  public boolean isTraced() {
    return code.isPresent();
  }

  /** Returns whether entries and exits are recorded. */
  public boolean hasExits() {
    return code.isPresent() && code.get().exits();
  }

  /** Returns this function with only its entries recorded. */
  public PlannedFunction entriesOnly() {
    return new PlannedFunction(
        module, name, patch, code.map(TracedCode::entriesOnly), reason, prototype);
  }

  /** Returns this function where its module lies. */
  public PlannedFunction in(PlannedModule where) {
    long address = where.module().base() + rva();
    return new PlannedFunction(
        where, name, patch, code.map(its -> its.at(address)), reason, prototype);
  }

  /** Returns this function as skipped. */
  public PlannedFunction leftAlone(SkipReason why) {
    return new PlannedFunction(module, name, patch, Optional.empty(), Optional.of(why));
  }

  /**
   * Returns why threads must be suspended while it is patched; empty if they may run, or it is not
   * patched.
   */
  public Optional<SuspensionReason> needsStop() {
    return isTraced() ? patch.needsStop() : Optional.empty();
  }

  /** Returns its name, or its RVA if it has none. */
  public String title() {
    return module.module().stem() + "!" + (name.isEmpty() ? "0x" + Long.toHexString(rva()) : name);
  }
}

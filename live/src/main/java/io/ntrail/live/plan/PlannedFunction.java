package io.ntrail.live.plan;

import io.ntrail.live.code.TracedCode;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.patchability.SuspensionReason;
import java.util.Optional;

/**
 * What is done with a function that was asked for.
 *
 * @param module where it is
 * @param name what it is called; empty if nobody knows
 * @param patch how it can be patched
 * @param code what its stub needs; of functions that are patched
 * @param reason why it is left alone, or why only its entries are recorded
 */
public record PlannedFunction(
    PlannedModule module,
    String name,
    FunctionPatch patch,
    Optional<TracedCode> code,
    Optional<SkipReason> reason) {
  /** Where it begins in its module. */
  public long rva() {
    return patch.function().rva();
  }

  /** Whether it is patched. */
  public boolean isTraced() {
    return code.isPresent();
  }

  /** Whether entries and exits are recorded. */
  public boolean hasExits() {
    return code.isPresent() && code.get().exits();
  }

  /** The same, of which only entries are recorded. */
  public PlannedFunction entriesOnly() {
    return new PlannedFunction(module, name, patch, code.map(TracedCode::entriesOnly), reason);
  }

  /** The same, left alone. */
  public PlannedFunction leftAlone(SkipReason why) {
    return new PlannedFunction(module, name, patch, Optional.empty(), Optional.of(why));
  }

  /** Why threads have to stand still while it is patched; empty if they may run, or it is not. */
  public Optional<SuspensionReason> needsStop() {
    return isTraced() ? patch.needsStop() : Optional.empty();
  }

  /** The name, or what stands for it. */
  public String title() {
    return module.module().stem() + "!" + (name.isEmpty() ? "0x" + Long.toHexString(rva()) : name);
  }
}

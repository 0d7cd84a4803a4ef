package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.recorded.DriverCode.Place;
import io.ntrail.analysis.flow.recorded.DriverSites.Site;
import io.ntrail.programs.kernelcode.SiteOutcome;
import io.ntrail.programs.x86.FlowClass;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether a flow can be right, by what it does at sites that the kernel may have rewritten:
 * a wrong variant loses the flow, or leads it where a right one never goes.
 *
 * <ul>
 *   <li>A call through the slot of an import comes to that import.
 *   <li>A call through the slot of control flow guard comes to its dispatcher, which jumps to rax;
 *       a thunk never does.
 *   <li>A call at a site is returned from to the address behind it.
 *   <li>A direct call or jump to an import is not followed by a branch whose target the trace tells
 *       to be just that import: this would be the branch through the slot.
 * </ul>
 */
final class VariantScore implements FlowSink {
  private static final int MOST_CALLS = 4096;

  /** Finds the driver at an address. */
  interface Drivers {
    /** Returns the driver that an address belongs to; null if it is of none. */
    @Nullable Driver at(long address);
  }

  /** A driver with its sites, in the variant that is tried. */
  record Driver(Place place, DriverSites sites) {}

  /**
   * A call whose return is waited for.
   *
   * @param site null if it is none of a site
   */
  private record Call(long returnAddress, @Nullable Site site) {}

  private final Drivers drivers;
  private final Function<Long, DispatcherCheck.Answer> dispatchers;
  private final List<Call> calls = new ArrayList<>();
  private final Set<Place> touched = new LinkedHashSet<>();

  /** Site whose branch was executed last. */
  private @Nullable Site left;

  /** Checked site that is on its way through a thunk. */
  private @Nullable Site inThunk;

  private @Nullable Call returned;

  /** Import that was gone to directly, until the next branch that the trace may tell; else 0. */
  private long direct;

  private boolean isTold;
  private @Nullable Driver last;
  private long errors;
  private long misfits;

  VariantScore(Drivers drivers, Function<Long, DispatcherCheck.Answer> dispatchers) {
    this.drivers = drivers;
    this.dispatchers = dispatchers;
  }

  /** Returns how much speaks against the flow. */
  long against() {
    return errors + misfits;
  }

  /** Returns the drivers that have executed a site, in the order of the first ones. */
  Set<Place> touched() {
    return touched;
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    long start = blocks.start(block);
    arrive(start);
    left = null;
    returned = null;
    isTold = false;
    if (count < blocks.count(block)) {
      return;
    }
    FlowClass kind = blocks.flowClass(block, count - 1);
    isTold =
        kind == FlowClass.INDIRECT_CALL
            || kind == FlowClass.INDIRECT_JUMP
            || kind == FlowClass.RETURN;
    long end = blocks.end(block);
    switch (kind) {
      case DIRECT_CALL, INDIRECT_CALL -> {
        Site site = site(end - blocks.length(block, count - 1));
        boolean isCall = site != null && site.of().form().isCall();
        if (calls.size() < MOST_CALLS) {
          calls.add(new Call(end, isCall ? site : null));
        }
      }
      case DIRECT_JUMP, INDIRECT_JUMP -> site(end - blocks.length(block, count - 1));
      case RETURN -> {
        if (!calls.isEmpty()) {
          returned = calls.removeLast();
        }
      }
      default -> {
        // No branch of a site.
      }
    }
    if (kind == FlowClass.RETURN && inThunk != null) {
      Driver driver = drivers.at(start);
      if (driver == null || !driver.sites.isThunk(start)) {
        inThunk = null;
      }
    }
  }

  private @Nullable Site site(long branch) {
    Driver driver = last;
    if (driver == null || branch - driver.sites.base() < 0 || branch - driver.sites.page() >= 0) {
      driver = drivers.at(branch);
      last = driver;
    }
    Site site = driver == null ? null : driver.sites.at(branch);
    if (site != null && driver != null) {
      touched.add(driver.place);
      left = site;
      inThunk = site.isChecked() && site.isRewritten() ? site : null;
    }
    return site;
  }

  /** Looks at where the branch before came to. */
  private void arrive(long target) {
    Site site = left;
    Call call = returned;
    if (isTold && direct != 0) {
      misfits += target == direct ? 1 : 0;
      direct = 0;
    }
    if (site != null && site.of().outcome() == SiteOutcome.DIRECT) {
      direct = target;
    }
    if (call != null && inThunk != null) {
      misfits += dispatchers.apply(target) == DispatcherCheck.Answer.YES ? 1 : 0;
      inThunk = null;
    } else if (call != null && call.site != null && call.returnAddress != target) {
      misfits++;
    }
    if (site == null) {
      return;
    }
    if (site.isThroughRegister()) {
      misfits += site.target() != 0 && site.target() != target ? 1 : 0;
      return;
    }
    if (site.isRewritten()) {
      return;
    }
    if (site.isImport()) {
      boolean isWrong = site.target() != 0 && site.target() != target;
      boolean isBehind = target > site.start() && target <= site.end();
      misfits += isWrong || isBehind ? 1 : 0;
    } else if (site.isChecked()) {
      misfits += dispatchers.apply(target) == DispatcherCheck.Answer.NO ? 1 : 0;
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    if (address != 0 && (event == FlowEvent.INTERRUPTED || event == FlowEvent.DISABLED)) {
      // Nothing ran where the branch before it came to.
      arrive(address);
    }
    isTold = false;
    left = null;
    returned = null;
    inThunk = null;
    direct = 0;
    if (event == FlowEvent.OVERFLOW || event == FlowEvent.ENABLED) {
      calls.clear();
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    left = null;
    returned = null;
    inThunk = null;
    direct = 0;
    calls.clear();
    // Code that is not at hand is missing in every variant.
    errors += error == FlowError.NO_CODE ? 0 : 1;
  }
}

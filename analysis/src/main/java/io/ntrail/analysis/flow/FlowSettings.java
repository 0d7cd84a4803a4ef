package io.ntrail.analysis.flow;

import io.ntrail.formats.pt.Erratum;
import io.ntrail.programs.x86.CodeSize;
import java.util.List;
import java.util.Set;

/**
 * Settings for the decoding of a stream.
 *
 * @param errata defects of the processor; empty if it is not known
 * @param resync where the flow goes on after an error
 * @param codeSize the size of the code until a packet tells it
 * @param filters ranges in which the processor traces, where it does not tell itself that it left
 *     them; none: everywhere, or it does
 * @param asLibipt whether to err as libipt does: only compressed returns pop a call, a header is
 *     not compared with the address that was reached, a PTWRITE has an address only if a packet
 *     tells it, and what follows a header that tells another state is given up
 */
public record FlowSettings(
    Set<Erratum> errata,
    Resync resync,
    CodeSize codeSize,
    List<AddressFilter> filters,
    boolean asLibipt) {
  /** Places where the flow goes on after an error. */
  public enum Resync {
    /** The next packet that tells an address. */
    EVENT,
    /** The next PSB. */
    PSB
  }

  /** Copies the collections. */
  public FlowSettings {
    errata = Set.copyOf(errata);
    filters = List.copyOf(filters);
  }

  /** Settings without filters, and right where libipt errs. */
  public FlowSettings(Set<Erratum> errata, Resync resync, CodeSize codeSize) {
    this(errata, resync, codeSize, List.of(), false);
  }
}

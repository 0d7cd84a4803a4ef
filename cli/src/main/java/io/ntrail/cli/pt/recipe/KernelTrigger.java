package io.ntrail.cli.pt.recipe;

import io.ntrail.formats.etl.groups.KernelGroups;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.WprEvent;
import java.util.List;
import java.util.Optional;

/**
 * Kernel event that WPR can have a piece of Processor Trace written behind: any of WPR's events
 * with stacks.
 *
 * @param name as the schema spells it
 * @param keyword of the system provider, without which the event is not logged; empty if none is
 *     needed or known
 */
record KernelTrigger(String name, Optional<String> keyword) {
  /** Events that are logged without a keyword. */
  private static final String ALWAYS = "Mark";

  /** Returns all of them. */
  static List<KernelTrigger> all() {
    return new StackEvents().wpr().stream().map(KernelTrigger::of).toList();
  }

  private static KernelTrigger of(WprEvent event) {
    return new KernelTrigger(event.name(), new KernelGroups().keyword(event.group()));
  }

  /** Returns the one with a name, in any case. */
  static Optional<KernelTrigger> named(String name) {
    return new StackEvents().wpr(name).map(KernelTrigger::of);
  }

  /** Returns whether it is not known what has to be turned on for the event to be logged. */
  boolean isKeywordUnknown() {
    return keyword.isEmpty() && !name.equals(ALWAYS);
  }
}

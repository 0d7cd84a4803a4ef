package io.ntrail.cli.pt.recipe;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Request for a recording of Processor Trace.
 *
 * @param ringKib size of a thread's ring in KiB: 4, 8, 16 or 32
 * @param mode whose code
 * @param events behind which the ring is written
 */
public record Recipe(int ringKib, CodeMode mode, List<String> events) {
  /** Option for the events, which other questions have, too. */
  public static final String EVENT = "-e";

  private static final String RING = "--ring";
  private static final List<String> RINGS = List.of("4", "8", "16", "32");
  private static final int DEFAULT_RING = 16;
  private static final String DEFAULT_EVENT = "SystemCallExit";
  private static final OptionValues<CodeMode> MODES =
      OptionValues.of("--mode", List.of(CodeMode.values()));

  /** Keywords without which the traces cannot be assigned to processes and code. */
  private static final List<String> NEEDED = List.of("ProcessThread", "Loader", "CSwitch");

  /** Options that only a recipe has. */
  public static final List<String> OPTIONS = List.of(RING, MODES.option());

  /** Keeps the list from changes. */
  public Recipe {
    events = List.copyOf(events);
  }

  /** Adds the options that only a recipe has. */
  public static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.oneOf(
            RINGS, "KIB", "recipe: KiB of trace before an event (default 16)", RING));
    spec.addOption(
        CommonOptions.oneOf(
            MODES.words(), "MODE", "recipe: whose code is traced (default both)", MODES.option()));
  }

  /** Returns the recipe that the options ask for. */
  public static Recipe of(ParseResult parsed) {
    String ring = CommonOptions.text(parsed, RING, Integer.toString(DEFAULT_RING));
    if (!RINGS.contains(ring)) {
      throw new UsageError(RING + " takes 4, 8, 16 or 32 (KiB), not " + ring, RING + " 16");
    }
    Set<String> events = new LinkedHashSet<>();
    for (String name : CommonOptions.names(parsed, EVENT)) {
      events.add(event(name));
    }
    return new Recipe(
        Integer.parseInt(ring),
        MODES.value(parsed, CodeMode.BOTH),
        events.isEmpty() ? List.of(DEFAULT_EVENT) : List.copyOf(events));
  }

  private static String event(String name) {
    Optional<KernelTrigger> trigger = KernelTrigger.named(name);
    if (trigger.isEmpty()) {
      List<String> names = KernelTrigger.all().stream().map(KernelTrigger::name).toList();
      String nearest = SpellingSuggestion.of(name, names);
      throw new UsageError(
          "WPR has no kernel event " + name + " (docs/pt.md lists the " + names.size() + ")",
          "ntrail pt recipe -e " + (nearest.isEmpty() ? DEFAULT_EVENT : nearest));
    }
    return trigger.get().name();
  }

  /** Returns the keywords of the system provider. */
  List<String> keywords() {
    Set<String> keywords = new LinkedHashSet<>(NEEDED);
    triggers().forEach(trigger -> trigger.keyword().ifPresent(keywords::add));
    return List.copyOf(keywords);
  }

  /** Returns the events of which it is not known what turns them on. */
  List<String> withoutKeyword() {
    return triggers().stream()
        .filter(KernelTrigger::isKeywordUnknown)
        .map(KernelTrigger::name)
        .toList();
  }

  private List<KernelTrigger> triggers() {
    List<KernelTrigger> triggers = new ArrayList<>();
    events.forEach(event -> KernelTrigger.named(event).ifPresent(triggers::add));
    return triggers;
  }
}

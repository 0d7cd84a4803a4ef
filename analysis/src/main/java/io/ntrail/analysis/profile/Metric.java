package io.ntrail.analysis.profile;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Declaration of what a source of weights adds up: its name, units and nouns, and what to do when a
 * recording has none of it. Answers take all their words about a metric from here.
 *
 * @param name as options and answers spell it
 * @param things the events that it is made of, in the plural
 * @param units that it is available in, the usual one first
 * @param durations noun of its nanoseconds, such as "wait time"; empty if they need none
 * @param occurrences what is counted in {@link WeightUnit#COUNT}
 * @param stacksOf the events that its stacks are of, if they are not those at which weights become
 *     known; else empty
 * @param choice the words about its kinds; none if it has one kind only
 * @param traits what else is true of it
 * @param toRecord how to record it, with WPR or xperf
 */
public record Metric(
    String name,
    String things,
    List<WeightUnit> units,
    String durations,
    String occurrences,
    String stacksOf,
    Choice choice,
    Set<Trait> traits,
    String toRecord) {
  /** Property of a metric. */
  public enum Trait {
    /** Each weight is one hit: idle ones can be distinguished, and a hit needs no stack. */
    SAMPLED,
    /** Its nanoseconds are time of CPUs. */
    CPU_TIME,
    /** It counts events selected by name. */
    NAMED_EVENTS,
    /** Its events may be about files. */
    OF_FILES,
    /** Its events may be about objects of types. */
    OF_TYPES
  }

  /**
   * Words about kinds of a metric that are never added together; {@code --source} takes one.
   *
   * @param help what {@code --source} takes, before "of" and the metric
   * @param some what is made of a kind, before its name: "samples of the counter"
   * @param others what the other kinds are called
   */
  public record Choice(String help, String some, String others) {
    /** No choice. */
    public static final Choice NONE = new Choice("", "", "");
  }

  /** Copies the collections. */
  public Metric {
    units = List.copyOf(units);
    traits = Set.copyOf(traits);
  }

  /**
   * Creates a declaration with the usual words.
   *
   * @param units the usual one first
   */
  public static Metric of(String name, String things, WeightUnit... units) {
    return new Metric(
        name, things, Arrays.asList(units), "", things, "", Choice.NONE, Set.of(), "");
  }

  /** Returns the same with words about its nanoseconds and its counts. */
  public Metric withNouns(String newDurations, String newOccurrences) {
    return new Metric(
        name, things, units, newDurations, newOccurrences, stacksOf, choice, traits, toRecord);
  }

  /** Returns the same with the events that its stacks are of. */
  public Metric withStacksOf(String newStacksOf) {
    return new Metric(
        name, things, units, durations, occurrences, newStacksOf, choice, traits, toRecord);
  }

  /** Returns the same with kinds to choose from. */
  public Metric withChoice(String help, String some, String others) {
    return new Metric(
        name,
        things,
        units,
        durations,
        occurrences,
        stacksOf,
        new Choice(help, some, others),
        traits,
        toRecord);
  }

  /** Returns the same with a property. */
  public Metric with(Trait trait) {
    Set<Trait> all = EnumSet.of(trait);
    all.addAll(traits);
    return new Metric(name, things, units, durations, occurrences, stacksOf, choice, all, toRecord);
  }

  /** Returns the same with the way to record it. */
  public Metric recordedBy(String newToRecord) {
    return new Metric(
        name, things, units, durations, occurrences, stacksOf, choice, traits, newToRecord);
  }

  /** Returns whether it has a property. */
  public boolean has(Trait trait) {
    return traits.contains(trait);
  }

  /** Returns whether it has kinds to choose from. */
  public boolean hasChoice() {
    return !choice.help.isEmpty();
  }

  /** Returns the unit in which a sample weighs 1, else the usual one. */
  public WeightUnit unitOfHits() {
    return units.contains(WeightUnit.COUNT) ? WeightUnit.COUNT : units.getFirst();
  }
}

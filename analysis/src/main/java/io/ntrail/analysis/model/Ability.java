package io.ntrail.analysis.model;

/** Abilities of recordings. Each kind of recording has some of them. */
public enum Ability {
  /** Events with times and fields: {@link RecordedEvents}. */
  EVENTS("events"),
  /** Weights with time, process, thread and stack, for profiles. */
  WEIGHTED_STACKS("weighted stacks"),
  /** Weights with stacks whose frames have names, and nothing else: {@link NamedStacks}. */
  NAMED_STACKS("named stacks"),
  /** Function calls with their entries and exits. */
  CALLS("calls"),
  /** Threads: {@link RecordedThreads}. */
  THREADS("threads"),
  /** Bytes by address: {@link io.ntrail.programs.memory.AddressSpace}. */
  MEMORY("memory");

  private final String noun;

  Ability(String noun) {
    this.noun = noun;
  }

  /** Plural noun, to follow {@code it has no}. */
  public String noun() {
    return noun;
  }
}

package io.ntrail.analysis.model;

import static io.ntrail.analysis.model.Ability.EVENTS;
import static io.ntrail.analysis.model.Ability.MEMORY;
import static io.ntrail.analysis.model.Ability.NAMED_STACKS;
import static io.ntrail.analysis.model.Ability.THREADS;
import static io.ntrail.analysis.model.Ability.WEIGHTED_STACKS;

/** Kinds of recordings, and what each can be asked. */
public enum RecordingKind {
  /** Event Tracing for Windows: one or several {@code .etl} files. */
  ETW("an ETW recording", EVENTS, WEIGHTED_STACKS, NAMED_STACKS, THREADS),
  /** Recorded function calls: a {@code .ntr}, or a {@code .jtrc} of NTrace. */
  CALLS("a call recording", Ability.CALLS, WEIGHTED_STACKS, NAMED_STACKS, THREADS),
  /** Dump of a process or of the kernel: a recording of one instant. */
  DUMP("a dump", THREADS, MEMORY),
  /** Intel Processor Trace, with the images that ran. */
  PT("a Processor Trace recording", Ability.CALLS, WEIGHTED_STACKS, NAMED_STACKS, THREADS),
  /** Collapsed stacks: text, one stack per line. */
  COLLAPSED("a file of collapsed stacks", NAMED_STACKS);

  private final String noun;

  /** A bit for each ability. */
  private final int abilities;

  RecordingKind(String noun, Ability... abilities) {
    this.noun = noun;
    int bits = 0;
    for (Ability ability : abilities) {
      bits |= 1 << ability.ordinal();
    }
    this.abilities = bits;
  }

  /** Noun phrase with its article, to follow {@code FILE is}. */
  public String noun() {
    return noun;
  }

  /** Returns true if such a recording can be asked for an ability. */
  public boolean has(Ability ability) {
    return (abilities & 1 << ability.ordinal()) != 0;
  }
}

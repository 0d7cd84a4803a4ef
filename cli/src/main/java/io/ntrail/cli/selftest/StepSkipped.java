package io.ntrail.cli.selftest;

import java.util.Locale;

/** Reason why a step cannot be done here. */
final class StepSkipped extends RuntimeException {
  /** A need of a step that this run does not meet. */
  enum Need {
    /** Windows itself. */
    WINDOWS,
    /** A person who looks, or types. */
    PERSON,
    /** The rights of an administrator. */
    ADMINISTRATOR,
    /** Something that this system or its processor does not have. */
    SYSTEM;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final long serialVersionUID = 1;
  private final Need need;
  private final String why;

  StepSkipped(Need need, String why) {
    super(why);
    this.need = need;
    this.why = why;
  }

  Need need() {
    return need;
  }

  String why() {
    return why;
  }
}

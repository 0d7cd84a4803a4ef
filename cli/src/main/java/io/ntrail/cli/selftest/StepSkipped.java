package io.ntrail.cli.selftest;

import java.util.Locale;

/** Reason why a step cannot be done here. */
final class StepSkipped extends RuntimeException {
  /** A need of a step that this run does not meet. */
  enum Need {
    /** Windows itself. */
    WINDOWS("Windows"),
    /** A person who looks, or types. */
    PERSON("a person"),
    /** The rights of an administrator. */
    ADMINISTRATOR("an administrator"),
    /** Something that this system or its processor does not have. */
    SYSTEM("another system");

    private final String text;

    Need(String text) {
      this.text = text;
    }

    /** Returns it as a part of a sentence. */
    String text() {
      return text;
    }

    /** Returns its word in JSON. */
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

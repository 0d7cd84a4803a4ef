package io.ntrail.live.plan;

import io.ntrail.programs.patchability.PatchRefusal;
import java.util.Optional;

/**
 * Why a function is left alone, or only its entries are recorded.
 *
 * @param kind the reason
 * @param refusal what the classifier says, of {@link Kind#UNPATCHABLE}
 * @param detail what belongs to it: an address, an instruction; may be empty
 */
public record SkipReason(Kind kind, Optional<PatchRefusal> refusal, String detail) {
  /** A reason. */
  public enum Kind {
    /** The classifier refuses it. */
    UNPATCHABLE("cannot be patched"),
    /** It is jumped to with a stack of a special kind. */
    SPECIAL_ENTRY("the system jumps to it with a stack of its own"),
    /** It returns twice, or not where it was called from. */
    RETURNS_ELSEWHERE("it returns twice, or elsewhere"),
    /** It is no function: another one jumps to it. */
    PART("it is a part of another function, which jumps to it with its frame made"),
    /** It looks at its return address. */
    READS_RETURN_ADDRESS("it looks at its return address"),
    /** All registers are arguments, and nobody wants to see it. */
    STACK_PROBE("it is a probe of the stack, called all the time"),
    /** What was moved could not be unwound. */
    NO_UNWIND_DATA("its first instructions change the stack without unwind data"),
    /** Unwind data of a kind that cannot be moved. */
    UNWIND_DATA("its unwind data cannot be moved"),
    /** What its first instructions refer to is too far from any free memory. */
    OUT_OF_REACH("what its first instructions refer to is out of reach of the stub"),
    /** Somebody patched it, or the room for its jump. */
    FOREIGN_PATCH("its code in memory is not that of its file"),
    /** Somebody changed it while it was being planned, or uses the room for its jump. */
    CHANGED("it, or the room for its jump, is not what it was when that was planned"),
    /** It can be patched, but not while threads run. */
    NEEDS_STOP("threads have to stand still while it is patched"),
    /** What would be overwritten may be data. */
    DOUBTFUL_PADDING("the room for a jump may be data"),
    /** Nobody says that it is code, and it does not look like it to its end. */
    DOUBTFUL_CODE("nobody but the export table says that it is code"),
    /** Internals of the system that nobody names, some of which look at return addresses. */
    UNNAMED_INTERNAL("its name is not known, and the system's internals are not all fit for it"),
    /** A runtime that walks the frames of the functions it calls by itself. */
    RUNTIME("its runtime looks at the return addresses of what it calls"),
    /** Tracing itself has to change it. */
    NEEDED("tracing itself needs it"),
    /** The user does not want it. */
    EXCLUDED("excluded");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** For people; a clause about the function. */
    public String text() {
      return text;
    }
  }

  /** A reason without more to say. */
  public static SkipReason of(Kind kind) {
    return new SkipReason(kind, Optional.empty(), "");
  }

  /** A reason with what belongs to it. */
  public static SkipReason of(Kind kind, String detail) {
    return new SkipReason(kind, Optional.empty(), detail);
  }

  /** What the classifier says. */
  static SkipReason of(PatchRefusal refusal, String detail) {
    return new SkipReason(Kind.UNPATCHABLE, Optional.of(refusal), detail);
  }

  /** The reason's name, as in JSON. */
  public String name() {
    return refusal.map(Enum::name).orElse(kind.name());
  }

  /** The reason for people, without what belongs to this function alone. */
  public String reason() {
    return refusal.map(PatchRefusal::text).orElse(kind.text());
  }

  /** For people. */
  public String text() {
    return detail.isEmpty() ? reason() : reason() + " (" + detail + ")";
  }
}

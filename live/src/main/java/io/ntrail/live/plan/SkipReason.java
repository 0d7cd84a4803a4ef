package io.ntrail.live.plan;

import io.ntrail.programs.patchability.PatchRefusal;
import java.util.Optional;

/**
 * Reason why a function is skipped, or only its entries are recorded.
 *
 * @param kind the reason
 * @param refusal what the classifier says, of {@link Kind#UNPATCHABLE}
 * @param detail what belongs to it: an address, an instruction; may be empty
 */
public record SkipReason(Kind kind, Optional<PatchRefusal> refusal, String detail) {
  /** Kind of a reason. */
  public enum Kind {
    /** The function cannot be patched. */
    UNPATCHABLE("cannot be patched"),
    /** Entered by the system with a special stack. */
    SPECIAL_ENTRY("entered by the system with a special stack"),
    /** Returns twice or to another address. */
    RETURNS_ELSEWHERE("returns twice or to another address"),
    /** Part of another function, entered with its frame set up. */
    PART("part of another function, entered with its frame set up"),
    /** Reads its return address. */
    READS_RETURN_ADDRESS("reads its return address"),
    /** May read its return address: its stack cannot be followed. */
    STACK_UNKNOWN("may read its return address: its use of the stack cannot be followed"),
    /** Exceptions of GNU C++ would not find their way through slots. */
    UNWINDER("the module's GNU C++ unwinder cannot be told of tracing"),
    /** Helper of prologues and epilogues, which sets up or removes its caller's frame. */
    FRAME_HELPER("helper that sets up or removes the frame of its caller"),
    /** Stack probe, whose arguments are in any register. */
    STACK_PROBE("stack probe"),
    /** Moved instructions could not be unwound. */
    NO_UNWIND_DATA("prologue changes the stack without unwind data"),
    /** Unwind data cannot be relocated. */
    UNWIND_DATA("unwind data cannot be relocated"),
    /** Operands of the first instructions are too far from free memory. */
    OUT_OF_REACH("operands of the first instructions are out of range of the stub"),
    /** Another tool patched the function or its padding. */
    FOREIGN_PATCH("code in memory differs from the file (patched by another tool)"),
    /** The function changed during planning, or its padding is used. */
    CHANGED("function or padding changed since planning"),
    /** Threads must be suspended to patch it. */
    NEEDS_STOP("threads must be suspended to patch it"),
    /** Padding may be data. */
    DOUBTFUL_PADDING("padding may be data"),
    /** Only an export indicates code, and it does not decode to an end. */
    DOUBTFUL_CODE("only the export table indicates code"),
    /** Unnamed internal function of the system; some of them read return addresses. */
    UNNAMED_INTERNAL("unnamed internal function of the system, may be unsafe to trace"),
    /** Function of a language runtime that walks its own frames. */
    RUNTIME("language runtime walks its own frames"),
    /** Patched by tracing itself. */
    NEEDED("used by tracing itself"),
    /** Excluded by the user. */
    EXCLUDED("excluded");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** Returns a clause about the function. */
    public String text() {
      return text;
    }
  }

  /** Returns a reason without detail. */
  public static SkipReason of(Kind kind) {
    return new SkipReason(kind, Optional.empty(), "");
  }

  /** Returns a reason with detail. */
  public static SkipReason of(Kind kind, String detail) {
    return new SkipReason(kind, Optional.empty(), detail);
  }

  /** Returns the reason why the function cannot be patched. */
  static SkipReason of(PatchRefusal refusal, String detail) {
    return new SkipReason(Kind.UNPATCHABLE, Optional.of(refusal), detail);
  }

  /** Returns the name of the reason, as in JSON. */
  public String name() {
    return refusal.map(Enum::name).orElse(kind.name());
  }

  /** Returns the reason as text, without the detail. */
  public String reason() {
    return refusal.map(PatchRefusal::text).orElse(kind.text());
  }

  /** Returns the reason as text, with a detail only if that is the same for many functions. */
  public String general() {
    return kind == Kind.RUNTIME || refusal.filter(PatchRefusal.LOOPS_TO_ENTRY::equals).isPresent()
        ? text()
        : reason();
  }

  /** Returns the reason as text with its detail. */
  public String text() {
    return detail.isEmpty() ? reason() : reason() + " (" + detail + ")";
  }
}

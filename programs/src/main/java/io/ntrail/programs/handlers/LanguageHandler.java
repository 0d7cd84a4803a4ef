package io.ntrail.programs.handlers;

/**
 * A language handler of an image: the function that unwind information names.
 *
 * @param rva where it lies
 * @param kind which one it is
 * @param name its name, of {@link HandlerKind#OTHER} as imported or exported; empty: unknown
 * @param found how that was found
 */
public record LanguageHandler(long rva, HandlerKind kind, String name, Found found) {
  /** How it was found which handler a function is, the surest way first. */
  public enum Found {
    /** It jumps to an import of that name. */
    IMPORT,
    /** The image exports it by that name. */
    EXPORT,
    /** Near its beginning it calls one that is known, as the checks of stack cookies do. */
    CALLS,
    /** The data of all functions with this handler look like that. */
    DATA,
    /** Not at all. */
    NOT_FOUND
  }

  /** Whether it is known which one it is, or at least what its data are. */
  public boolean isKnown() {
    return found != Found.NOT_FOUND;
  }
}

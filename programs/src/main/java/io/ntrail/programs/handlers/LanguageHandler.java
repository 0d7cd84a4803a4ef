package io.ntrail.programs.handlers;

/**
 * A language handler of an image: the function that unwind information refers to.
 *
 * @param rva its RVA
 * @param kind which handler it is
 * @param name its name, of {@link HandlerKind#OTHER} as imported or exported; empty: unknown
 * @param found how it was identified
 */
public record LanguageHandler(long rva, HandlerKind kind, String name, Found found) {
  /** Ways to identify a handler, the surest first. */
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

  /** Returns true if its identity is known, or at least the kind of its data. */
  public boolean isKnown() {
    return found != Found.NOT_FOUND;
  }
}

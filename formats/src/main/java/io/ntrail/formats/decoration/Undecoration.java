package io.ntrail.formats.decoration;

import java.util.Optional;

/**
 * What a name means that a Microsoft C++ compiler decorated: {@code ?f@@YAXH@Z} is {@code void
 * __cdecl f(int)}.
 *
 * <p>Bounded in depth and length; whatever is given, nothing is thrown.
 */
public final class Undecoration {
  private Undecoration() {}

  /** How much is written. */
  public enum Style {
    /** Everything, as llvm-undname writes it. */
    FULL,
    /** The name with its scopes and parameters. */
    NAME
  }

  /**
   * The meaning of a name.
   *
   * @return empty if it is not decorated, or not in a way that is known
   */
  public static Optional<String> of(String name, Style style) {
    try {
      return Optional.of(UndecoratedText.of(SymbolReader.read(name), style == Style.NAME));
    } catch (Encoded.Undecipherable e) {
      return Optional.empty();
    }
  }
}

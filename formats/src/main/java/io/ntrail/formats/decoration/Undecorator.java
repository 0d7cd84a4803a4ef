package io.ntrail.formats.decoration;

import java.util.Optional;
import java.util.Set;

/**
 * Undecorates names of Microsoft C++ compilers: {@code ?f@@YAXH@Z} is {@code void __cdecl f(int)}.
 *
 * <p>Bounded in depth and length; never throws, whatever the input.
 */
public final class Undecorator {
  private Undecorator() {}

  /** Amount of detail in the text. */
  public enum Style {
    /** Everything, as llvm-undname writes it. */
    FULL,
    /** The name with its scopes and parameters, as llvm-undname writes it. */
    NAME,
    /** Everything, as {@code UnDecorateSymbolName} of Windows and its C runtime write it. */
    CRT
  }

  /**
   * The meaning of a name.
   *
   * @return empty if it is not decorated, or not in a way that is known
   */
  public static Optional<String> of(String name, Style style) {
    if (style == Style.CRT) {
      return of(name, Set.of());
    }
    try {
      SymbolNode symbol = SymbolReader.read(name, false);
      return Optional.of(LlvmNamePrinter.of(symbol, style == Style.NAME));
    } catch (DecoratedNameCursor.Undecipherable e) {
      return Optional.empty();
    }
  }

  /**
   * The meaning of a name in the form of the Windows C runtime.
   *
   * @param leftOut what is not written; nothing is everything
   * @return empty if the runtime would give the name back as it is, or would not know an end
   */
  public static Optional<String> of(String name, Set<UndnameFlag> leftOut) {
    try {
      return Optional.of(CrtNamePrinter.of(SymbolReader.read(name, true), leftOut));
    } catch (DecoratedNameCursor.Undecipherable e) {
      return Optional.empty();
    }
  }
}

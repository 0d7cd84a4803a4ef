package io.ntrail.programs.handlers;

import io.ntrail.formats.pe.handlers.CxxFunction;
import io.ntrail.formats.pe.handlers.GsData;
import io.ntrail.formats.pe.handlers.ScopeTable;
import java.util.Optional;

/** What a language handler reads about one function. */
public sealed interface HandlerData {
  /**
   * The {@code __try} blocks of C.
   *
   * @param cookie where the stack cookie is, if the handler checks it
   */
  record Scopes(ScopeTable table, Optional<GsData> cookie) implements HandlerData {}

  /**
   * Objects and {@code try} blocks of C++.
   *
   * @param cookie where the stack cookie is, if the handler checks it
   */
  record Cxx(CxxFunction function, Optional<GsData> cookie) implements HandlerData {}

  /** Where the stack cookie is, and nothing else. */
  record Cookie(GsData cookie) implements HandlerData {}

  /**
   * A table as GCC writes it; it is not read.
   *
   * @param rva where it lies
   */
  record Itanium(long rva) implements HandlerData {}

  /**
   * Data of an unknown kind, or that the image does not hold.
   *
   * @param rva where they should lie
   */
  record Unknown(long rva) implements HandlerData {}
}

package io.ntrail.programs.handlers;

import io.ntrail.formats.pe.handlers.CxxFunction;
import io.ntrail.formats.pe.handlers.GsData;
import io.ntrail.formats.pe.handlers.ScopeTable;
import java.util.Optional;

/** Language-specific data of one function. */
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

  /** The place of the stack cookie, and nothing else. */
  record Cookie(GsData cookie) implements HandlerData {}

  /**
   * A table as GCC writes it (LSDA); it is not read.
   *
   * @param rva its RVA
   */
  record Itanium(long rva) implements HandlerData {}

  /**
   * Data of an unknown kind, or that the image does not hold.
   *
   * @param rva RVA where they should be
   */
  record Unknown(long rva) implements HandlerData {}
}

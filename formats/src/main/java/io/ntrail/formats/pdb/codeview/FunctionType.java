package io.ntrail.formats.pdb.codeview;

import java.util.List;

/**
 * Type of a function, as far as it tells how it is called. Layouts: cvinfo.h, lfProc and lfMFunc.
 *
 * @param convention CV_call_e: 0 cdecl, 4 fastcall, 7 stdcall, 0Bh thiscall, 18h vectorcall, others
 * @param hasThis whether it is called for an object
 * @param parameters without {@code this}
 * @param isVariadic whether more may follow them
 * @param isMember whether it belongs to a class
 * @param returnsByConstructor whether what it returns is made where the caller says (cxxreturnudt)
 * @param result what it returns
 */
public record FunctionType(
    int convention,
    boolean hasThis,
    List<Value> parameters,
    boolean isVariadic,
    boolean isMember,
    boolean returnsByConstructor,
    Value result) {
  /** Copies the list. */
  public FunctionType {
    parameters = List.copyOf(parameters);
  }

  /**
   * A parameter or result.
   *
   * @param bytes its size; 0 = unknown, or of a result none
   * @param kind what it is
   */
  public record Value(long bytes, Kind kind) {}

  /** Kinds of values that are passed in different places. */
  public enum Kind {
    /** Integers, pointers, references, enumerations. */
    WORD,
    /** float, double. */
    FLOAT,
    /** Structures, classes, unions. */
    STRUCTURE
  }
}

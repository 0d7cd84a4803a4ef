package io.ntrail.formats.pe.unwind;

import java.util.Optional;

/**
 * Unwind data of an ARM function: packed into the entry of the exception directory, or in a record
 * elsewhere. Only the description of the frame is read; the codes of a record are left to the
 * unwinder.
 *
 * <p>Source: Microsoft's descriptions of exception handling on ARM and ARM64.
 */
public sealed interface ArmUnwind {
  /** Bytes of the function. */
  long length();

  /**
   * ARM64, all in the entry.
   *
   * @param fragment whether it is a part of a function, without a prologue
   * @param savedFloats RegF: how many floating point registers are saved, 0: none, else one more
   * @param savedRegisters RegI: how many registers from x19 on are saved
   * @param homes whether the parameter registers are stored first
   * @param chain CR: 0 unchained, 1 with a saved lr, 2 with a signed lr, 3 chained
   * @param frameSize bytes of the frame
   */
  record Packed(
      long length,
      boolean fragment,
      int savedFloats,
      int savedRegisters,
      boolean homes,
      int chain,
      int frameSize)
      implements ArmUnwind {}

  /**
   * 32-bit ARM, all in the entry.
   *
   * @param fragment whether it is a part of a function, without a prologue
   * @param returns Ret: 0 by pop, 1 by a 16-bit branch, 2 by a 32-bit branch, 3 not at all
   * @param homes whether the parameter registers are pushed first
   * @param lastRegister Reg: the last register saved
   * @param floats R: whether that counts floating point registers, from d8 on, else from r4 on
   * @param linked L: whether lr is saved
   * @param chained C: whether r11 is set up as a chain of frames
   * @param stackAdjust as stored: words, from 3F4 on with flags
   */
  record PackedThumb(
      long length,
      boolean fragment,
      int returns,
      boolean homes,
      int lastRegister,
      boolean floats,
      boolean linked,
      boolean chained,
      int stackAdjust)
      implements ArmUnwind {}

  /**
   * A record elsewhere (.xdata).
   *
   * @param rva its RVA
   * @param version 0 is the only one known
   * @param fragment 32-bit ARM: whether it is a function fragment, without a prologue
   * @param singleEpilog E: there is one epilogue, at the end; {@code epilogs} is then the index of
   *     its first code
   * @param epilogs number of epilogues described
   * @param codeWords words of the codes
   * @param codes RVA of the codes
   * @param handler RVA of the language handler, or 0
   * @param handlerData RVA of its data, or 0
   */
  record Described(
      long rva,
      long length,
      int version,
      boolean fragment,
      boolean singleEpilog,
      int epilogs,
      int codeWords,
      long codes,
      long handler,
      long handlerData)
      implements ArmUnwind {}

  /**
   * Data that cannot be read.
   *
   * @param stored the field of the entry
   * @param why in plain words
   */
  record Unreadable(long stored, String why) implements ArmUnwind {
    @Override
    public long length() {
      return 0;
    }
  }

  /** The handler that a record names. */
  default Optional<Described> handled() {
    return this instanceof Described described && described.handler != 0
        ? Optional.of(described)
        : Optional.empty();
  }
}
